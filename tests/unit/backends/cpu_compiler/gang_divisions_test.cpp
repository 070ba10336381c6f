// Executor gang: division of indices by rows that are shorter than a vector, and of its quotients.
#include <fmt/format.h>

#include "tests/unit/backends/cpu_compiler/lower_support.hpp"

namespace warpwise::cpu_compiler::test {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string ir_of(std::string_view place, std::string_view parameters) {
    const std::string source = fmt::format(
        "__global__ void k(int* x, {}) {{"
        "    int i = blockIdx.x * blockDim.x + threadIdx.x;"
        "    x[i] = {};"
        "}}",
        parameters, place);
    return text_of(compile(source, "llvm", "x86-64-v4",
                           {"--warpwise-executor=gang", "--warpwise-tier=quick"}));
}

TEST(GangShortRows, AreDividedInSinglePrecision) {
    EXPECT_THAT(ir_of("i % c", "int c"), HasSubstr("sitofp <16 x i32> "));
    EXPECT_THAT(ir_of("i % c", "int c"), HasSubstr("to <16 x float>"));
}

TEST(GangShortRows, AreNoFormOfDivisorsThatAreKnown) {
    EXPECT_THAT(ir_of("i % 20", "int c"), Not(HasSubstr("to <16 x float>")));
}

// The comparisons that find the next row among the lanes.
std::size_t next_rows(std::string_view place, std::string_view parameters) {
    const std::string ir = ir_of(place, parameters);
    return count(ir, "icmp sge <16 x i32>") + count(ir, "icmp slt <16 x i32>");
}

// i / c takes few values, one behind the other, where i does.
TEST(GangShortRows, AreStepsOfTheRowsThatTheyMakeUp) {
    const char* signs = "int c, int width";
    EXPECT_EQ(next_rows("i / c * 2", signs), 1U);
    EXPECT_EQ(next_rows("i / c % width", signs), 2U);
    EXPECT_EQ(next_rows("i / c * c % width", signs), 1U);
}

TEST(GangShortRows, AreStepsOfUnsignedRowsToo) {
    EXPECT_EQ(next_rows("(unsigned)i / c % width", "unsigned c, unsigned width"), 2U);
}

}  // namespace
}  // namespace warpwise::cpu_compiler::test
