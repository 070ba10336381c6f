// Trees in shared memory and the like: levels under `if (t < d)` run few of a gang's vectors, and
// the code must cost the others nothing. And turns, in which threads fill a tile.
#include <fmt/format.h>

#include "tests/unit/backends/cpu_compiler/lower_support.hpp"

namespace warpwise::cpu_compiler::test {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

std::string ir_of_block(std::string_view source, const char* shape, const char* skipped = "licm") {
    return text_of(compile(source, "llvm", "x86-64-v4",
                           {"--warpwise-executor=auto", fmt::format("--warpwise-block={}", shape),
                            fmt::format("--warpwise-skip-pass={}", skipped)}));
}

std::size_t count_of(std::string_view text, std::string_view part) {
    std::size_t count = 0;
    for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++count;
    return count;
}

constexpr std::string_view kElimination = R"(
    __global__ void k(const float* x, float* y) {
        __shared__ float m[16][17];
        int i = threadIdx.y, j = threadIdx.x, at = blockIdx.x * 256 + i * 16 + j;
        m[i][j] = x[at];
        __syncthreads();
        for (int step = 0; step < 15; ++step) {
            if (i > step && j == step) m[i][step] /= m[step][step];
            __syncthreads();
            if (i > step && j > step) m[i][j] -= m[i][step] * m[step][j];
            __syncthreads();
        }
        y[at] = m[i][j];
    })";

constexpr std::string_view kTreeOfPairs = R"(
    __global__ void k(const float* x, float* y) {
        __shared__ float s[256];
        int t = threadIdx.x;
        s[t] = x[blockIdx.x * 256 + t];
        for (int d = 1; d < 256; d *= 2) {
            __syncthreads();
            if (2 * d * t < 256) s[2 * d * t] += s[2 * d * t + d];
        }
        __syncthreads();
        if (t == 0) y[blockIdx.x] = s[0];
    })";

constexpr std::string_view kStridedLevels = R"(
    __global__ void k(const float* x, float* y, int levels) {
        __shared__ float s[1024];
        int t = threadIdx.x;
        s[3 * t] = x[blockIdx.x * 256 + t];
        for (int d = 1 << levels; d > 0; d >>= 1) {
            __syncthreads();
            if (t < d) s[3 * t] += s[3 * (t + d)];
        }
        __syncthreads();
        y[blockIdx.x * 256 + t] = s[3 * t];
    })";

TEST(GangLevels, OfAKnownBlockHaveNoMaskThatIsComputed) {
    EXPECT_THAT(ir_of_block(kElimination, "16,16,1"), Not(HasSubstr("icmp ult <16 x i32>")));
    EXPECT_THAT(ir_of_block(kElimination, "16,16,1", "unroll-levels"),
                HasSubstr("icmp ult <16 x i32>"));
}

// Rows 1 to 15 in the first step, 2 to 15 in the second ...
TEST(GangLevels, OfAKnownBlockRunNoVectorWithoutALane) {
    EXPECT_EQ(count_of(ir_of_block(kElimination, "16,16,1"), "call <16 x float> @llvm.fma"), 120);
}

TEST(GangLevels, StayALoopWhereTheBlockIsNotOneGang) {
    EXPECT_LE(count_of(ir_of_block(kElimination, "16,32,1"), "call <16 x float> @llvm.fma"), 16);
}

constexpr std::string_view kTransform = R"(
    __global__ void k(const float* x, float* y) {
        __shared__ float s[1024];
        int t = threadIdx.x;
        s[t] = x[blockIdx.x * 1024 + t];
        s[t + 512] = x[blockIdx.x * 1024 + t + 512];
        for (int half = 1; half < 1024; half *= 2) {
            __syncthreads();
            int k = t & (half - 1), a = 2 * t - k;
            float u = s[a], v = s[a + half];
            s[a] = u + v;
            s[a + half] = u - v;
        }
        __syncthreads();
        y[blockIdx.x * 1024 + t] = s[t];
        y[blockIdx.x * 1024 + t + 512] = s[t + 512];
    })";

TEST(GangLevels, OfSeveralGangsAreNumbersWhereTheyMoveLanesApart) {
    EXPECT_GT(count_of(ir_of_block(kTransform, "512,1,1"), "fsub <16 x float>"), 16);
    EXPECT_LE(count_of(ir_of_block(kTransform, "512,1,1", "unroll-levels"), "fsub <16 x float>"),
              16);
}

// The distance is a number once the levels before it are, on either side of a product. Without
// gathers, accesses at distances that are not known are loops over lanes.
TEST(GangLevels, KnowTheDistanceThatAnotherLoopHasLeft) {
    const std::string ir = text_of(
        compile(R"(
        __global__ void k(const int* x, int* y) {
            __shared__ int s[512];
            int t = threadIdx.x, offset = 1;
            s[t] = x[t];
            for (int d = 128; d > 0; d >>= 1) {
                __syncthreads();
                if (t < d) s[offset * (2 * t + 2) - 1] += s[offset * (2 * t + 1) - 1];
                offset *= 2;
            }
            for (int d = 1; d < 256; d *= 2) {
                offset >>= 1;
                __syncthreads();
                if (t < d) s[offset * (2 * t + 1) - 1] += s[offset * (2 * t + 2) - 1];
            }
            __syncthreads();
            y[t] = s[t];
        })",
                "llvm", "x86-64-v3", {"--warpwise-executor=auto", "--warpwise-block=256,1,1"}));
    EXPECT_THAT(ir, Not(ContainsRegex("\nlane[0-9]*:")));
}

TEST(GangLevels, WithDistancesOfLessThanAVectorAreShuffles) {
    EXPECT_THAT(ir_of_block(kTransform, "512,1,1"),
                HasSubstr("<i32 0, i32 1, i32 4, i32 5, i32 8, i32 9, i32 12, i32 13,"));
}

// Known lanes of a vector, as many as a level has.
TEST(GangLevels, FarApartAreAccessedLaneByLaneWhereGathersAreSlow) {
    for (const char* target : {"x86-64-v4", "x86-64-v4,-fast-gather"}) {
        const std::string ir =
            text_of(compile(kTreeOfPairs, "llvm", target,
                            {"--warpwise-executor=auto", "--warpwise-block=256,1,1"}));
        const bool is_slow = std::string_view(target).ends_with("gather");
        EXPECT_EQ(count_of(ir, "@llvm.masked.scatter") == 0, is_slow) << target;
        EXPECT_EQ(count_of(ir, "@llvm.masked.gather") == 0, is_slow) << target;
    }
}

TEST(GangPatterns, ThatReachTooFarStayGathers) {
    const std::string ir = ir_of_block(R"(
        __global__ void k(const float* x, float* y) {
            y[threadIdx.x] = x[(threadIdx.x ^ 1) * 4096];
        })",
                                       "256,1,1");
    EXPECT_THAT(ir, HasSubstr("@llvm.masked.gather"));
    EXPECT_EQ(count_of(ir, "load <16 x float>"), 0);
}

TEST(GangLevels, BranchAroundEachVectorWithSlowAccesses) {
    const std::string ir = ir_of_block(kStridedLevels, "256,1,1");
    EXPECT_GE(count_of(ir, "\npiece"), 16);
}

TEST(GangLevels, KeepNeighbouringAccessesWithoutABranch) {
    const std::string ir = text_of(compile(R"(
        __global__ void k(const float* x, float* y, int m) {
            if (threadIdx.x < m) y[threadIdx.x] = x[threadIdx.x];
        })",
                                           "llvm", "x86-64-v4", {"--warpwise-executor=gang"}));
    EXPECT_THAT(ir, Not(HasSubstr("\npiece")));
}

// Loads of one vector serve others, which they could not from behind their branches.
TEST(GangLevels, KeepWhatAllLanesRunTogether) {
    const std::string ir = ir_of_block(R"(
        __global__ void k(const float* x, float* y, int rounds) {
            __shared__ float s[1024];
            s[3 * threadIdx.x] = x[threadIdx.x];
            __syncthreads();
            for (int i = 0; i < rounds; ++i) y[5 * threadIdx.x + i] = s[3 * threadIdx.x + i];
        })",
                                       "256,1,1");
    EXPECT_THAT(ir, Not(HasSubstr("\npiece")));
}

constexpr std::string_view kTile = R"(
    __global__ void k(const float* x, float* y, int w) {
        __shared__ float s[18][18];
        int t = threadIdx.y * 16 + threadIdx.x, x0 = blockIdx.x * 16, y0 = blockIdx.y * 16;
        for (int k = t; k < 324; k += 256) s[k / 18][k % 18] = x[(y0 + k / 18) * w + x0 + k % 18];
        __syncthreads();
        y[blockIdx.x * 256 + t] = s[threadIdx.y][threadIdx.x] + s[threadIdx.y + 2][threadIdx.x + 2];
    })";

// Turns of a loop, not levels: which lanes fill which element of a tile is a number.
TEST(GangTurns, OfATileDivideNothing) {
    EXPECT_THAT(ir_of_block(kTile, "16,16,1"), Not(HasSubstr("urem")));
    EXPECT_THAT(ir_of_block(kTile, "16,16,1", "unroll-turns"), HasSubstr("urem"));
}

// Twenty vectors and a quarter, and twelve ends of rows within them.
TEST(GangTurns, OfATileReadEachRowWhole) {
    const std::string ir = ir_of_block(kTile, "16,16,1");
    EXPECT_EQ(count_of(ir, "@llvm.masked.load.v16f32.p0(ptr"), 32);
    EXPECT_EQ(count_of(ir, "extractelement"), 0);
}

// By bounds that are tested once for all vectors, without a look at lanes.
TEST(GangTurns, OfATileAreAskedForItsBounds) {
    const std::string ir = ir_of_block(R"(
        __global__ void k(const unsigned char* x, int* y, int w, int h) {
            __shared__ int s[20][20];
            int t = threadIdx.y * 16 + threadIdx.x, x0 = blockIdx.x * 16 - 2;
            for (int k = t; k < 400; k += 256) {
                int at = min(max(x0 + k % 20, 0), w - 1);
                s[k / 20][k % 20] = x[min((int)blockIdx.y * 16 + k / 20, h - 1) * w + at];
            }
            __syncthreads();
            y[blockIdx.x * 256 + t] = s[threadIdx.y + 2][threadIdx.x + 1];
        })",
                                       "16,16,1");
    EXPECT_THAT(ir, HasSubstr("@llvm.masked.load.v16i8"));
}

// The turn behind the last one is no way out of the loop around.
TEST(GangTurns, OfAnotherLoopEndWithIt) {
    const std::string ir = ir_of_block(R"(
        __global__ void k(int* y, int rounds) {
            __shared__ int s[2][130];
            int t = threadIdx.x;
            for (int k = 0; k < rounds; ++k) {
                __syncthreads();
                for (int i = t; i <= 128; i += 128) {
                    int j = k - i;
                    if (j < 0 || j > 128) continue;
                    s[k & 1][i] = i == 0 ? j : s[(k + 1) & 1][i - 1] + 1;
                }
            }
            __syncthreads();
            y[blockIdx.x * 128 + t] = s[0][t];
        })",
                                       "128,1,1");
    EXPECT_THAT(ir, HasSubstr("<16 x i32>"));
}

TEST(GangTurns, StayALoopWhereTheyAreMany) {
    EXPECT_THAT(ir_of_block(R"(
        __global__ void k(const float* x, float* y, int w) {
            __shared__ float s[90][10];
            for (int k = threadIdx.x; k < 900; k += 64) s[k / 10][k % 10] = x[k / 10 * w + k % 10];
            __syncthreads();
            y[threadIdx.x] = s[threadIdx.x][1];
        })",
                            "64,1,1"),
                HasSubstr("urem"));
}

}  // namespace
}  // namespace warpwise::cpu_compiler::test
