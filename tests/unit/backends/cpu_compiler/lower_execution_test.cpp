// Compiled kernels run: each language feature against the same computation on the host.
#include <bit>
#include <cmath>
#include <limits>
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
class LowerLevels : public testing::TestWithParam<const char*> {
  protected:
    void SetUp() override {
        const bool needs_more = std::string_view(GetParam()) == "x86-64-v4";
        if (needs_more && !__builtin_cpu_supports("avx512dq")) GTEST_SKIP() << "no AVX-512 here";
    }
};

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

// Indices of which some vectors lie across the end of a row, the middle of the numbers, or their
// end.
TEST_P(LowerLevels, DivideIndicesWithRemainders) {
    Loaded module(R"(
        __global__ void k(long long first, unsigned* of_unsigned, int* of_int, long long* of_long) {
            unsigned u = (unsigned)first + threadIdx.x;
            int i = (int)u;
            long long l = first + threadIdx.x;
            of_unsigned[threadIdx.x] = u / 20 * 32 + u % 20;
            of_int[threadIdx.x] = i % 34 - i / 34;
            of_long[threadIdx.x] = l / 20 * 32 + l % 20;
        })",
                  GetParam());
    constexpr unsigned kThreads = 100;
    for (std::int64_t first : {0L, 7L, (1L << 31) - 50, (1L << 32) - 50, -50L}) {
        std::vector<std::uint32_t> of_unsigned(kThreads);
        std::vector<std::int32_t> of_int(kThreads);
        std::vector<std::int64_t> of_long(kThreads);
        module.run("k", {1, 1, 1}, {kThreads, 1, 1}, first, of_unsigned.data(), of_int.data(),
                   of_long.data());
        for (unsigned i = 0; i < kThreads; ++i) {
            const auto u = static_cast<std::uint32_t>(first + i);
            const auto s = static_cast<std::int32_t>(u);
            const std::int64_t l = first + i;
            EXPECT_EQ(of_unsigned[i], u / 20 * 32 + u % 20) << u;
            EXPECT_EQ(of_int[i], s % 34 - s / 34) << s;
            EXPECT_EQ(of_long[i], l / 20 * 32 + l % 20) << l;
        }
    }
}

// The last turn of some warps has lanes of some, and some warps have no turn.
TEST_P(LowerLevels, ScanRowsByShufflesInLoops) {
    Loaded module(R"(
        __global__ void k(const int* x, int* out, long long rows, long long columns) {
            const int row = threadIdx.x / 32, lane = threadIdx.x % 32;
            if (row >= rows) return;
            int carry = 0;
            for (int c = lane; c < (int)columns; c += 32) {
                const unsigned mask = __activemask();
                int v = x[row * columns + c];
                for (int d = 1; d < 32; d *= 2) {
                    const int other = __shfl_up_sync(mask, v, d);
                    if (lane >= d) v += other;
                }
                out[row * columns + c] = v + carry;
                carry += __shfl_sync(mask, v, 31);
            }
        })",
                  GetParam());
    for (std::int64_t columns : {31, 64, 77, 160}) {
        constexpr std::int64_t kRows = 3;
        std::vector<std::int32_t> x(kRows * columns), out(x.size());
        std::iota(x.begin(), x.end(), 5);
        module.run("k", {1, 1, 1}, {128, 1, 1}, x.data(), out.data(), kRows, columns);
        for (std::int64_t row = 0; row < kRows; ++row) {
            std::int32_t sum = 0;
            for (std::int64_t c = 0; c < columns; ++c) {
                sum += x[row * columns + c];
                EXPECT_EQ(out[row * columns + c], sum) << row << ", " << c << " of " << columns;
            }
        }
    }
}

// Rows as long as the divisor, and others; indices from the end of the row before, too.
TEST_P(LowerLevels, FindElementsByQuotientsAndRemainders) {
    Loaded module(R"(
        template <int N> using Rows = const int (*)[N];
        __global__ void k(const int* x, int* of_three, int* of_int, int* of_bits, int* of_others) {
            const int i = threadIdx.x, s = i - 30;
            const unsigned u = threadIdx.x;
            of_three[i] = ((const int (*)[3][4])x)[u / 12][u / 4 % 3][u % 4];
            of_int[i] = ((Rows<20>)(x + 30))[s / 20][s % 20];
            of_bits[i] = ((Rows<16>)(x + 32))[(i - 32) >> 4][i & 15];
            of_others[i] = ((Rows<21>)x)[u / 20][u % 20];
        })",
                  GetParam());
    constexpr int kThreads = 100;
    std::vector<std::int32_t> x(200), of_three(kThreads), of_int(kThreads), of_bits(kThreads),
        of_others(kThreads);
    std::iota(x.begin(), x.end(), 0);
    module.run("k", {1, 1, 1}, {kThreads, 1, 1}, x.data(), of_three.data(), of_int.data(),
               of_bits.data(), of_others.data());
    for (int i = 0; i < kThreads; ++i) {
        EXPECT_EQ(of_three[i], i);
        EXPECT_EQ(of_int[i], i);
        EXPECT_EQ(of_bits[i], i);
        EXPECT_EQ(of_others[i], i + i / 20);
    }
}

float from_bits(std::uint32_t bits) {
    return std::bit_cast<float>(bits);
}

// Of a NaN of either kind and a number the number, of zeros that of the sign: in vectors, and in
// the accumulators of a loop, which are no NaNs.
TEST_P(LowerLevels, TakeNumbersBeforeNansAndOrderZerosInMinima) {
    Loaded module(R"(
        __global__ void k(const float* x, const float* y, float* least, float* most, double* wide) {
            int i = threadIdx.x;
            least[i] = fminf(x[i], y[i]);
            most[i] = fmaxf(x[i], y[i]);
            wide[i] = fmax((double)x[i], (double)y[i]);
        }
        __global__ void of_all(const float* x, const float* y, float* least, float* most) {
            float low = INFINITY, high = -INFINITY;
            for (int k = 0; k < 2; ++k) {
                float value = k ? y[threadIdx.x] : x[threadIdx.x];
                low = fminf(low, value);
                high = fmaxf(value, high);
            }
            least[threadIdx.x] = low;
            most[threadIdx.x] = high;
        })",
                  GetParam());
    const std::vector<float> values = {0.0f,
                                       -0.0f,
                                       1.0f,
                                       -2.5f,
                                       from_bits(1),
                                       from_bits(0x80000001),
                                       std::numeric_limits<float>::infinity(),
                                       from_bits(0x7fc00001),
                                       from_bits(0xffa00001)};
    std::vector<float> x, y;
    for (float a : values) {
        for (float b : values) {
            x.push_back(a);
            y.push_back(b);
        }
    }
    const auto threads = static_cast<unsigned>(x.size());
    const auto chosen = [](float a, float b, bool is_max) {
        if (std::isnan(a)) return b;
        if (std::isnan(b)) return a;
        if (a == b) return std::signbit(a) == is_max ? b : a;
        return (a < b) == is_max ? b : a;
    };
    const auto is_same = [](double a, double b) {
        return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
    };
    std::vector<float> least(threads), most(threads), low(threads), high(threads);
    std::vector<double> wide(threads);
    module.run("k", {1, 1, 1}, {threads, 1, 1}, x.data(), y.data(), least.data(), most.data(),
               wide.data());
    module.run("of_all", {1, 1, 1}, {threads, 1, 1}, x.data(), y.data(), low.data(), high.data());
    for (unsigned i = 0; i < threads; ++i) {
        const float smaller = chosen(x[i], y[i], false), larger = chosen(x[i], y[i], true);
        EXPECT_TRUE(is_same(least[i], smaller)) << x[i] << " and " << y[i] << ": " << least[i];
        EXPECT_TRUE(is_same(most[i], larger)) << x[i] << " and " << y[i] << ": " << most[i];
        EXPECT_TRUE(is_same(wide[i], larger)) << x[i] << " and " << y[i] << ": " << wide[i];
        if (std::isnan(smaller)) continue;  // then an accumulator keeps what it began with
        EXPECT_TRUE(is_same(low[i], smaller)) << x[i] << " and " << y[i] << ": " << low[i];
        EXPECT_TRUE(is_same(high[i], larger)) << x[i] << " and " << y[i] << ": " << high[i];
    }
}

INSTANTIATE_TEST_SUITE_P(Levels, LowerLevels,
                         testing::Values("x86-64-v2", "x86-64-v3", "x86-64-v4"));

}  // namespace
}  // namespace warpwise::cpu_compiler::test
