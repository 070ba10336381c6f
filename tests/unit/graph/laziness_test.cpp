// When operations run, in how many kernels, and what is computed again.
#include <cmath>
#include <memory>

#include "src/graph/pending.hpp"
#include "tests/unit/graph/graph_on_cpu.hpp"

namespace warpwise::graph {
namespace {

std::uint64_t kernels_of(auto&& run) {
    const std::uint64_t before = counts().kernels;
    run();
    return counts().kernels - before;
}

TEST(Laziness, NothingRunsUntilAValueIsNeeded) {
    const Value x = filled({4}, 1);
    EXPECT_EQ(kernels_of([&] { add(add(x, 1), x); }), 0u);
}

TEST(Laziness, AChainIsOneKernel) {
    const Value x = filled({4}, 1);
    const Value y = sine(add(times(x, 2), x));
    EXPECT_EQ(kernels_of([&] { evaluate(std::vector{&y}); }), 1u);
}

TEST(Laziness, AChainAndItsSumAreOneKernel) {
    const Value x = filled({4}, 3);
    const Value total = sum(add(times(sine(times(x, 0)), 1), x));
    EXPECT_EQ(kernels_of([&] { evaluate(std::vector{&total}); }), 1u);
    EXPECT_EQ(first(total), 12);
}

TEST(Laziness, SeveralResultsOfOneShapeAreOneKernel) {
    const Value x = filled({4}, 1);
    const Value y = sine(x);
    const Value z = add(y, 1);
    EXPECT_EQ(kernels_of([&] { evaluate(std::vector{&y, &z}); }), 1u);
    EXPECT_EQ(first(z) - first(y), 1);
}

TEST(Laziness, WhatIsMadeOfASumIsComputedBehindIt) {
    const Value x = filled({4, 5}, 2);
    const Value y = filled({}, 3);
    const Value z = sine(add(sum(x), y));
    EXPECT_EQ(kernels_of([&] { evaluate(std::vector{&z}); }), 1u);
    EXPECT_DOUBLE_EQ(first(z), std::sin(43.0));
}

TEST(Laziness, SeveralSumsOverOnePassAreOneKernel) {
    const Value x = filled({4}, 2);
    const Value a = sum(x);
    const Value b = sum(times(x, 3));
    EXPECT_EQ(kernels_of([&] { evaluate(std::vector{&a, &b}); }), 1u);
    EXPECT_EQ(first(b), 24);
}

TEST(Laziness, AnExpensiveValueThatAnArrayNamesIsStoredByTheKernelThatNeedsIt) {
    const Value x = filled({4}, 1);
    const Value y = sine(x);
    const Value z = add(y, 1);
    evaluate(std::vector{&z});
    EXPECT_EQ(kernels_of([&] { evaluate(std::vector{&y}); }), 0u);
}

TEST(Laziness, ACheapValueThatAnArrayNamesIsComputedAgainOnceThenStored) {
    const Value x = filled({4}, 1);
    const Value y = add(x, 1);
    const Value a = add(y, 1);
    const Value b = add(y, 2);
    evaluate(std::vector{&a});
    EXPECT_TRUE(y.storage->is_pending());
    evaluate(std::vector{&b});
    EXPECT_FALSE(y.storage->is_pending());
}

TEST(Writes, InPlaceOneAfterTheOtherAreOneKernelAndOneStore) {
    const Value x = filled({4}, 1);
    for (int i = 0; i < 3; ++i) {
        const Value sum = add(times(x, 2), 1);
        write(x, &sum);
    }
    const Counts before = counts();
    evaluate(std::vector{&x});
    EXPECT_EQ(counts().kernels - before.kernels, 1u);
    EXPECT_EQ(counts().stored_bytes - before.stored_bytes, 4 * sizeof(double));
    EXPECT_EQ(first(x), 15);
}

TEST(Writes, AndWhatReadsThemAreOneKernel) {
    const Value x = filled({4}, 1);
    write(x, Scalar(5.0));
    const Value y = sine(x);
    EXPECT_EQ(kernels_of([&] { evaluate(std::vector{&x, &y}); }), 1u);
    EXPECT_DOUBLE_EQ(first(y), std::sin(5.0));
    EXPECT_EQ(first(x), 5);
}

TEST(Writes, AValueReadBetweenTwoOfThemIsTheFirstOnes) {
    const Value x = filled({4}, 1);
    write(x, Scalar(5.0));
    const Value y = sine(x);
    write(x, Scalar(7.0));
    evaluate(std::vector{&x});
    EXPECT_DOUBLE_EQ(first(y), std::sin(5.0));
    EXPECT_EQ(first(x), 7);
}

TEST(Writes, OfAPartBetweenTwoWholeOnesAreRead) {
    const Value x = filled({4}, 1);
    write(x, Scalar(5.0));
    write(part(x, 0, 2), Scalar(6.0));
    const Value y = add(x, 1);
    write(x, Scalar(7.0));
    EXPECT_EQ(first(sum(y)), 7 + 7 + 6 + 6);
    EXPECT_EQ(first(x), 7);
}

TEST(Writes, RunWhereTheArrayIsGoneAndABufferNamesTheMemory) {
    const Buffer buffer = mem_alloc(4 * sizeof(double));
    {
        write(over(buffer, {0, {4}, {8}, float64}), Scalar(3.0));
    }
    double number = 0;
    buffer.copy_to(&number, sizeof number);
    EXPECT_EQ(number, 3);
}

TEST(Writes, OfAnArrayThatIsGoneAreSeenByTheNextOneOverTheBuffer) {
    const Buffer buffer = mem_alloc(4 * sizeof(double));
    {
        write(over(buffer, {0, {4}, {8}, float64}), Scalar(3.0));
    }
    const Value y = add(over(buffer, {0, {4}, {8}, float64}), 1);
    EXPECT_EQ(first(y), 4);
}

TEST(Writes, OfAnArrayThatIsGoneAreSynchronised) {
    const Buffer buffer = mem_alloc(4 * sizeof(double));
    {
        write(over(buffer, {0, {4}, {8}, float64}), Scalar(3.0));
    }
    EXPECT_EQ(kernels_of([&] { Device("cpu").synchronize(); }), 1u);
}

TEST(Writes, ThatNobodyCanSeeAreNotMade) {
    Buffer buffer = mem_alloc(4 * sizeof(double));
    Value y;
    {
        const Value x = over(buffer, {0, {4}, {8}, float64});
        write(x, Scalar(3.0));
        y = add(x, 1);
    }
    buffer = Buffer();
    const Counts before = counts();
    EXPECT_EQ(first(y), 4);
    EXPECT_EQ(counts().stored_bytes - before.stored_bytes, 4 * sizeof(double));
}

TEST(Laziness, WhatNoArrayNamesAnyMoreNeverRuns) {
    const Value x = filled({4}, 1);
    {
        const Value y = sine(x);
    }
    EXPECT_EQ(counts().pending, 0u);
}

TEST(Laziness, ResultsWithoutElementsLeaveTheRestPending) {
    const Value x = filled({4}, 1);
    const Value y = add(x, 1);
    const std::size_t before = counts().pending;
    {
        const Value nothing = cast(filled({0}, 1), Kind::Float32);
        EXPECT_EQ(counts().pending, before);
    }
    EXPECT_EQ(counts().pending, before);
    EXPECT_EQ(kernels_of([&] { add(y, 1); }), 0u);
    EXPECT_EQ(first(y), 2);
}

TEST(Laziness, DoublingSixtyTimesIsSixtyOperations) {
    Value x = filled({4}, 1);
    for (int i = 0; i < 60; ++i) x = add(x, x);
    EXPECT_LE(kernels_of([&] { evaluate(std::vector{&x}); }), 2u);
    EXPECT_EQ(first(x), 0x1p60);
}

TEST(Laziness, TooManyPendingOperationsRunByThemselves) {
    Value x = filled({4}, 0);
    for (int i = 0; i < 10000; ++i) x = add(x, 1);
    EXPECT_LE(counts().pending, kMostPending);
    EXPECT_EQ(first(x), 10000);
}

TEST(Laziness, WorkThatHoldsAPartOfTheMemoryRunsByItself) {
    runtime::Context& context = *runtime::current_context();
    const auto elements =
        static_cast<std::int64_t>(context.info().total_memory / kPartOfMemory / sizeof(double));
    Value y;
    {
        // Most of it is not touched.
        const Value x = empty({elements + 1000}, float64, context);
        y = add(part(x, 0, 4), 1);
    }
    EXPECT_TRUE(y.storage->is_pending());
    const Value other = add(filled({4}, 1), 1);
    EXPECT_FALSE(y.storage->is_pending());
}

TEST(Laziness, AKnownPlanComputesWithNewNumbersAndMemory) {
    const auto result = [](double number) {
        const Value x = filled({4}, number);
        return first(add(times(sine(x), number), x));
    };
    for (const double number : {1.0, 2.0, 3.0}) {
        EXPECT_EQ(result(number), std::sin(number) * number + number);
    }
}

class LoopBodies : public testing::TestWithParam<int> {};

TEST_P(LoopBodies, OfAnyLengthCompileFewKernels) {
    Value x = filled({4}, 0);
    const std::size_t before = codegen::fake_compiles();
    for (int turn = 0; turn < 2000; ++turn) {
        for (int i = 0; i < GetParam(); ++i) {
            // Operations that differ: the cut must fall at the same place of the body.
            x = i % 3 == 0 ? add(x, 1) : i % 3 == 1 ? times(x, 1) : add(x, x);
            if (i % 3 == 2) x = times(x, 0.5);
        }
    }
    first(x);
    EXPECT_LE(codegen::fake_compiles() - before, 8u);
}
INSTANTIATE_TEST_SUITE_P(Lengths, LoopBodies, testing::Range(1, 51));

TEST(Laziness, OffRunsEveryOperationAtOnce) {
    const Value x = filled({4}, 1);
    const bool before = set_lazy(false);
    EXPECT_EQ(kernels_of([&] { add(add(x, 1), 1); }), 2u);
    set_lazy(before);
}

TEST(Laziness, AMillionOperationsAreRecordedRunAndReleased) {
    Value x = filled({1}, 0);
    for (int i = 0; i < 1'000'000; ++i) x = add(x, 1);
    EXPECT_EQ(first(x), 1e6);
}

TEST(Writes, OfAPartKeepWhatItsValueReadBeforeThatWasOverwritten) {
    const Value x = filled({4}, 1);
    const Value sevens = filled({4}, 7);
    const Value y = add(x, 1);
    write(x, &sevens);                  // y reads what was there
    write(part(y, 2, 2), Scalar(3.0));  // and is written in part, so it is no value of its own now
    EXPECT_EQ(first(sevens), 7);        // runs the write to x
    EXPECT_EQ(first(y), 2);
}

TEST(Writes, ToArraysThatAreGoneLeaveNothingHeld) {
    const std::size_t before = Memory::orphaned_bytes();
    {
        const Value x = filled({4}, 1);
        Value sum = add(x, 1);
        {
            Value y = add(x, 1);
            write(part(y, 0, 2), Scalar(3.0));
            sum = add(y, 1);  // reads y's memory, which is not there yet
        }
        EXPECT_EQ(first(sum), 4);
    }
    EXPECT_EQ(Memory::orphaned_bytes(), before);
}

TEST(Failures, ThatEndALaunchLeaveTheValuePending) {
    const Value x = filled({4}, 1);
    const Value y = sine(x);
    codegen::fake_failures() = 1;
    EXPECT_THROW(evaluate(std::vector{&y}), LaunchError);
    EXPECT_TRUE(y.storage->is_pending());
    EXPECT_EQ(first(add(y, 0)), std::sin(1.0));
}

TEST(Failures, OfMemoryThatWasFreedAreReportedWhereItIsUsed) {
    const Value x = filled({4}, 1);
    const Value y = add(x, 1);  // recorded before: it is computed before the memory goes
    Buffer memory = settled_memory(x);
    memory.free();
    EXPECT_EQ(first(y), 2);
    const std::size_t before = counts().pending;
    EXPECT_THROW(add(x, 1), ArgumentError);
    EXPECT_THROW(write(x, &y), ArgumentError);
    EXPECT_EQ(counts().pending, before);
}

TEST(Failures, NeverRunAWriteInPlaceTwice) {
    const Value x = filled({4}, 1);
    const Value more = add(x, 1);
    write(x, &more);                      // x += 1
    const Value y = sine(part(x, 1, 2));  // another space: another kernel
    codegen::fake_failures() = 2;
    EXPECT_THROW(evaluate(std::vector{&y}), LaunchError);
    evaluate(std::vector{&y});
    EXPECT_EQ(first(x), 2);
}

TEST(Streams, ReadersOnAnotherStreamComeAfterTheWriter) {
    const Value x = filled({4}, 1);
    const Value y = sine(x);
    const Stream other;
    Value z;
    {
        const StreamScope scope(other);
        z = add(y, 1);
    }
    evaluate(std::vector{&z});
    EXPECT_EQ(first(z), std::sin(1.0) + 1);
}

TEST(Streams, SynchronisingOneRunsWhatIsPendingThere) {
    const Stream stream;
    const Value x = filled({4}, 1);
    Value y;
    {
        const StreamScope scope(stream);
        y = sine(x);
    }
    stream.synchronize();
    EXPECT_FALSE(y.storage->is_pending());
}

TEST(Exports, KeepTheMemoryUpToDateWhileTheyLive) {
    const Value x = filled({4}, 1);
    const Buffer memory = begin_export(x);
    const Value more = add(x, 1);
    write(x, &more);
    EXPECT_EQ(*reinterpret_cast<const double*>(x.storage->memory()->address()), 2);
    end_export(*x.storage);
    const Value y = add(x, 1);
    EXPECT_TRUE(y.storage->is_pending());
}

TEST(Buffers, ThatTwoArraysShareShowBothTheSameValues) {
    Buffer buffer = mem_alloc(32);
    const View view{0, {4}, {8}, float64};
    const Value a = over(buffer, view);
    const Value b = over(buffer, view);
    write(a, Scalar(5.0));
    EXPECT_EQ(first(add(b, 0)), 5);
}

TEST(Buffers, OfPendingWritesAreSettledByCopies) {
    Buffer buffer = mem_alloc(32);
    const Value a = over(buffer, {0, {4}, {8}, float64});
    write(a, Scalar(5.0));
    double number = 0;
    buffer.copy_to(&number, sizeof number);
    EXPECT_EQ(number, 5);
}

}  // namespace
}  // namespace warpwise::graph
