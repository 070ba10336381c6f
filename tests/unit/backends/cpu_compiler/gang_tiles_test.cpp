// Executor gang: tiles of threads that access memory by columns move whole vectors.
#include <fmt/format.h>

#include "tests/unit/backends/cpu_compiler/lower_support.hpp"

namespace warpwise::cpu_compiler::test {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string ir_of_move(const char* to, const char* from, const char* block = "16,16,1",
                       const char* level = "x86-64-v4", const char* index = "int") {
    return text_of(compile(
        fmt::format(R"(
        __global__ void k(float* out, const float* in, {2} w, {2} h) {{
            {2} x = blockIdx.x * blockDim.x + threadIdx.x;
            {2} y = blockIdx.y * blockDim.y + threadIdx.y;
            if (x < w && y < h) out[{0}] = in[{1}];
        }})",
                    to, from, index),
        "llvm", level, {"--warpwise-executor=auto", fmt::format("--warpwise-block={}", block)}));
}

TEST(GangTiles, AreLoadedByColumns) {
    EXPECT_THAT(ir_of_move("y * w + x", "x * h + y", "32,8,1"), HasSubstr("load <8 x float>"));
    EXPECT_THAT(ir_of_move("y * w + x", "x * h", "32,8,1"), Not(HasSubstr("load <8 x float>")));
}

TEST(GangTiles, AreStoredByColumns) {
    EXPECT_THAT(ir_of_move("x * h + y", "y * w + x"), HasSubstr("store <16 x float>"));
}

TEST(GangTiles, AreAsHighAsTheBlock) {
    EXPECT_THAT(ir_of_move("x * h + y", "y * w + x", "32,8,1"), HasSubstr("store <8 x float>"));
}

TEST(GangTiles, AreAsHighAsARegister) {
    EXPECT_THAT(ir_of_move("x * h + y", "y * w + x", "16,16,1", "x86-64-v3"),
                HasSubstr("store <8 x float>"));
}

TEST(GangTiles, AreStoredByColumnsFromTheLastRowOn) {
    EXPECT_THAT(ir_of_move("x * h + (h - 1 - y)", "y * w + x"), HasSubstr("store <16 x float>"));
    EXPECT_THAT(ir_of_move("(w - 1 - x) * h + y", "y * w + x"), HasSubstr("store <16 x float>"));
    EXPECT_THAT(ir_of_move("x * h + (h - 1 - y)", "y * w + x", "16,16,1", "x86-64-v4", "unsigned"),
                HasSubstr("store <16 x float>"));
}

// Places of different columns may be one, and then the last row's value stays.
TEST(GangTiles, AreStoredBehindATestOfTheirStep) {
    EXPECT_THAT(ir_of_move("x * h + y", "y * w + x"), HasSubstr("masked.scatter"));
    EXPECT_THAT(ir_of_move("x * 64 + y", "y * w + x", "16,16,1", "x86-64-v4", "size_t"),
                HasSubstr("store <16 x float>"));
}

TEST(GangTiles, AreNotStoredByColumnsThatOverlap) {
    EXPECT_THAT(ir_of_move("x * 9 + y", "y * w + x", "16,16,1", "x86-64-v4", "size_t"),
                Not(HasSubstr("store <16 x float>")));
}

}  // namespace
}  // namespace warpwise::cpu_compiler::test
