// What every executor starts from: defined division, one decision on contraction, `convergent` only
// barriers and warp operations.
#include "tests/unit/backends/cpu_compiler/lower_support.hpp"

namespace warpwise::cpu_compiler::test {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(LowerPrefix, FusesAProductWithOneUse) {
    const std::string ir = ir_of(R"(
        __global__ void k(float* x) { x[0] = x[1] * x[2] + x[3]; })");
    EXPECT_EQ(count(ir, "call float @llvm.fma.f32"), 1u);
    EXPECT_THAT(ir, Not(HasSubstr("fmul")));
}

TEST(LowerPrefix, FusesADifference) {
    const std::string ir = ir_of(R"(
        __global__ void k(double* x) { x[0] = x[1] * x[2] - x[3]; x[4] = x[3] - x[1] * x[5]; })");
    EXPECT_EQ(count(ir, "call double @llvm.fma.f64"), 2u);
}

TEST(LowerPrefix, FusesAProductIntoAllItsSums) {
    const std::string ir = ir_of(R"(
        __global__ void k(float* x) { float p = x[1] * x[2]; x[0] = p + x[3]; x[5] = p - x[4]; })");
    EXPECT_EQ(count(ir, "call float @llvm.fma.f32"), 2u);
    EXPECT_THAT(ir, Not(HasSubstr("fmul")));
}

TEST(LowerPrefix, KeepsAProductThatIsUsedByItself) {
    const std::string ir = ir_of(R"(
        __global__ void k(float* x) { float p = x[1] * x[2]; x[0] = p; x[3] = p + x[4]; })");
    EXPECT_THAT(ir, Not(HasSubstr("llvm.fma")));
}

TEST(LowerPrefix, KeepsRoundedOperationsApart) {
    const std::string ir = ir_of(R"(
        __global__ void k(float* x) { x[0] = __fadd_rn(__fmul_rn(x[1], x[2]), x[3]); })");
    EXPECT_THAT(ir, Not(HasSubstr("llvm.fma")));
}

TEST(LowerPrefix, KeepsProductsApartWithoutContraction) {
    const std::string ir =
        ir_of("__global__ void k(float* x) { x[0] = x[1] * x[2] + x[3]; }", {"--fmad=false"});
    EXPECT_THAT(ir, Not(HasSubstr("llvm.fma")));
}

TEST(LowerPrefix, LeavesNothingToContractLater) {
    const std::string ir = ir_of(R"(
        __global__ void k(float* x) { float p = x[1] * x[2]; x[0] = p + x[3]; x[4] = p * p; })");
    EXPECT_THAT(ir, Not(HasSubstr("contract")));
}

TEST(LowerPrefix, MarksOnlyBarriersAndWarpOperationsConvergent) {
    const std::string ir = ir_of(R"(
        __device__ __noinline__ float square(float x) { return x * x; }
        __global__ void k(float* x) { x[0] = square(x[1]); })");
    EXPECT_THAT(ir, Not(HasSubstr("convergent")));
}

TEST(LowerPrefix, KeepsCallersOfBarriersConvergent) {
    const std::string ir = ir_of(R"(
        __device__ __noinline__ void meet() { __syncthreads(); }
        __global__ void k() { meet(); })");
    EXPECT_THAT(ir, HasSubstr("convergent"));
}

TEST(LowerPrefix, InlinesDeviceFunctions) {
    const std::string ir = ir_of(R"(
        __device__ float a(float x) { return x + 1; }
        __device__ float b(float x) { return a(x) * a(x); }
        __global__ void k(float* x) { x[0] = b(x[0]); })");
    EXPECT_EQ(count(ir, "\ndefine "), 1u);
}

TEST(LowerPrefix, KeepsRecursionAndNoinlineCalls) {
    const std::string ir = ir_of(R"(
        __device__ int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
        __device__ __noinline__ int twice(int n) { return 2 * n; }
        __global__ void k(int* x) { x[0] = fib(x[0]) + twice(x[1]); })");
    EXPECT_EQ(count(ir, "\ndefine "), 3u);
}

TEST(LowerDivision, ByZeroSetsAllBits) {
    Loaded module(R"(
        __global__ void k(const int* a, const int* b, int* q, int* r) {
            int i = threadIdx.x; q[i] = a[i] / b[i]; r[i] = a[i] % b[i]; })");
    const int a[] = {0, 7, -7, 100}, b[] = {0, 0, 0, 0};
    int q[4], r[4];
    module.run("k", {1, 1, 1}, {4, 1, 1}, a + 0, b + 0, q + 0, r + 0);
    EXPECT_THAT(q, testing::Each(-1));
    EXPECT_THAT(r, testing::Each(-1));
}

TEST(LowerDivision, OfTheSmallestByMinusOneWraps) {
    Loaded module(R"(
        __global__ void k(long long* x) { x[1] = x[0] / x[2]; x[3] = x[0] % x[2]; })");
    long long x[] = {std::numeric_limits<long long>::min(), 1, -1, 1};
    module.run("k", {1, 1, 1}, {1, 1, 1}, x + 0);
    EXPECT_EQ(x[1], std::numeric_limits<long long>::min());
    EXPECT_EQ(x[3], 0);
}

TEST(LowerDivision, IsOtherwiseTheHosts) {
    Loaded module(R"(
        __global__ void k(const unsigned long long* a, const unsigned long long* b,
                          unsigned long long* q) { int i = threadIdx.x; q[i] = a[i] / b[i] ^ a[i] % b[i]; })");
    std::vector<unsigned long long> a, b, q(64);
    for (unsigned long long i = 0; i < 64; ++i) {
        a.push_back(i * 0x9e3779b97f4a7c15u);
        b.push_back((i * 0xbf58476d1ce4e5b9u >> (i % 50)) | 1u);
    }
    module.run("k", {1, 1, 1}, {64, 1, 1}, a.data(), b.data(), q.data());
    for (std::size_t i = 0; i < 64; ++i) EXPECT_EQ(q[i], (a[i] / b[i]) ^ (a[i] % b[i]));
}

TEST(LowerDivision, ByAConstantNeedsNoCheck) {
    const std::string ir = ir_of("__global__ void k(int* x) { x[0] = x[1] / 3; }");
    EXPECT_THAT(ir, Not(HasSubstr("select")));
}

}  // namespace
}  // namespace warpwise::cpu_compiler::test
