// What NVRTC gets of a source: host code blank, references with their header.
#include "src/compiler/compiler.hpp"
#include "tests/unit/backends/cpu_compiler/frontend_fixture.hpp"

namespace warpwise::cpu_compiler {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr const char* kKernel = "__global__ void k(float *x) { *x = 1; }\n";

std::string device_text(const std::string& source) {
    compiler::CompileRequest asked = request(source);
    asked.format = "signatures";
    return run(asked).device_text;
}

const std::string kInclude = "#include <" + std::string(compiler::kReferencesHeader) + ">\n";

TEST(DeviceText, IsNoneWhereTheSourceIsGoodAsItIs) {
    EXPECT_EQ(device_text(std::string("const float pi = 3;\n__constant__ int c[4];\n"
                                      "template <class T> __device__ T twice(T x) { return x; }\n"
                                      "struct S { int x; };\nconstexpr int one() { return 1; }\n") +
                          kKernel),
              "");
}

TEST(DeviceText, LacksHostFunctions) {
    EXPECT_THAT(device_text(std::string(kKernel) + "int main() { k<<<1, 1>>>(0); }\nint last();\n"),
                AllOf(HasSubstr(kKernel), Not(HasSubstr("main")), Not(HasSubstr("last"))));
}

TEST(DeviceText, LacksHostVariables) {
    EXPECT_THAT(device_text(std::string("float *host, other;\n__device__ int d;\n") + kKernel),
                AllOf(Not(HasSubstr("host")), HasSubstr("__device__ int d;")));
}

TEST(DeviceText, LacksIncludesThatAreNotThere) {
    EXPECT_EQ(
        device_text("#include <absent_library.h>\n#include <cstdint>\n" + std::string(kKernel)),
        "                           \n#include <cstdint>\n" + std::string(kKernel));
}

TEST(DeviceText, BeginsWithWhatTheSourceWantsUnasked) {
    EXPECT_THAT(device_text("__global__ void k(double *x) { *x = CUDART_PI; }\n"),
                HasSubstr("#include <math_constants.h>\n#line 1\n__global__"));
}

TEST(DeviceText, KeepsLinesWhereTheyAre) {
    const std::string host = "void f()\n{\n}\n";
    EXPECT_EQ(device_text(host + kKernel), "        \n \n \n" + std::string(kKernel));
}

TEST(DeviceText, KeepsATypeThatIsDeclaredWithAHostVariable) {
    EXPECT_THAT(device_text(std::string("struct Size { int w; } size;\n") + kKernel),
                HasSubstr("struct Size"));
}

TEST(DeviceText, SaysNothingOfTheDeviceBeforeStaticMembers) {
    EXPECT_THAT(
        device_text(std::string("struct A { static __device__ int n; };\n"
                                "__device__ int A::n = 3;\n") +
                    kKernel),
        AllOf(HasSubstr("static            int n;"), HasSubstr("           int A::n = 3;")));
}

TEST(DeviceText, HasTheHeaderOfReferences) {
    const std::string source =
        "texture<float, 2> t;\n__global__ void k(float *x) "
        "{ *x = tex2D(t, 1, 2); }\n";
    EXPECT_EQ(device_text(source), kInclude + "#line 1\n" + source);
}

TEST(DeviceText, HasItForFunctionsThatTakeReferences) {
    EXPECT_THAT(device_text(std::string("template <class T> __device__ T get(const texture<T, 1, "
                                        "cudaReadModeElementType> &t) { return tex1D(t, 1); }\n") +
                            kKernel),
                StartsWith(kInclude));
}

TEST(DeviceText, LacksItWhereTheSourceHasATextureOfItsOwn) {
    EXPECT_THAT(
        device_text(std::string("struct texture { float x; };\n__device__ texture t;\n") + kKernel),
        Not(HasSubstr("#include")));
}

}  // namespace
}  // namespace warpwise::cpu_compiler
