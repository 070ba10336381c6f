// Name expressions: what they instantiate, and what is said of those that name nothing.
#include "tests/unit/backends/cpu_compiler/frontend_fixture.hpp"

namespace warpwise::cpu_compiler {
namespace {

using testing::HasSubstr;

constexpr const char* kSource = R"(
template <class T> __global__ void scale(T *x, T f, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= f;
}
template <class T, int N = 4> __global__ void fill(T *x) { x[N] = T(); }
namespace n { template <bool B> __global__ void flag(int *x) { *x = B; } }
__device__ int helper() { return 1; }
__global__ void k(int *x) { *x = helper(); }
__global__ void k(float *x, int) { *x = 2; }
__global__ void plain() {}
__device__ int counter;
)";

compiler::CompileRequest named(std::vector<std::string> expressions) {
    compiler::CompileRequest result = request(kSource);
    result.name_expressions = std::move(expressions);
    return result;
}

TEST(NameExpression, InstantiatesATemplate) {
    const Translation result = run(named({"scale<float>"}));
    ASSERT_EQ(result.kernels.size(), 1u);
    EXPECT_EQ(result.kernels[0].signature.parameters.at(1).dtype, float32);
}

TEST(NameExpression, KeepsTheUsersSpelling) {
    const Translation result = run(named({"scale< unsigned >"}));
    EXPECT_EQ(result.kernels.at(0).signature.name, "scale< unsigned >");
}

TEST(NameExpression, TakesSeveralAtOnce) {
    const Translation result = run(named({"scale<float>", "scale<double>"}));
    EXPECT_EQ(result.kernels.size(), 2u);
}

TEST(NameExpression, UsesDefaultArguments) {
    EXPECT_EQ(run(named({"fill<int>"})).kernels.size(), 1u);
}

TEST(NameExpression, TakesArgumentsThatAreNoTypes) {
    EXPECT_EQ(run(named({"fill<int, (3 > 2) ? 7 : 8>"})).kernels.size(), 1u);
}

TEST(NameExpression, FindsNamespaces) {
    EXPECT_EQ(run(named({"n::flag<true>"})).kernels.size(), 1u);
}

TEST(NameExpression, ChoosesAnOverload) {
    const Translation result = run(named({"k(float *, int)"}));
    ASSERT_EQ(result.kernels.size(), 1u);
    EXPECT_EQ(result.kernels[0].signature.parameters.size(), 2u);
}

TEST(NameExpression, NamesAKernelWithoutParameters) {
    EXPECT_EQ(run(named({"plain()"})).kernels.size(), 1u);
}

TEST(NameExpression, KeepsGlobalsAsInTheWholeSource) {
    const Translation whole = run(kSource);
    const Translation part = run(named({"plain"}));
    ASSERT_NE(find_global(part, "counter"), nullptr);
    EXPECT_EQ(find_global(part, "counter")->symbol, find_global(whole, "counter")->symbol);
}

TEST(NameExpression, UnknownNameListsWhatThereIs) {
    const auto error = error_of<ArgumentError>(named({"scael<float>"}));
    EXPECT_THAT(error.what(), HasSubstr("'scael<float>' names no kernel"));
    EXPECT_THAT(error.what(), HasSubstr("scale<...>"));
    EXPECT_THAT(error.what(), HasSubstr("k(float *, int)"));
}

TEST(NameExpression, AKernelDeclaredTwiceIsListedOnce) {
    compiler::CompileRequest request = named({"nothing"});
    request.source = "__global__ void k(int *x);\n__global__ void k(float *x) {}\n" +
                     request.source + "\n__global__ void k(float *x);\n";
    const std::string text = error_of<ArgumentError>(request).what();
    const std::size_t first = text.find("k(float *)");
    ASSERT_NE(first, std::string::npos);
    EXPECT_EQ(text.find("k(float *)", first + 1), std::string::npos) << text;
}

TEST(NameExpression, UnknownTypeIsNamed) {
    EXPECT_THAT(error_of<ArgumentError>(named({"scale<flaot>"})).what(), HasSubstr("flaot"));
}

TEST(NameExpression, OverloadedNameIsAmbiguous) {
    EXPECT_THAT(error_of<ArgumentError>(named({"k"})).what(), HasSubstr("k(int *)"));
}

TEST(NameExpression, DeviceFunctionIsNoKernel) {
    EXPECT_THAT(error_of<ArgumentError>(named({"helper"})).what(),
                HasSubstr("'helper' names no kernel"));
}

TEST(NameExpression, CodeIsRefused) {
    EXPECT_THROW(run(named({"plain); } void f() { (0"})), ArgumentError);
}

TEST(NameExpression, EmptyTextIsRefused) {
    EXPECT_THROW(run(named({" "})), ArgumentError);
}

TEST(NameExpression, OneKernelUnderTwoNamesIsRefused) {
    EXPECT_THROW(run(named({"scale<int>", "scale<signed int>"})), ArgumentError);
}

TEST(NameExpression, ErrorInTheTemplateIsAnErrorOfTheSource) {
    compiler::CompileRequest broken =
        request("struct S {};\ntemplate <class T> __global__ void k(T x) {\n  x.go();\n}\n");
    broken.name_expressions = {"k<S>"};
    const auto error = error_of<CompileError>(broken);
    EXPECT_EQ(error.line(), 3);
    EXPECT_THAT(error.what(), HasSubstr("no member named 'go' in 'S'"));
}

}  // namespace
}  // namespace warpwise::cpu_compiler
