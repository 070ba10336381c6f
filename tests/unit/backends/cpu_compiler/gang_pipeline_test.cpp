// The table of the vectoriser's passes: what may be left out, what the settings refuse, and that
// its guide lists the passes as they run.
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>

#include "src/backends/cpu/compiler/gang/observe.hpp"
#include "src/backends/cpu/compiler/gang/pipeline.hpp"
#include "tests/unit/backends/cpu_compiler/lower_support.hpp"

namespace warpwise::cpu_compiler::test {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr std::string_view kFewThreads = R"(
    __global__ void k(float* y) {
        __shared__ float s[128];
        s[threadIdx.x] = y[threadIdx.x];
        __syncthreads();
        if (threadIdx.x < 2) y[threadIdx.x * 3] = s[127 - threadIdx.x * 5];
    })";

constexpr std::string_view kBarrier = R"(
    __global__ void k(const float* x, float* y, int n) {
        __shared__ float part[128];
        float sum = 0;
        for (int i = threadIdx.x; i < n; i += blockDim.x) sum += 1 / sqrtf(x[i]);
        part[threadIdx.x] = sum;
        __syncthreads();
        if (threadIdx.x == 0) y[blockIdx.x] = part[0] + part[1];
    })";

std::string skip_option(const std::vector<std::string>& names) {
    return fmt::format("--warpwise-skip-pass={}", fmt::join(names, ","));
}

std::string ir_without(std::string_view source, const std::vector<std::string>& names) {
    return text_of(
        compile(source, "llvm", "x86-64-v4",
                {"--warpwise-executor=auto", "--warpwise-block=128", skip_option(names)}));
}

std::vector<std::string> optional_passes() {
    std::vector<std::string> names;
    for (const gang::Pass& pass : gang::passes()) {
        if (pass.is_optional) names.emplace_back(pass.name);
    }
    return names;
}

std::string refusal_of(const std::string& pass) {
    try {
        compile(kFewThreads, "llvm", "x86-64-v4",
                {"--warpwise-executor=auto", skip_option({pass})});
    } catch (const ArgumentError& error) {
        return error.what();
    }
    return "accepted";
}

TEST(GangPasses, HaveNamesOfTheirOwn) {
    std::set<std::string_view> names;
    for (const gang::Pass& pass : gang::passes()) {
        EXPECT_TRUE(names.insert(pass.name).second) << pass.name;
    }
}

TEST(GangPasses, StandInTheGuideInTheirOrder) {
    std::ifstream file(WARPWISE_GANG_GUIDE);
    std::stringstream text;
    text << file.rdbuf();
    const std::string guide = text.str();
    std::size_t at = 0;
    for (const gang::Pass& pass : gang::passes()) {
        const std::string row =
            fmt::format("| `{}` | {} |", pass.name, pass.is_optional ? "optional" : "mandatory");
        const std::size_t found = guide.find(row, at);
        ASSERT_NE(found, std::string::npos)
            << "gang/README.md lacks, or has in another place: " << row;
        at = found;
    }
}

TEST(GangSkip, LeavesAnOptionalPassOut) {
    EXPECT_THAT(ir_without(kFewThreads, {}), Not(HasSubstr("masked.scatter")));
    EXPECT_THAT(ir_without(kFewThreads, {"few-lanes"}), HasSubstr("masked.scatter"));
}

// The products of a dot product: each block of code that has one, and whether it loads a vector.
bool loads_beside_products(const std::string& ir) {
    bool loads = false;
    for (std::size_t at = 0; (at = ir.find("= fmul <16 x float>", at)) != std::string::npos; ++at) {
        const std::size_t start = ir.rfind("\n\n", at), end = ir.find("\n\n", at);
        loads |= ir.substr(start, end - start).find("load <16 x float>") != std::string::npos;
    }
    return loads;
}

// There may be no turn, in which x may not be read.
TEST(GangRotation, LoadsBeforeTheLoopWhatStaysInIt) {
    const auto source_with = [](std::string_view statement) {
        return fmt::format(R"(
            __global__ void k(const float* x, const float* w, float* y, int n) {{
                const int i = blockIdx.x * blockDim.x + threadIdx.x;
                float most = 0;
                for (int j = 0; j < n; ++j) {{
                    most = fmaxf(most, w[j] * x[i]);
                    {}
                }}
                y[i] = most;
            }})",
                           statement);
    };
    EXPECT_FALSE(loads_beside_products(ir_without(source_with(""), {})));
    EXPECT_TRUE(loads_beside_products(ir_without(source_with(""), {"rotate-loops"})));
    EXPECT_TRUE(loads_beside_products(ir_without(source_with("y[j] = most;"), {})));
}

TEST(GangSkip, OfEachOptionalPassLeavesAModuleThatCompiles) {
    for (const std::string& pass : optional_passes()) {
        EXPECT_THAT(ir_without(kBarrier, {pass}), HasSubstr("define")) << pass;
    }
}

TEST(GangSkip, OfAllOptionalPassesLeavesAModuleThatCompiles) {
    EXPECT_THAT(ir_without(kBarrier, optional_passes()), HasSubstr("define"));
}

TEST(GangSkip, OfTheLoopOverBlocksRunsOneGangAtATime) {
    const compiler::Program program =
        compile("__global__ void k(float* x) { x[threadIdx.x] += 1; }", "object", "x86-64-v4",
                {"--warpwise-executor=auto", "--warpwise-block=128",
                 "--warpwise-skip-pass=loop-over-blocks"});
    EXPECT_EQ(record(program, "k").flags & cpu::kKernelRunsBlocks, 0u);
}

// A warp of such a block has 32 threads, however many axes the block has.
TEST(GangBlockLoop, RunsBlocksThatWarpsDivide) {
    const auto runs_blocks = [](std::string_view shape) {
        const compiler::Program program = compile(
            "__global__ void k(float* x) {\n"
            "    float& mine = x[threadIdx.x + 64 * (threadIdx.y + 2 * threadIdx.z)];\n"
            "    mine += __shfl_xor_sync(0xffffffff, mine, 1);\n"
            "}",
            "object", "x86-64-v4",
            {"--warpwise-executor=auto", fmt::format("--warpwise-block={}", shape)});
        return (record(program, "k").flags & cpu::kKernelRunsBlocks) != 0;
    };
    EXPECT_TRUE(runs_blocks("64,2,2"));
    EXPECT_TRUE(runs_blocks("16,1,2"));
    EXPECT_FALSE(runs_blocks("16,1,1"));
}

TEST(GangSkip, RefusesANameThatNoPassHas) {
    EXPECT_THAT(refusal_of("fold-everything"),
                AllOf(HasSubstr("'fold-everything'"), HasSubstr("does not exist"),
                      HasSubstr("optional passes: merge-guard-chains")));
}

TEST(GangSkip, RefusesAMandatoryPass) {
    EXPECT_THAT(refusal_of("mem2reg"), AllOf(HasSubstr("'mem2reg'"), HasSubstr("is mandatory"),
                                             HasSubstr("optional passes: merge-guard-chains")));
}

TEST(GangVerify, NamesThePassThatLeftAFunctionMalformed) {
    llvm::LLVMContext context;
    llvm::Module module("", context);
    auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(context), false);
    auto* function = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, "k", module);
    llvm::BasicBlock::Create(context, "without a terminator", function);
    try {
        gang::verify(*function, "few-lanes", "scale");
        FAIL() << "accepted";
    } catch (const CompileError& error) {
        EXPECT_THAT(error.what(), AllOf(HasSubstr("'few-lanes'"), HasSubstr("'scale'"),
                                        HasSubstr("WARPWISE_SKIP_PASS=few-lanes")));
    }
}

}  // namespace
}  // namespace warpwise::cpu_compiler::test
