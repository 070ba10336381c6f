// Evaluations that fail at one of their kernels, and are tried again: nothing runs twice, nothing
// is lost, and arrays stay usable.
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "src/graph/pending.hpp"
#include "src/runtime/pool/pool_state.hpp"
#include "tests/unit/graph/graph_on_cpu.hpp"

namespace warpwise::graph {
namespace {

std::vector<double> elements(const Value& value) {
    std::vector<double> numbers(static_cast<std::size_t>(count_of(value.view.shape)));
    settled_memory(value).copy_to(numbers.data(), numbers.size() * sizeof(double));
    return numbers;
}

// Several kernels: writes in place between readers of the same memory, reductions that later
// kernels read, results that arrays name and results that they do not.
struct Program {
    Value x = filled({6}, 1);
    Value w = filled({3}, 5);
    Value y = sine(x);
    Value z, total, last;

    Program() {
        const auto add_in_place = [](const Value& target, double number) {
            const Value more = add(target, number);
            write(target, &more);
        };
        add_in_place(x, 1);
        z = sine(part(x, 1, 2));
        add_in_place(part(x, 0, 3), 4);
        total = sum(x);
        const Value wider = binary(ir::Op::Add, &w, &total, {3});
        write(w, &wider);
        add_in_place(x, 1);
        last = sine(binary(ir::Op::Add, &x, &y, {6}));
        add_in_place(w, 2);
    }

    void run() const {
        const Value* const all[] = {&last, &w, &z, &total, &x, &y};
        evaluate(all);
    }
    std::vector<std::vector<double>> values() const {
        return {elements(x), elements(w),     elements(y),
                elements(z), elements(total), elements(last)};
    }
};

std::uint64_t kernels_of(const std::function<void()>& action) {
    const std::uint64_t before = counts().kernels;
    action();
    return counts().kernels - before;
}

class KernelFailures : public testing::Test {
  protected:
    void SetUp() override {
        const Program program;
        kernels_ = static_cast<int>(kernels_of([&] { program.run(); }));
        right_ = program.values();
    }
    void TearDown() override { codegen::fake_failures() = 0; }

    int kernels_ = 0;
    std::vector<std::vector<double>> right_;
};

TEST_F(KernelFailures, AtEachKernelLeaveTheRestToBeRunOnce) {
    ASSERT_GE(kernels_, 5);
    for (int failing = 1; failing <= kernels_; ++failing) {
        SCOPED_TRACE(failing);
        const Program program;
        const std::uint64_t launched = kernels_of([&] {
            codegen::fake_failures() = failing;
            EXPECT_THROW(program.run(), LaunchError);
        });
        EXPECT_EQ(launched, static_cast<std::uint64_t>(failing - 1));
        const std::uint64_t rest = kernels_of([&] { program.run(); });
        EXPECT_EQ(launched + rest, static_cast<std::uint64_t>(kernels_));
        EXPECT_EQ(program.values(), right_);
    }
}

TEST_F(KernelFailures, AtTwoKernelsInARowAreOvercomeToo) {
    for (int failing = 1; failing <= kernels_; ++failing) {
        for (int again = 1; again <= kernels_ - failing + 1; ++again) {
            SCOPED_TRACE(testing::Message() << failing << " and " << again);
            const Program program;
            const std::uint64_t launched = kernels_of([&] {
                codegen::fake_failures() = failing;
                EXPECT_THROW(program.run(), LaunchError);
                codegen::fake_failures() = again;
                EXPECT_THROW(program.run(), LaunchError);
                program.run();
            });
            EXPECT_EQ(launched, static_cast<std::uint64_t>(kernels_));
            EXPECT_EQ(program.values(), right_);
        }
    }
}

TEST_F(KernelFailures, AreOvercomeByAnEvaluationOfOnePart) {
    for (int failing = 1; failing <= kernels_; ++failing) {
        SCOPED_TRACE(failing);
        const Program program;
        codegen::fake_failures() = failing;
        EXPECT_THROW(program.run(), LaunchError);
        EXPECT_EQ(elements(program.w), right_[1]);
        EXPECT_EQ(program.values(), right_);
    }
}

TEST_F(KernelFailures, OfAnOperationThatRunsAtOnceRecordNothing) {
    const bool before = set_lazy(false);
    const Value x = filled({4}, 1);
    const Value more = add(x, 1);
    const Value part_of_x = part(x, 1, 2);
    const std::size_t pending_before = counts().pending;
    codegen::fake_failures() = 1;
    EXPECT_THROW(write(x, &more), LaunchError);
    codegen::fake_failures() = 1;
    EXPECT_THROW(add(x, 1), LaunchError);
    codegen::fake_failures() = 1;
    EXPECT_THROW(write(part_of_x, Scalar(3.0)), LaunchError);
    EXPECT_EQ(counts().pending, pending_before);
    EXPECT_EQ(elements(x), std::vector<double>(4, 1.0));
    write(x, &more);
    write(part_of_x, Scalar(3.0));
    EXPECT_EQ(elements(x), (std::vector<double>{2, 3, 3, 2}));
    set_lazy(before);
}

TEST_F(KernelFailures, OfAWriteToExposedMemoryRecordNothing) {
    const Value x = filled({4}, 1);
    const Value more = sine(x);
    begin_export(x);
    for (int failing = 1; failing <= 2; ++failing) {
        codegen::fake_failures() = failing;
        const Value sum = add(more, 1);
        EXPECT_THROW(write(x, &sum), LaunchError);
        EXPECT_EQ(elements(x), std::vector<double>(4, 1.0));
    }
    codegen::fake_failures() = 0;
    write(x, &more);
    EXPECT_EQ(elements(x), std::vector<double>(4, std::sin(1.0)));
    end_export(*x.storage);
}

std::uint64_t g_next_place = 0;

// Each kernel's error names the line of what it computes: here the number of the operation.
TEST_F(KernelFailures, NameThePlaceOfTheOperation) {
    set_caller_places(
        {.mark = []() noexcept { return ++g_next_place; },
         .name = [](std::uint64_t place) { return "line " + std::to_string(place); }});
    const Value x = filled({4}, 1);
    g_next_place = 0;
    const Value y = sine(x);              // 1
    const Value z = sine(part(y, 1, 2));  // 2
    const Value total = sum(z);           // 3
    const Value* const all[] = {&y, &z, &total};
    for (int failing = 1; failing <= 2; ++failing) {
        codegen::fake_failures() = 1;
        try {
            evaluate(all);
            ADD_FAILURE() << "nothing failed";
        } catch (const LaunchError& error) {
            const std::string text = error.what();
            EXPECT_EQ(text, "the fake fails; in the expression at line " + std::to_string(failing));
        }
        evaluate(std::vector{&y});
    }
    set_caller_places({});
    evaluate(all);
}

// What makes waiting work run by itself may be the operation that fails: a program that repeats it
// gets each once.
TEST_F(KernelFailures, OfWorkThatRunsByItselfLetTheOperationBeRepeated) {
    const Value x = filled({4}, 0);
    const Value tail = part(x, 2, 2);
    int failures = 0;
    const auto again = [&](const std::function<void()>& operation) {
        try {
            operation();
        } catch (const LaunchError&) {
            ++failures;
            operation();
        }
    };
    const auto repeat = [&](const Value& target) {
        again([&] {
            const Value more = add(target, 1);
            again([&] { write(target, &more); });
        });
    };
    for (int turn = 0; turn < 2000; ++turn) {
        if (codegen::fake_failures() == 0) codegen::fake_failures() = 1 + turn % 5;
        repeat(x);
        repeat(tail);
    }
    codegen::fake_failures() = 0;
    EXPECT_GT(failures, 3);
    EXPECT_EQ(elements(x), (std::vector<double>{2000, 2000, 4000, 4000}));
}

// No memory for the result of one of the kernels, then memory that was freed.
TEST(MemoryFailures, AtEachResultAreOvercomeWhenMemoryIsFreed) {
    const std::shared_ptr<runtime::PoolState> pool = context().pool();
    constexpr std::int64_t kLength = 1 << 20;
    constexpr std::size_t kBytes = kLength * sizeof(double) + (1 << 16);
    for (std::size_t spare = 0; spare < 3; ++spare) {
        SCOPED_TRACE(spare);
        const Value x = filled({4}, 1);
        pool->free_held();
        Value hostage = empty({4 * kLength}, float64, context());
        pool->set_limit(pool->statistics().held_bytes + spare * kBytes);
        std::vector<Value> results;
        for (std::int64_t i = 0; i < 3; ++i) {
            const Value more = add(x, 1);
            write(x, &more);
            const Value total = sum(x);
            const Value twos = scalar(Scalar(2.0), Kind::Float64, {kLength + i}, context());
            results.push_back(binary(ir::Op::Add, &twos, &total, {kLength + i}));
        }
        const Value* const all[] = {&results[0], &results[1], &results[2], &x};
        EXPECT_THROW(evaluate(all), OutOfMemoryError);
        EXPECT_THROW(evaluate(all), OutOfMemoryError);
        hostage = Value();
        evaluate(all);
        pool->set_limit(std::nullopt);
        EXPECT_EQ(first(x), 4);
        for (int i = 0; i < 3; ++i) EXPECT_EQ(first(results[i]), 2 + 4 * (i + 2));
    }
}

// What would fit if work that waits had run: it runs, and what it alone held is used.
TEST(MemoryFailures, AreAvoidedByRunningWhatHoldsMemory) {
    const std::shared_ptr<runtime::PoolState> pool = context().pool();
    constexpr std::int64_t kLength = 1 << 21;
    pool->free_held();
    Value total;
    {
        const Value x = filled({kLength}, 1);
        total = sum(x);  // x has no other reader
    }
    EXPECT_TRUE(total.storage->is_pending());
    const Value small = add(filled({4}, 1), 1);  // recorded, and not demanded
    const Value named = filled({4}, 1);
    const Value other = add(named, 1);                           // holds nothing
    pool->set_limit(pool->statistics().held_bytes + (4 << 20));  // for small results
    const Value twos = scalar(Scalar(2.0), Kind::Float64, {kLength}, context());
    const Value wide = add(twos, 1);
    evaluate(std::vector{&wide});
    EXPECT_FALSE(total.storage->is_pending());
    EXPECT_TRUE(other.storage->is_pending());
    EXPECT_TRUE(twos.storage->is_pending()) << "it would take more than there is";
    pool->set_limit(std::nullopt);
    EXPECT_EQ(first(wide), 3);
    EXPECT_EQ(first(total), static_cast<double>(kLength));
    EXPECT_EQ(first(small), 2);
}

TEST_F(KernelFailures, LeaveABufferThatWasGivenToOthers) {
    const Value value = add(filled({3}, 1), 1);
    const Buffer buffer = mem_alloc(3 * sizeof(double));
    codegen::fake_failures() = 1;
    EXPECT_THROW(evaluate_into(value, buffer), LaunchError);
    EXPECT_TRUE(evaluate_into(value, buffer));
    EXPECT_EQ(elements(value), std::vector<double>(3, 2));
    EXPECT_EQ(settled_memory(value).address(), buffer.address());
}

}  // namespace
}  // namespace warpwise::graph
