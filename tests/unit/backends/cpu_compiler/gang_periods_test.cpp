// Executor gang: accesses whose places repeat every few lanes are loads and stores of runs.
#include <fmt/format.h>

#include "tests/unit/backends/cpu_compiler/lower_support.hpp"

namespace warpwise::cpu_compiler::test {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string ir_of_move(const char* to, const char* from) {
    return text_of(compile(fmt::format(R"(
        __global__ void k(float* out, const float* in, int plane) {{
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            out[{}] = in[{}];
        }})",
                                       to, from),
                           "llvm", "x86-64-v4",
                           {"--warpwise-executor=auto", "--warpwise-block=256,1,1"}));
}

TEST(GangPeriods, AreLoadsOfRuns) {
    EXPECT_THAT(ir_of_move("i", "i % 3 * plane + i / 3"), Not(HasSubstr("masked.gather")));
    EXPECT_THAT(ir_of_move("i", "i / 5"), Not(HasSubstr("masked.gather")));
}

std::size_t times(std::string_view what, std::string_view text) {
    std::size_t found = 0, at = 0;
    for (; (at = text.find(what, at)) != std::string_view::npos; ++at) ++found;
    return found;
}

// Gangs of 64 threads begin at multiples of 64, whose 32 elements are two vectors.
TEST(GangPeriods, AreOneRunWhereAGangBeginsAtAMultiple) {
    EXPECT_EQ(times("= load <16 x float>", ir_of_move("i", "i / 2")), 2U);
    EXPECT_EQ(times("= load <16 x float>", ir_of_move("i", "(i >> 2) + i % 4")), 2U);
}

// And a number behind it.
TEST(GangPeriods, AreOneRunBehindANumber) {
    for (const char* from : {"(i + 1) / 2", "(i + 1u) / 2", "(i + 3) >> 1"}) {
        EXPECT_THAT(ir_of_move("i", from), Not(HasSubstr("masked.gather"))) << from;
    }
    EXPECT_THAT(ir_of_move("i", "(i - 1) / 2"), HasSubstr("masked.gather"));
}

// What the lanes' own indices may wrap in is tested once.
TEST(GangPeriods, AreOneRunBehindATest) {
    const std::string ir = ir_of_move("i", "plane + (unsigned)i / 2");
    EXPECT_EQ(times("= load <16 x float>", ir), 2U);
    EXPECT_THAT(ir, HasSubstr("masked.gather"));
}

std::string ir_in_rows(const char* from, const char* block = "32,8,1") {
    return text_of(
        compile(fmt::format(R"(
        __global__ void k(float* out, const float* in, int width) {{
            int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
            out[y * width + x] = in[{}];
        }})",
                            from),
                "llvm", "x86-64-v4",
                {"--warpwise-executor=auto", fmt::format("--warpwise-block={}", block)}));
}

// Gangs of several rows of 16 threads, of which two read one run.
TEST(GangPeriods, AreThoseOfTwoRows) {
    const auto loads = [](const char* from) {
        return times("= load <8 x float>", ir_in_rows(from, "16,16,1"));
    };
    EXPECT_GT(loads("y * width + x / 2"), 1U);
    EXPECT_EQ(2 * loads("y / 2 * width + x / 2"), loads("y * width + x / 2"));
}

// Of blocks of 32 x 8, eight after each other.
TEST(GangPeriods, LeaveBlocksInRows) {
    EXPECT_THAT(ir_in_rows("y / 2 * width + x / 2"), HasSubstr("llvm.umin.i32"));
    EXPECT_THAT(ir_in_rows("2 * (y * width + x)"), HasSubstr("llvm.umin.i32"));
    EXPECT_THAT(ir_in_rows("100 * x + y"), Not(HasSubstr("llvm.umin.i32")));
}

TEST(GangPeriods, AreNotTakenForThoseOfLongerOnes) {
    EXPECT_THAT(ir_of_move("i", "i % 11 * plane + i / 11"), HasSubstr("masked.gather"));
}

// Places of several runs may be one.
TEST(GangPeriods, AreStoresOfRunsBehindATest) {
    const std::string ir = ir_of_move("i % 3 * plane + i / 3", "i");
    EXPECT_THAT(ir, HasSubstr("store <16 x float>"));
    EXPECT_THAT(ir, HasSubstr("masked.scatter"));
}

}  // namespace
}  // namespace warpwise::cpu_compiler::test
