// The interpreter of GPUs, its source compiled for the CPU device: random groups against the
// oracle, and bit by bit against their compiled kernels. WARPWISE_GROUPS and WARPWISE_FIRST_GROUP
// as in random_groups_test.cpp.
#include <algorithm>
#include <array>

#include "src/codegen/interpret/gpu_interpreter.hpp"
#include "tests/unit/codegen/cpu_device.hpp"
#include "tests/unit/codegen/interpreter.hpp"

namespace warpwise::codegen {
namespace {

using interpret::GpuInterpreter;
using interpret::GpuProgram;

GpuInterpreter& interpreter_on_cpu() {
    static auto* const made = [] {
        runtime::Context& context = *runtime::current_context();
        compiler::CompileRequest request;
        request.source = "#include <warpwise_interpreter.h>\n";
        request.target = context.info().architecture;
        request.mode.contraction = false;
        request.source = "#define __WW_ALL_FUNCTIONS\n" + request.source;
        auto* const interpreter = new GpuInterpreter([request](runtime::Context& own) {
            return std::make_shared<const compiler::Program>(
                compiler::compile_cached(own.backend().compiler(), request));
        });
        interpreter->load(context);
        return interpreter;
    }();
    return *made;
}

void interpret(const GpuProgram& program, const Case& sample) {
    runtime::Context& context = *runtime::current_context();
    interpreter_on_cpu().launch(program, *context.default_stream(), sample.binding);
    context.synchronize();
}

bool is_same(const std::vector<std::unique_ptr<Memory>>& one,
             const std::vector<std::unique_ptr<Memory>>& other) {
    return std::ranges::equal(one, other,
                              [](const auto& a, const auto& b) { return a->bytes == b->bytes; });
}

std::uint64_t number_from(const char* name, std::uint64_t otherwise) {
    const char* const text = std::getenv(name);
    return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

TEST(GpuInterpreter, HasTheBitsOfCompiledKernels) {
    const std::uint64_t first = number_from("WARPWISE_FIRST_GROUP", 0);
    const std::uint64_t count = number_from("WARPWISE_GROUPS", 100);
    std::uint64_t interpreted = 0;
    int failures = 0;
    for (std::uint64_t seed = first; seed < first + count && failures < 3; ++seed) {
        Case sample = random_interpreted_case(seed);
        // Some in several rows of blocks.
        sample.group.wide |= seed % 3 == 0;
        sample.group.across = -1;  // the CPU's alone
        sample.group.short_rows = false;
        most_blocks_of_row = seed % 3 == 0 ? 2 : kMostBlocks;
        const auto program = GpuProgram::make(sample.group);
        if (!program) continue;
        ++interpreted;
        EXPECT_TRUE(program->is_exact());
        interpret(*program, sample);
        std::string found = difference(sample);
        const Case compiled = random_interpreted_case(seed);
        run(compiled);
        const bool is_equal = is_same(sample.stores, compiled.stores) &&
                              is_same(sample.kept_stores, compiled.kept_stores);
        if (found.empty() && !is_equal) found = "not the bits of the compiled kernel";
        if (found.empty()) continue;
        ++failures;
        ADD_FAILURE() << "seed " << seed << ": " << found << "\n"
                      << sample.text() << emit(sample.group);
    }
    most_blocks_of_row = kMostBlocks;
    EXPECT_GE(interpreted * 10, count * 8) << "most groups need no compiler";
}

// One elementwise group of one op.
Group group_of(ir::Op op, Kind kind) {
    Group group;
    const bool selects = ir::row_of(op).rule == ir::TypeRule::Select;
    const std::vector<Kind> kinds = {selects ? Kind::Bool : kind, kind, kind};
    const std::vector<Kind> none;
    BodyBuilder make(group.body, kinds, none);
    const int arity = ir::row_of(op).arity;
    for (int i = 0; i < arity; ++i) group.inputs.push_back({kinds[static_cast<std::size_t>(i)]});
    const ir::ValueId a = make.input(0);
    const ir::ValueId b = arity > 1 ? make.input(1) : a;
    const ir::ValueId c = arity > 2 ? make.input(2) : a;
    const ir::ValueId value = arity == 1   ? make.op(op, {a})
                              : arity == 2 ? make.op(op, {a, b})
                                           : make.op(op, {a, b, c});
    group.stores.push_back({{make.kind_of(value)}, value});
    return group;
}

// The group over `points` elements, with random numbers among them special ones.
Case case_of(Group group, std::int64_t points, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    Case sample;
    sample.group = std::move(group);
    sample.binding.extents = {points};
    const auto memory = [&](Kind kind) {
        const auto item = static_cast<std::int64_t>(DType(kind).size());
        return make_memory(kind, sample.binding.extents, {item});
    };
    for (const Operand& one : sample.group.inputs) {
        sample.inputs.push_back(memory(one.kind));
        fill(*sample.inputs.back(), random);
    }
    for (const Store& one : sample.group.stores) {
        sample.stores.push_back(memory(one.operand.kind));
        sample.stores.back()->is_store = true;
    }
    describe(sample);
    bind(sample);
    return sample;
}

// Whether the CPU device's interpreter and that of GPUs agree about every bit.
void expect_the_same(const Group& group, const GpuProgram& program, const std::string& what) {
    runtime::Context& context = *runtime::current_context();
    const Case ours = case_of(group, 3000, 7), theirs = case_of(group, 3000, 7);
    interpret(program, ours);
    const auto fused = Fused::find(theirs.group, context);
    ASSERT_NE(fused, nullptr) << what;
    fused->launch(*context.default_stream(), theirs.binding);
    context.synchronize();
    EXPECT_TRUE(is_same(ours.stores, theirs.stores)) << what;
}

constexpr std::array kKinds = {Kind::Bool, Kind::Int32, Kind::Int64, Kind::Float32, Kind::Float64};

TEST(GpuInterpreter, ComputesEveryOp) {
    int computed = 0;
    for (const ir::OpRow& row : ir::all_ops()) {
        for (const Kind kind : kKinds) {
            Group group;
            try {
                group = group_of(row.op, kind);
            } catch (const Error&) {
                continue;  // no op of that kind
            }
            const auto program = GpuProgram::make(group);
            if (!program) continue;
            ++computed;
            expect_the_same(group, *program, std::string(row.name) + " of " + DType(kind).name());
        }
    }
    EXPECT_GE(computed, 250);
}

TEST(GpuInterpreter, Converts) {
    for (const Kind from : kKinds) {
        for (const Kind to : kKinds) {
            Group group;
            const std::vector<Kind> kinds{from};
            const std::vector<Kind> none;
            BodyBuilder make(group.body, kinds, none);
            group.inputs = {{from}};
            const ir::ValueId value = make.cast(make.input(0), to);
            group.stores.push_back({{to}, value});
            const auto program = GpuProgram::make(group);
            ASSERT_NE(program, nullptr);
            expect_the_same(group, *program, DType(from).name() + " to " + DType(to).name());
        }
    }
}

TEST(GpuInterpreter, LeavesFunctionsThatDependOnTheCompilerToIt) {
    const auto is_exact = [](ir::Op op, Kind kind) {
        const auto program = GpuProgram::make(group_of(op, kind));
        return program != nullptr && program->is_exact();
    };
    for (const Kind kind : {Kind::Float32, Kind::Float64}) {
        for (const ir::Op op : {ir::Op::Sin, ir::Op::Exp, ir::Op::Log, ir::Op::Cbrt, ir::Op::Hypot,
                                ir::Op::Pow, ir::Op::Atan2, ir::Op::Rsqrt, ir::Op::Logaddexp}) {
            EXPECT_FALSE(is_exact(op, kind)) << ir::row_of(op).name;
        }
        for (const ir::Op op :
             {ir::Op::Add, ir::Op::Divide, ir::Op::Sqrt, ir::Op::Remainder, ir::Op::FloorDivide,
              ir::Op::Square, ir::Op::Reciprocal, ir::Op::Nextafter, ir::Op::Heaviside,
              ir::Op::Less, ir::Op::Floor, ir::Op::Abs}) {
            EXPECT_TRUE(is_exact(op, kind)) << ir::row_of(op).name;
        }
    }
    EXPECT_TRUE(is_exact(ir::Op::Pow, Kind::Int64));
    EXPECT_EQ(GpuProgram::make(group_of(ir::Op::Add, Kind::Int8)), nullptr) << "not its kind";
}

TEST(GpuInterpreter, TakesNoMoreThanSharedMemoryHolds) {
    Group group;
    const std::vector<Kind> kinds(40, Kind::Float32);
    const std::vector<Kind> none;
    BodyBuilder make(group.body, kinds, none);
    std::vector<ir::ValueId> values;
    for (std::size_t i = 0; i < kinds.size(); ++i) {
        group.inputs.push_back({Kind::Float32});
        values.push_back(make.input(i));
    }
    ir::ValueId sum = values.back();
    for (std::size_t i = values.size() - 1; i-- > 0;) sum = make.op(ir::Op::Add, {sum, values[i]});
    group.stores.push_back({{Kind::Float32}, sum});
    EXPECT_EQ(GpuProgram::make(group), nullptr) << "forty values at once";
}

}  // namespace
}  // namespace warpwise::codegen
