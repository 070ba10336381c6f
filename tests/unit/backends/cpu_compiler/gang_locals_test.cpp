// Local arrays that stay in memory: an element of all lanes is one vector where its index is the
// same for all of them.
#include <fmt/format.h>

#include "tests/unit/backends/cpu_compiler/lower_support.hpp"

namespace warpwise::cpu_compiler::test {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string ir_of(std::string_view body, const char* option = "--warpwise-tier=full") {
    const std::string source = fmt::format(
        "struct Pair {{ float a, b; }};\n"
        "__global__ void k(float* x, const int* index, int n) {{ {} }}",
        body);
    return text_of(compile(source, "llvm", "x86-64-v4", {"--warpwise-executor=gang", option}));
}

class GangLocals : public testing::TestWithParam<const char*> {};

TEST_P(GangLocals, WithOneIndexForAllLanesAreVectorAccesses) {
    const std::string ir = ir_of(GetParam());
    EXPECT_THAT(ir, HasSubstr("%local"));
    EXPECT_THAT(ir, Not(HasSubstr("gather")));
    EXPECT_THAT(ir, Not(HasSubstr("scatter")));
    EXPECT_THAT(ir, Not(HasSubstr("insertelement <16 x float> %")));
}

TEST_P(GangLocals, LieLaneByLaneWithoutThePass) {
    EXPECT_THAT(ir_of(GetParam(), "--warpwise-skip-pass=interleave-locals"), HasSubstr("scatter"));
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, GangLocals,
    testing::Values("float l[50]; for (int i = 0; i < n; ++i) l[i] = x[threadIdx.x + i]; "
                    "for (int i = 0; i < n; ++i) x[threadIdx.x] += l[i];",
                    "float l[50] = {}; for (int i = 0; i < n; ++i) l[i] = x[threadIdx.x + i]; "
                    "for (int i = 0; i < n; ++i) x[threadIdx.x] += l[i];",
                    "Pair l[20]; for (int i = 0; i < n; ++i) l[i] = {x[threadIdx.x + i], 1}; "
                    "for (int i = 0; i < n; ++i) x[threadIdx.x] += l[i].a * l[i].b;",
                    "float l[9][9]; for (int i = 0; i < n; ++i) l[i][n - i] = x[threadIdx.x]; "
                    "for (int i = 0; i < n; ++i) x[threadIdx.x] += l[i][n - i];"));

TEST(GangLocalArrays, WithAnIndexOfEachLaneAreGathers) {
    EXPECT_THAT(ir_of("float l[50]; for (int i = 0; i < n; ++i) l[i] = x[threadIdx.x + i]; "
                      "x[threadIdx.x] = l[index[threadIdx.x]];"),
                HasSubstr("gather"));
}

TEST(GangLocalArrays, WhoseAddressesAreKeptStayWithTheirLanes) {
    const std::string ir = ir_of(
        "float l[50]; float* p = index[0] ? l : x; for (int i = 0; i < n; ++i) l[i] = i + x[i]; "
        "x[threadIdx.x] = p[index[threadIdx.x]];");
    EXPECT_THAT(ir, HasSubstr("scatter"));
}

}  // namespace
}  // namespace warpwise::cpu_compiler::test
