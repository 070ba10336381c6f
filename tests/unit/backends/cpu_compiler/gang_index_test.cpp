// Executor gang: indices of unsigned 32-bit arithmetic in kernels for blocks of one shape. Constant
// extents turn the product of an index into a shift or a multiplication, and the sum into a
// disjoint or; accesses must stay whole vectors.
#include <fmt/format.h>

#include <tuple>

#include "tests/unit/backends/cpu_compiler/lower_support.hpp"

namespace warpwise::cpu_compiler::test {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string ir_for_block(std::string_view body, const char* shape) {
    std::string source = fmt::format(
        "__global__ void k(const float* x, float* y, const size_t* z, unsigned n) {{ {} }}", body);
    return text_of(
        compile(source, "llvm", "x86-64-v4",
                {"--warpwise-executor=auto", fmt::format("--warpwise-block={}", shape)}));
}

// Sixteen of 64 bits would fill four registers, and their mask would be made narrower.
std::string ir_of_comparison(std::string_view index) {
    return text_of(compile(fmt::format(R"(__global__ void k(float* x, size_t n, size_t first) {{
            size_t i = {};
            if (i < n) x[i] = 1;
        }})",
                                       index),
                           "llvm", "x86-64-v3", {"--warpwise-executor=gang"}));
}

TEST(GangIndexOf64Bits, IsComparedByItsDistanceFromTheBound) {
    EXPECT_THAT(ir_of_comparison("blockIdx.x * blockDim.x + threadIdx.x"),
                Not(HasSubstr("<16 x i64>")));
}

TEST(GangIndexOf64Bits, IsComparedItselfWhereItMayWrap) {
    EXPECT_THAT(ir_of_comparison("blockIdx.x * (size_t)blockDim.x + threadIdx.x + first"),
                HasSubstr("icmp ult <16 x i64>"));
}

class GangIndex : public testing::TestWithParam<std::tuple<const char*, const char*>> {};

TEST_P(GangIndex, OfAKnownBlockIsAVectorAccess) {
    auto [shape, body] = GetParam();
    const std::string ir = ir_for_block(body, shape);
    EXPECT_THAT(ir, Not(HasSubstr("gather")));
    EXPECT_THAT(ir, Not(HasSubstr("scatter")));
}

INSTANTIATE_TEST_SUITE_P(
    Forms, GangIndex,
    testing::Combine(
        testing::Values("256,1,1", "96,1,1", "32,8,1"),
        testing::Values(
            "unsigned i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = x[i];",
            "size_t i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = x[i];",
            "unsigned i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return; y[i] = x[i];",
            "unsigned i = blockIdx.x * (2 * blockDim.x) + threadIdx.x;"
            "y[i] = x[i] + x[i + blockDim.x];",
            "for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n;"
            "     i += blockDim.x * gridDim.x) y[i] = x[i];",
            "for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n;"
            "     i += blockDim.x * gridDim.x) y[i] = x[i];")));

// Used in 64-bit arithmetic, where no test at run time could stand for a proof.
TEST(GangIndexByAlignment, IsAVectorAccess) {
    const std::string ir = ir_for_block(
        "size_t i = blockIdx.x * 512u + threadIdx.x + 256u; y[i + z[0]] = x[i + z[1]];", "256,1,1");
    EXPECT_THAT(ir, Not(HasSubstr("gather")));
    EXPECT_THAT(ir, Not(HasSubstr("scatter")));
}

// No base and steps give the values on both sides of the wrap.
TEST(GangIndexByAlignment, IsWidenedLaneByLaneWhereItMayWrapBetweenLanes) {
    const std::string ir = ir_for_block("((size_t*)y)[threadIdx.x] = threadIdx.x - 3u;", "256,1,1");
    EXPECT_THAT(ir, HasSubstr("zext <16 x i32>"));
}

// Rows of warps, of vectors, of tiles in one dimension: the lanes of a vector differ in low bits.
class GangIndexOfParts : public testing::TestWithParam<const char*> {};

TEST_P(GangIndexOfParts, IsAVectorOrScalarAccess) {
    const std::string ir = ir_for_block(GetParam(), "256,1,1");
    EXPECT_THAT(ir, Not(HasSubstr("gather")));
    EXPECT_THAT(ir, Not(HasSubstr("scatter")));
}

INSTANTIATE_TEST_SUITE_P(
    Parts, GangIndexOfParts,
    testing::Values("y[threadIdx.x] = x[threadIdx.x / 32];",
                    "y[threadIdx.x] = x[threadIdx.x >> 4];",
                    "y[threadIdx.x] = x[threadIdx.x / 32 * n + threadIdx.x % 32];",
                    "y[threadIdx.x] = x[threadIdx.x & 31];",
                    "y[threadIdx.x] = x[threadIdx.x % 48];",
                    "y[threadIdx.x ^ 64] = x[threadIdx.x ^ 32];",
                    "y[threadIdx.x] = x[2 * threadIdx.x - (threadIdx.x & 63)];",
                    "y[threadIdx.x] = x[threadIdx.x & ~15];",
                    "int i = blockIdx.x * blockDim.x + threadIdx.x; y[i] = x[i / 32 + i % 32];"));

// A gang is a warp: the row's bounds are scalars, and its loop is one that all lanes run alike.
TEST(GangIndexOfRows, IsTheSameForAWarp) {
    const std::string ir = ir_for_block(
        "int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32; float sum = 0;"
        "for (size_t j = z[row]; j < z[row + 1]; ++j) sum += x[j];"
        "y[row * 32 + threadIdx.x % 32] = __shfl_down_sync(~0u, sum, 1);",
        "256,1,1");
    EXPECT_THAT(ir, Not(HasSubstr("gather")));
    EXPECT_THAT(ir, Not(HasSubstr("load <16 x i64>")));
}

// An index that was read, in the turn before, and may count from the end: hardly any does.
std::string ir_of_wraps(std::vector<std::string> options) {
    options.insert(options.end(), {"--warpwise-executor=auto", "--warpwise-block=256,1,1"});
    return text_of(compile(R"(__global__ void k(const int* next, int* y, int n) {
            int i = blockIdx.x * 256 + threadIdx.x;
            if (i >= n) return;
            int p = i;
            while (next[p < 0 ? p + n : p] != p) p = next[p < 0 ? p + n : p];
            y[i] = p;
        })",
                           "llvm", "x86-64-v4", options));
}

TEST(GangIndexFromTheEnd, HasABlockOfItsOwnInALoop) {
    const auto block = testing::ContainsRegex("br i1 %[a-z0-9.]+, label %none[0-9]*, .*!prof");
    EXPECT_THAT(ir_of_wraps({}), block);
    EXPECT_THAT(ir_of_wraps({"--warpwise-skip-pass=split-wraps"}), Not(block));
}

TEST(GangTiles, FilledByQuotientAndRemainderNeedNoScatter) {
    const auto ir = [](const char* passes, const char* index) {
        return text_of(compile(fmt::format(R"(
            __global__ void k(const float* x, float* z) {{
                __shared__ float tile[8][5][20];
                for (int i = threadIdx.x; i < 800; i += blockDim.x) tile{} = x[i];
                __syncthreads();
                z[threadIdx.x] = tile[0][0][threadIdx.x];
            }})",
                                           index),
                               "llvm", "x86-64-v4",
                               {"--warpwise-executor=auto", "--warpwise-tier=quick", passes}));
    };
    constexpr const char *kNone = "--warpwise-skip-pass=join-quotients", *kAll = "--std=c++17";
    for (const char* index : {"[i / 100][i / 20 % 5][i % 20]", "[1][i / 20][i % 20]"}) {
        EXPECT_THAT(ir(kAll, index), Not(HasSubstr("masked.scatter"))) << index;
        EXPECT_THAT(ir(kNone, index), HasSubstr("masked.scatter")) << index;
    }
    EXPECT_THAT(ir(kAll, "[i / 20][1][i % 20]"), HasSubstr("masked.scatter"));
}

// As long as all lanes of the warp stay, none asks whether the one that it reads from is there.
TEST(GangFullLoops, HaveShufflesAndNoBarriers) {
    const auto ir = [](const char* between) {
        return text_of(compile(fmt::format(R"(
            __global__ void k(const float* x, float* z, int n) {{
                for (int i = threadIdx.x % 32; i < n; i += 32) {{
                    float v = x[i];
                    {}
                    z[i] = v;
                }}
            }})",
                                           between),
                               "llvm", "x86-64-v4",
                               {"--warpwise-executor=auto", "--warpwise-block=64"}));
    };
    EXPECT_THAT(ir("v += __shfl_up_sync(0xffffffff, v, 1);"), HasSubstr(".full"));
    EXPECT_THAT(ir("v += __ballot_sync(0xffffffff, v > 0);"), HasSubstr(".full"));
    EXPECT_THAT(ir("__syncthreads();"), Not(HasSubstr(".full")));
}

std::size_t looks_at_lanes(std::string_view source) {
    const std::string ir = text_of(compile(
        source, "llvm", "x86-64-v4", {"--warpwise-executor=auto", "--warpwise-block=256,1,1"}));
    constexpr std::string_view kLook = "extractelement";
    std::size_t count = 0;
    for (std::size_t at = ir.find(kLook); at != ir.npos; at = ir.find(kLook, at + 1)) ++count;
    return count;
}

// In the copy for gangs in one row; two for each of four vectors of the others, for short rows and
// for missing lanes.
TEST(GangQuotients, OfARowThatIsLongerThanAGangHaveNoLanes) {
    for (const char* type : {"int", "unsigned", "long", "size_t"}) {
        const std::size_t count = looks_at_lanes(fmt::format(
            R"(__global__ void k(const float* x, const float* scale, float* y, {0} width, {0} n) {{
                {0} i = blockIdx.x * blockDim.x + threadIdx.x;
                if (i < n) y[i] = x[i] * scale[i / width];
            }})",
            type));
        EXPECT_LE(count, 16) << type;
    }
}

TEST(GangQuotients, LeaveRemaindersInSteps) {
    EXPECT_LE(looks_at_lanes(R"(
        __global__ void k(const float* x, float* y, int width, int n) {
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i < n) y[i] = x[i / width * 2 * width + i % width];
        })"),
              16);
}

// Four for each vector in the copy where one is.
TEST(GangBounds, AreNotReachedInTheUsualCopy) {
    EXPECT_LE(looks_at_lanes(R"(
        __global__ void k(const float* x, float* y, int n) {
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i < n) y[i] = x[max(i - 1, 0)] + x[min(max(i + 1, 0), n - 1)];
        })"),
              16);
}

// Of interior points, `x + 1`: what is computed of an index of the launch may wrap, which the test
// of the copy without masks finds out, too.
TEST(GangIndexBesideTheThreads, HasACopyWithoutMasks) {
    EXPECT_THAT(ir_for_block("int i = blockIdx.x * blockDim.x + threadIdx.x + 1;"
                             "if (i >= (int)n - 1) return;"
                             "y[i] = x[i];",
                             "256,1,1"),
                HasSubstr("store <16 x float>"));
}

// The copy counts on what its own block does: `i >= distance` is no end of the data.
TEST(GangIndexAboveADistance, IsTheUsualOne) {
    const auto loads = [](const char* condition) {
        const std::string ir =
            ir_for_block(fmt::format("int i = blockIdx.x * blockDim.x + threadIdx.x, w = (int)n;"
                                     "float sum = x[i]; if ({}) sum += x[i - w]; y[i] = sum;",
                                     condition),
                         "256,1,1");
        return count(ir, "= load <16 x float>");
    };
    EXPECT_EQ(loads("i >= w"), loads("i >= 3"));
}

// One address for u[i] and u[i + 1], which is an offset of it.
TEST(GangIndexWithAnAddressBeside, IsTestedByItsBase) {
    EXPECT_THAT(ir_for_block("int i = (blockIdx.y * n + blockIdx.x) * blockDim.x + threadIdx.x;"
                             "y[threadIdx.x] = x[i] + x[i + 1];",
                             "256,1,1"),
                Not(HasSubstr("x i64>")));
}

TEST(GangIndexThatMayWrap, HardlyEverDoes) {
    EXPECT_THAT(ir_for_block("y[threadIdx.x] = x[n + threadIdx.x];", "256,1,1"),
                HasSubstr("!prof"));
}

}  // namespace
}  // namespace warpwise::cpu_compiler::test
