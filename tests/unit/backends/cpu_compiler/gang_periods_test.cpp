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
