// Minima and maxima of floats in gangs: how many instructions they are.
#include "tests/unit/backends/cpu_compiler/lower_support.hpp"

namespace warpwise::cpu_compiler::test {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string gang_ir(std::string_view source) {
    return text_of(compile(source, "llvm", "x86-64-v3", {"--warpwise-executor=gang"}));
}

// One instruction of AVX-512, and one that makes signalling NaNs quiet for each operand that was
// loaded.
TEST(GangMinima, AreOneInstructionOfArithmetic) {
    const auto ir = [](const char* what) {
        const std::string source =
            "__global__ void k(const float* x, float* z) { float a = x[threadIdx.x], b = "
            "z[threadIdx.x];"
            " z[threadIdx.x] = " +
            std::string(what) + "; }";
        return text_of(compile(source, "llvm", "x86-64-v4",
                               {"--warpwise-executor=gang", "--warpwise-tier=quick"}));
    };
    constexpr const char* kMinimum = "call <16 x float> @llvm.x86.avx512.mask.range.ps.512";
    EXPECT_EQ(count(ir("fmaxf(a * 3, b + 1)"), kMinimum), 1);
    EXPECT_EQ(count(ir("fmaxf(a * 3, b)"), kMinimum), 2);
    EXPECT_EQ(count(ir("fminf(fmaxf(a, b), a)"), kMinimum), 4);
    EXPECT_EQ(count(ir("fmaxf(a, 0.0f)"), kMinimum), 0);
}

// What began as a number stays one: no comparison with itself, which LLVM's maxnum would have.
TEST(GangMinima, OfALoopAskForNoNanOfTheAccumulator) {
    const std::string ir = gang_ir(R"(
        __global__ void k(const float* x, float* z, int n) {
            float most = -1;
            for (int j = 0; j < n; ++j) most = fmaxf(most, x[j * n + threadIdx.x]);
            z[threadIdx.x] = most;
        })");
    EXPECT_THAT(ir, Not(HasSubstr("@llvm.maxnum")));
    EXPECT_THAT(gang_ir("__global__ void k(const float* x, float* z) {"
                        "z[threadIdx.x] = fmaxf(x[threadIdx.x], z[threadIdx.x]); }"),
                HasSubstr("@llvm.maxnum"));
}

}  // namespace
}  // namespace warpwise::cpu_compiler::test
