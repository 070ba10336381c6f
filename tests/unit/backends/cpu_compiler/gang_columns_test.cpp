// Shared arrays whose columns lanes walk through: the elements of neighbouring lanes lie side by
// side.
#include <fmt/format.h>

#include "tests/unit/backends/cpu_compiler/lower_support.hpp"

namespace warpwise::cpu_compiler::test {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string ir_of(std::string_view body, const char* option = "--warpwise-tier=full",
                  const char* level = "x86-64-v4") {
    const std::string source = fmt::format(
        "extern __shared__ float dynamic[];\n"
        "__global__ void k(const float* x, float* z, int n) {{ int t = threadIdx.x; {} }}",
        body);
    return text_of(compile(source, "llvm", level, {"--warpwise-executor=gang", option}));
}

class GangColumns : public testing::TestWithParam<const char*> {};

TEST_P(GangColumns, AreVectorAccesses) {
    const std::string ir = ir_of(GetParam());
    EXPECT_THAT(ir, HasSubstr("load <16 x float>"));
    EXPECT_THAT(ir, Not(HasSubstr("gather")));
    EXPECT_THAT(ir, Not(HasSubstr("scatter")));
    EXPECT_THAT(ir, Not(HasSubstr("insertelement <16 x float> %")));
    EXPECT_THAT(ir_of(GetParam(), "--warpwise-tier=full", "x86-64-v3"),
                Not(HasSubstr("insertelement <16 x float> %")));
}

TEST_P(GangColumns, AreLanesByThemselvesWithoutThePass) {
    EXPECT_THAT(ir_of(GetParam(), "--warpwise-skip-pass=transpose-shared"),
                HasSubstr("insertelement <16 x float> %"));
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, GangColumns,
    testing::Values(
        "__shared__ float s[64][33]; for (int j = 0; j < 33; ++j) s[t][j] = x[j]; "
        "__syncthreads(); for (int j = 1; j < n; ++j) z[j * 64 + t] = s[t][j - 1];",
        "__shared__ float s[65][65]; for (int d = 0; d < n; ++d) { "
        "s[t + 1][d - t + 1] = s[t][d - t] + x[t]; __syncthreads(); } z[t] = s[n][n];",
        "__shared__ float s[64 * 9 + 5]; for (int j = 0; j < n; ++j) s[9 * t + j] = "
        "x[t + j]; __syncthreads(); for (int j = 0; j < n; ++j) z[t] += s[9 * t + j];"));

class GangRowsAndColumns : public testing::TestWithParam<const char*> {};

TEST_P(GangRowsAndColumns, StayAsTheyWere) {
    EXPECT_EQ(ir_of(GetParam()), ir_of(GetParam(), "--warpwise-skip-pass=transpose-shared"));
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, GangRowsAndColumns,
    testing::Values(  // both alike
        "__shared__ float s[64][65]; for (int j = 0; j < 64; ++j) s[j][t] = x[j * 64 + t]; "
        "__syncthreads(); for (int j = 0; j < 64; ++j) z[j * 64 + t] = s[t][j];",
        // elements of several sizes
        "__shared__ float s[64][33]; for (int j = 0; j < n; ++j) s[t][j] = x[j]; "
        "__syncthreads(); for (int j = 0; j < n; ++j) z[j] = ((char*)&s[t][j])[0];",
        // an address that goes elsewhere
        "__shared__ float s[64][33]; const float* p = n ? &s[0][0] : x; "
        "for (int j = 0; j < n; ++j) s[t][j] = x[j]; __syncthreads(); z[t] = p[t];",
        // a size that is not known
        "for (int j = 0; j < n; ++j) dynamic[t * 33 + j] = x[j]; __syncthreads(); "
        "for (int j = 0; j < n; ++j) z[j * 64 + t] = dynamic[t * 33 + j];",
        // small steps, which are vectors and shuffles
        "__shared__ float s[64][2]; for (int j = 0; j < n; ++j) { s[t][1] += x[j]; "
        "s[t][0] -= x[j]; } __syncthreads(); z[t] = s[n][0];"));

}  // namespace
}  // namespace warpwise::cpu_compiler::test
