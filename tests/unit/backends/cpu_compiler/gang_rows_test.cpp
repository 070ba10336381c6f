// Executor gang: gangs of kernels that take an index apart end where a row ends.
#include <fmt/format.h>

#include "tests/unit/backends/cpu_compiler/lower_support.hpp"

namespace warpwise::cpu_compiler::test {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string ir_for_blocks(std::string_view body, const char* block,
                          std::vector<std::string> options = {}) {
    const std::string source = fmt::format(
        R"(extern "C" __global__ void k(const float* x, float* y, int width, unsigned height,
                                        int n) {{ {} }})",
        body);
    options.insert(options.end(),
                   {"--warpwise-executor=auto", fmt::format("--warpwise-block={}", block)});
    return text_of(compile(source, "llvm", "x86-64-v4", std::move(options)));
}

bool splits_rows(std::string_view body, const char* block = "256,1,1",
                 std::vector<std::string> options = {}) {
    return ir_for_blocks(body, block, std::move(options)).find("@k.rows(") != std::string::npos;
}

std::size_t times(std::string_view what, std::string_view text) {
    std::size_t found = 0, at = 0;
    for (; (at = text.find(what, at)) != std::string_view::npos; ++at) ++found;
    return found;
}

#define INDEX "int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) "

constexpr const char* kPool =
    INDEX "y[i] = x[i / width * 4 * width + i % width * 2] + x[i % width * 2 + 1];";

TEST(GangRows, EndGangs) {
    EXPECT_TRUE(splits_rows(kPool));
    EXPECT_TRUE(
        splits_rows("size_t i = blockIdx.x * blockDim.x + threadIdx.x;"
                    "if (i < n) y[i] = x[i / height * 7 + i % height];"));
    EXPECT_TRUE(splits_rows(INDEX "y[i] = x[i / 49];"));
}

// Half a width, and that of a convolution's result; LLVM compares `width` where these may be 0.
TEST(GangRows, MayHaveWidthsThatAreComputed) {
    EXPECT_TRUE(splits_rows(INDEX "{ int w = width / 2; y[i] = x[i / w * width + i % w * 2]; }"));
    EXPECT_TRUE(
        splits_rows(INDEX "{ int w = 2 * width; y[i] = x[i / w / 2 * width + i % w / 2]; }"));
    EXPECT_TRUE(splits_rows(INDEX "{ int w = (width + 2) / n + 1; y[i] = x[i / w * 7 + i % w]; }"));
}

TEST(GangRows, EndGangsOfRounds) {
    EXPECT_TRUE(
        splits_rows("for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;"
                    "     i += gridDim.x * blockDim.x) y[i] = x[i / width];"));
}

TEST(GangRows, MayBeLeftOut) {
    EXPECT_FALSE(splits_rows(kPool, "256,1,1", {"--warpwise-skip-pass=split-rows"}));
    EXPECT_FALSE(splits_rows(kPool, "256,1,1", {"--warpwise-skip-pass=loop-over-blocks"}));
}

// (i - 1 + width) % width: the sum may wrap, and the test of the row tells.
TEST(GangRows, AreAssumedOfIndicesAroundATorus) {
    const std::string ir = ir_for_blocks(
        "int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;"
        "if (i < width && j < n)"
        "    y[j * width + i] = x[(j + n - 1) % n * width + (i - 1 + width) % width];",
        "32,8,1");
    // One for each of four pieces where the row is assumed, and behind a test where it is not.
    EXPECT_EQ(times("= load <16 x float>", ir), 8U);
}

// (i - 1 + width) % width, i % width and (i + 1) % width lie in rows side by side.
TEST(GangRows, AreTestedOnceForIndicesThatLieSideBySide) {
    const auto divisions = [](std::string_view sum) {
        const std::string ir = ir_for_blocks(
            fmt::format("int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y;"
                        "if (i < n) y[j * width + i] = {};",
                        sum),
            "256,1,1", {"--warpwise-skip-pass=split-rows"});
        return times(" udiv i32", ir);
    };
    const std::size_t of_one = divisions("x[(i + 1) % width]");
    EXPECT_GT(of_one, 0U);
    // The copy may divide another form of the dividend than the test does.
    EXPECT_LE(divisions("x[(i - 1 + width) % width] + x[i % width] - x[(i + 1) % width]"),
              of_one + 1);
}

// Without a vector of places, and behind no test whether an index wraps.
TEST(GangRows, HaveStepsInSumsOfRemainders) {
    const std::string ir = ir_for_blocks(kPool, "256,1,1");
    const std::size_t rows = ir.find("define internal void @k.rows(");
    ASSERT_NE(rows, std::string::npos);
    const std::string body = ir.substr(rows, ir.find("\n}\n", rows) - rows);
    EXPECT_THAT(body, Not(HasSubstr("gather")));
    EXPECT_THAT(body, Not(HasSubstr("call void %")));
}

class GangRowsRefused : public testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(GangRowsRefused, WhereGangsHaveTheirPlaces) {
    const auto& [body, block] = GetParam();
    EXPECT_FALSE(splits_rows(body, block));
}

INSTANTIATE_TEST_SUITE_P(
    Kernels, GangRowsRefused,
    testing::Values(std::pair{kPool, "16,16,1"},  // rows of threads
                    std::pair{kPool, "100,1,1"},  // blocks that are no whole gangs
                    std::pair{"__shared__ float part[256]; " INDEX
                              "part[threadIdx.x] = x[i / width]; __syncthreads(); y[i] = part[0];",
                              "256,1,1"},
                    std::pair{INDEX "y[i] = __shfl_down_sync(~0u, x[i / width], 1);", "256,1,1"},
                    std::pair{INDEX "y[i] = x[i / 3];", "256,1,1"},
                    std::pair{INDEX "y[i] = x[i / width] + x[threadIdx.x / 16];", "256,1,1"},
                    std::pair{INDEX "y[i] = x[i / (width + blockIdx.x)];", "256,1,1"}));

}  // namespace
}  // namespace warpwise::cpu_compiler::test
