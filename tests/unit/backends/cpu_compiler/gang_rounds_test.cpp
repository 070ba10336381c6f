// Executor gang: grid-stride loops whose iterations share nothing but the index are run round by
// round.
#include <fmt/format.h>

#include "tests/unit/backends/cpu_compiler/lower_support.hpp"

namespace warpwise::cpu_compiler::test {
namespace {

bool runs_rounds(std::string_view body, const char* option = "--std=c++17") {
    const std::string source = fmt::format(
        "__global__ void k(float* x, int* count, int n) {{ __shared__ float part[256]; {} }}",
        body);
    const auto program = compile(source, "object", "x86-64-v4",
                                 {"--warpwise-executor=auto", "--warpwise-block=256,1,1", option});
    return (record(program, "k").flags & cpu::kKernelRunsRounds) != 0;
}

#define GRID_STRIDE \
    "for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)"

TEST(GangRounds, AreThoseOfAGridStrideLoop) {
    EXPECT_TRUE(runs_rounds(GRID_STRIDE " x[i] *= 2;"));
    EXPECT_TRUE(
        runs_rounds("for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n;"
                    "     i += gridDim.x * blockDim.x) x[i] *= 2;"));
}

TEST(GangRounds, MayBeLeftOut) {
    EXPECT_FALSE(runs_rounds(GRID_STRIDE " x[i] *= 2;", "--warpwise-skip-pass=split-rounds"));
}

std::string ir_of_elements(const char* type, const char* option = "--std=c++17") {
    const std::string source = fmt::format(
        R"(#include <cuda_fp16.h>
        extern "C" __global__ void k(const {0}* x, {0}* y, float a, int n) {{
            for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {{
                {0} v = x[i];
                v.x = (float)v.x * a;
                v.y = (float)v.y * a;
                y[i] = v;
            }}
        }})",
        type);
    return text_of(compile(source, "llvm", "x86-64-v4",
                           {"--warpwise-executor=auto", "--warpwise-block=256,1,1", option}));
}

// Those of a round are shared out among its threads, but for two that one shuffle gives each lane.
TEST(GangRounds, ShareOutElements) {
    constexpr const char* kAlone = "--warpwise-skip-pass=regroup-elements";
    EXPECT_NE(ir_of_elements("__half2"), ir_of_elements("__half2", kAlone));
    EXPECT_NE(ir_of_elements("double2"), ir_of_elements("double2", kAlone));
    EXPECT_EQ(ir_of_elements("float2"), ir_of_elements("float2", kAlone));
}

class GangRoundsRefused : public testing::TestWithParam<const char*> {};

TEST_P(GangRoundsRefused, WhereIterationsShareMore) {
    EXPECT_FALSE(runs_rounds(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(
    Loops, GangRoundsRefused,
    testing::Values("float sum = 0; " GRID_STRIDE " sum += x[i]; x[threadIdx.x] = sum;",
                    GRID_STRIDE " atomicAdd(count, 1);",
                    GRID_STRIDE " { part[threadIdx.x] += x[i]; x[i] = part[threadIdx.x]; }",
                    GRID_STRIDE " if (x[i] > 3) break;",
                    GRID_STRIDE " { x[i] = 1; __syncthreads(); }",
                    "float first = x[0]; " GRID_STRIDE " x[i] = first;",
                    "count[threadIdx.x] = 3; " GRID_STRIDE " x[i] = count[i];"));

}  // namespace
}  // namespace warpwise::cpu_compiler::test
