// What a look finds, and where it says that it does not know.
#include "src/backends/cuda/compiler/variable_guess.hpp"

#include <gmock/gmock.h>

namespace warpwise::cuda {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Optional;

std::optional<std::vector<std::string>> guess(std::string source) {
    return guess_variables({.source = std::move(source)});
}

TEST(VariableGuess, FindsNoneAmongFunctions) {
    EXPECT_THAT(guess(R"(#include <math.h>
template <class T> __device__ T twice(T x) { return x + x; }
static __host__ __device__ __forceinline__ float f(const float *x, int n) { return x[n]; }
__global__ void k(float *x) { auto g = [=] __device__ (int i) { x[i] = 1; }; g(2); })"),
                Optional(IsEmpty()));
}

TEST(VariableGuess, FindsWhatAProgramDefines) {
    EXPECT_THAT(guess("__constant__ float table[16];\n"
                      "__device__ int count = 3;\n"
                      "static __device__ __align__(16) unsigned long long sum;\n"
                      "__constant__ float weights[] = {1, 2, 3};\n"
                      "__global__ void k() { }"),
                Optional(ElementsAre("table", "count", "sum", "weights")));
}

TEST(VariableGuess, PassesOverComments) {
    EXPECT_THAT(guess("// __device__ int a;\n/* __constant__ int b; */\n__device__ int c;"),
                Optional(ElementsAre("c")));
}

class Unsure : public testing::TestWithParam<const char*> {};

TEST_P(Unsure, IsSaidToBe) {
    EXPECT_EQ(guess(GetParam()), std::nullopt);
}

INSTANTIATE_TEST_SUITE_P(
    VariableGuess, Unsure,
    testing::Values("#include \"mine.h\"", "#include <curand_kernel.h>",
                    "namespace n { __device__ int x; }", "__device__ int a, b;",
                    "struct S { static __device__ int x; };",
                    "#if N\n__device__ int x;\n#else\n__device__ float x;\n#endif",
                    "#define VARIABLE __device__ int\nVARIABLE x;", "texture<float, 2> t;",
                    "__device__ std::pair<int, int> p;", "__managed__ int x;",
                    "const char *s = R\"(__device__ int x;)\";"));

}  // namespace
}  // namespace warpwise::cuda
