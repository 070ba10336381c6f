// Compiled kernels run: each language feature against the same computation on the host.
#include <numeric>

#include "tests/unit/backends/cpu_compiler/lower_support.hpp"

namespace warpwise::cpu_compiler::test {
namespace {

TEST(LowerExecution, IndicesOfThreeDimensions) {
    Loaded module(R"(
        __global__ void k(unsigned* x) {
            unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
            unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
            unsigned i = thread + blockDim.x * blockDim.y * blockDim.z * block;
            x[i] = i + 1;
        })");
    std::vector<unsigned> x(2 * 3 * 4 * 5 * 6 * 2), expected(x.size());
    std::iota(expected.begin(), expected.end(), 1u);
    module.run("k", {2, 3, 4}, {5, 6, 2}, x.data());
    EXPECT_EQ(x, expected);
}

TEST(LowerExecution, TreeSumInSharedMemory) {
    Loaded module(R"(
        __global__ void k(const int* x, int* sum) {
            __shared__ int s[256];
            int t = threadIdx.x;
            s[t] = x[t];
            __syncthreads();
            for (int half = blockDim.x / 2; half > 0; half /= 2) {
                if (t < half) s[t] += s[t + half];
                __syncthreads();
            }
            if (t == 0) *sum = s[0];
        })");
    std::vector<int> x(256);
    std::iota(x.begin(), x.end(), 0);
    int sum = 0;
    module.run("k", {1, 1, 1}, {256, 1, 1}, x.data(), &sum);
    EXPECT_EQ(sum, 256 * 255 / 2);
}

TEST(LowerExecution, SharedHistogram) {
    Loaded module(R"(
        __global__ void k(const unsigned char* x, unsigned* bins, long long n) {
            __shared__ unsigned s[16];
            if (threadIdx.x < 16) s[threadIdx.x] = 0;
            __syncthreads();
            for (long long i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
                 i += gridDim.x * blockDim.x) atomicAdd(&s[x[i] & 15], 1u);
            __syncthreads();
            if (threadIdx.x < 16) atomicAdd(&bins[threadIdx.x], s[threadIdx.x]);
        })");
    std::vector<unsigned char> x(10'000);
    std::vector<unsigned> bins(16), expected(16);
    for (std::size_t i = 0; i < x.size(); ++i) ++expected[(x[i] = i * 37 >> 3) & 15];
    module.run("k", {7, 1, 1}, {96, 1, 1}, x.data(), bins.data(), 10'000LL);
    EXPECT_EQ(bins, expected);
}

TEST(LowerExecution, ButterflyShuffleThroughClangsBuiltins) {
    Loaded module(R"(
        __global__ void k(int* x) {
            int v = x[threadIdx.x];
            for (int lane = 16; lane > 0; lane /= 2) v += __nvvm_shfl_sync_bfly_i32(~0u, v, lane, 31);
            x[threadIdx.x] = v + __nvvm_vote_any_sync(~0u, threadIdx.x == 3)
                               + __nvvm_vote_all_sync(~0u, threadIdx.x == 3);
        })");
    std::vector<int> x(64, 1);
    module.run("k", {1, 1, 1}, {64, 1, 1}, x.data());
    for (int i = 0; i < 64; ++i) EXPECT_EQ(x[i], i < 32 ? 33 : 32);
}

TEST(LowerExecution, SpecialRegistersThroughInlinePtx) {
    Loaded module(R"(
        __global__ void k(unsigned* x) {
            unsigned lane, below, width;
            asm("mov.u32 %0, %%laneid;" : "=r"(lane));
            asm volatile("mov.u32 %0, %%lanemask_lt;" : "=r"(below));
            asm("mov.u32 %0, %%ntid.x;" : "=r"(width));
            asm volatile("membar.gl;" ::: "memory");
            asm volatile("bar.sync 0;");
            x[threadIdx.x] = lane + __popc(below) * 100 + width * 10000;
        })");
    std::vector<unsigned> x(40);
    module.run("k", {1, 1, 1}, {40, 1, 1}, x.data());
    for (unsigned i = 0; i < 40; ++i) EXPECT_EQ(x[i], 400'000 + i % 32 * 101);
}

TEST(LowerExecution, ThreadsOfABlockWaitForEachOther) {
    Loaded module(R"(
        __global__ void k(volatile int* flag, int* x) {
            if (threadIdx.x == 0) { while (*flag == 0) {} *x = 1; }
            else if (threadIdx.x == 5) *flag = 1;
        })");
    int flag = 0, x = 0;
    module.run("k", {1, 1, 1}, {8, 1, 1}, &flag, &x);
    EXPECT_EQ(x, 1);
}

TEST(LowerExecution, LocksProtectWhatTheyGuard) {
    Loaded module(R"(
        __device__ int lock;
        __global__ void k(int* x) {
            bool done = false;
            while (!done) {
                if (atomicCAS(&lock, 0, 1) == 0) {
                    *x += 1; __threadfence(); atomicExch(&lock, 0); done = true;
                }
            }
        })");
    int x = 0;
    module.run("k", {16, 1, 1}, {64, 1, 1}, &x);
    EXPECT_EQ(x, 1024);
}

TEST(LowerExecution, VirtualFunctionsRecursionAndTheHeap) {
    Loaded module(R"(
        struct Shape {
            __device__ Shape();  // out of line: its table of functions must exist
            __device__ virtual int area() const = 0;
        };
        __device__ __noinline__ Shape::Shape() {}
        struct Square : Shape {
            int side;
            __device__ Square(int s) : side(s) {}
            __device__ int area() const override { return side * side; }
        };
        struct Strip : Shape { __device__ int area() const override { return threadIdx.x; } };
        __device__ int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
        __global__ void k(int* x) {
            Strip strip;
            Shape* shape = new Square(threadIdx.x);
            const Shape* pick = x[threadIdx.x] ? shape : &strip;
            x[threadIdx.x] = pick->area() + fib(threadIdx.x);
            delete shape;
        })");
    std::vector<int> x = {1, 0, 1, 0, 1, 0, 1, 0};
    module.run("k", {1, 1, 1}, {8, 1, 1}, x.data());
    EXPECT_THAT(x, testing::ElementsAre(0, 2, 5, 5, 19, 10, 44, 20));
}

TEST(LowerExecution, EarlyReturnBeforeABarrier) {
    Loaded module(R"(
        __global__ void k(int* x, long long n) {
            __shared__ int s[64];
            if (threadIdx.x >= n) return;
            s[threadIdx.x] = x[threadIdx.x];
            __syncthreads();
            x[threadIdx.x] = s[n - 1 - threadIdx.x];
        })");
    std::vector<int> x(64);
    std::iota(x.begin(), x.end(), 0);
    module.run("k", {1, 1, 1}, {64, 1, 1}, x.data(), 50LL);
    for (int i = 0; i < 64; ++i) EXPECT_EQ(x[i], i < 50 ? 49 - i : i);
}

TEST(LowerExecution, SharedAddressesAreKnownAsSuch) {
    Loaded module(R"(
        __global__ void k(int* x) {
            __shared__ int s[4];
            s[threadIdx.x] = 7;
            int* p = x[threadIdx.x] ? s : x;
            x[threadIdx.x] = __isShared(p) * 10 + __isGlobal(p);
        })");
    int x[] = {0, 1, 1, 0};
    module.run("k", {1, 1, 1}, {4, 1, 1}, x + 0);
    EXPECT_THAT(x, testing::ElementsAre(1, 10, 10, 1));
}

// A dispatcher over all levels that this host can run: each must give the same bits.
class LowerLevels : public testing::TestWithParam<const char*> {};

TEST_P(LowerLevels, GiveTheSameBits) {
    constexpr std::string_view source = R"(
        __global__ void k(float* x, double* y) {
            int i = threadIdx.x;
            x[i] = x[i] * 1.1f + sqrtf(x[i]) / 3.0f - floorf(x[i]);
            y[i] = fma(y[i], 1e-3, y[i]) + fmod(y[i], 0.7) + ceil(y[i]);
        })";
    Loaded reference(source, "x86-64"), module(source, GetParam());
    std::vector<float> x(64), x_expected;
    std::vector<double> y(64), y_expected;
    std::iota(x.begin(), x.end(), 0.3f);
    std::iota(y.begin(), y.end(), 0.7);
    x_expected = x;
    y_expected = y;
    reference.run("k", {1, 1, 1}, {64, 1, 1}, x_expected.data(), y_expected.data());
    module.run("k", {1, 1, 1}, {64, 1, 1}, x.data(), y.data());
    EXPECT_EQ(x, x_expected);
    EXPECT_EQ(y, y_expected);
}

// (1 + u) * 1.5 lies in the middle between two numbers: the addend, too small for any wider type
// beside it, decides.
TEST_P(LowerLevels, RoundTheFusedMultiplyAddOf16BitsOnce) {
    Loaded module(R"(
        __global__ void k(const unsigned short* c, unsigned short* half, unsigned short* bfloat) {
            int i = threadIdx.x;
            asm("fma.rn.f16 %0, %1, %2, %3;"
                : "=h"(half[i]) : "h"((unsigned short)0x3c01), "h"((unsigned short)0x3e00), "h"(c[i]));
            asm("fma.rn.bf16 %0, %1, %2, %3;"
                : "=h"(bfloat[i]) : "h"((unsigned short)0x3f81), "h"((unsigned short)0x3fc0), "h"(c[i]));
        })",
                  GetParam());
    const std::vector<std::uint16_t> addend = {0x0001, 0x8001, 0x0000};
    std::vector<std::uint16_t> half(3), bfloat(3);
    module.run("k", {1, 1, 1}, {3, 1, 1}, addend.data(), half.data(), bfloat.data());
    EXPECT_THAT(half, testing::ElementsAre(0x3e02, 0x3e01, 0x3e02));
    EXPECT_THAT(bfloat, testing::ElementsAre(0x3fc2, 0x3fc1, 0x3fc2));
}

INSTANTIATE_TEST_SUITE_P(Levels, LowerLevels, testing::Values("x86-64-v2", "x86-64-v3"));

}  // namespace
}  // namespace warpwise::cpu_compiler::test
