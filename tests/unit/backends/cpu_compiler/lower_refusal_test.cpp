// What has no form on the CPU is refused by name and line before any code is made.
#include "tests/unit/backends/cpu_compiler/lower_support.hpp"
#include "warpwise/error.hpp"

namespace warpwise::cpu_compiler::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string refusal_of(std::string_view source) {
    try {
        compile(source, "object");
    } catch (const UnsupportedError& error) {
        return error.what();
    }
    ADD_FAILURE() << "not refused";
    return {};
}

TEST(LowerRefusal, NamesTheIntrinsicAndItsLine) {
    EXPECT_THAT(refusal_of("__global__ void k(float* x) {\n"
                           "    x[0] = __nvvm_sin_approx_f(x[1]);\n"
                           "}\n"),
                AllOf(HasSubstr("test.cu:2:"), HasSubstr("llvm.nvvm.sin.approx.f"),
                      HasSubstr("not supported on the CPU")));
}

TEST(LowerRefusal, NamesDynamicCastWithItsPlaceAndCaret) {
    try {
        compile(
            "struct A { virtual __device__ void f() {} };\n"
            "struct B : A { __device__ void f() override {} };\n"
            "__global__ void k(A* a, bool* x) {\n"
            "    *x = dynamic_cast<B*>(a) != nullptr;\n}\n",
            "object");
        FAIL() << "not refused";
    } catch (const UnsupportedError& error) {
        EXPECT_THAT(error.what(), HasSubstr("test.cu:4:10: error: dynamic_cast in device code"));
        EXPECT_EQ(error.file(), "test.cu");
        EXPECT_EQ(error.line(), 4);
        EXPECT_THAT(error.log(), HasSubstr("|          ^"));
    }
}

TEST(LowerRefusal, NamesInlinePtxAndItsLine) {
    EXPECT_THAT(refusal_of("__global__ void k(int* x) {\n"
                           "    asm(\"mapa.u32 %0, %1, 0;\" : \"=r\"(x[0]) : \"r\"(x[1]));\n"
                           "}\n"),
                AllOf(HasSubstr("test.cu:2:"), HasSubstr("mapa.u32")));
}

TEST(LowerRefusal, NamesTheUsersLineOfWhatHeadersCall) {
    EXPECT_THAT(
        refusal_of("__device__ int find(int x) {\n"
                   "    int r; asm(\"mapa.u32 %0, %1, 0;\" : \"=r\"(r) : \"r\"(x)); return r;\n"
                   "}\n"
                   "__global__ void k(int* x) { x[0] = find(x[1]); }\n"),
        HasSubstr("test.cu:2:"));
}

TEST(LowerRefusal, IgnoresWhatNoKernelReaches) {
    EXPECT_NO_THROW(
        compile("__device__ int unused(int x) {\n"
                "    int r; asm(\"mapa.u32 %0, %1, 0;\" : \"=r\"(r) : \"r\"(x)); return r;\n"
                "}\n"
                "__global__ void k(int* x) { x[0] = 1; }\n",
                "object"));
}

TEST(LowerRefusal, UnknownLevelIsAnArgumentError) {
    EXPECT_THROW(compile("__global__ void k() {}", "object", "pentium"), ArgumentError);
}

TEST(LowerRefusal, UnknownFormatIsAnArgumentError) {
    EXPECT_THROW(compile("__global__ void k() {}", "wasm"), ArgumentError);
}

TEST(LowerRefusal, UnknownGpuIsAnArgumentError) {
    EXPECT_THROW(compile("__global__ void k() {}", "ptx", "sm_1"), ArgumentError);
    EXPECT_THROW(compile("__global__ void k() {}", "ptx", "x86-64-v3"), ArgumentError);
}

TEST(LowerFormats, AssemblyIsTheHosts) {
    EXPECT_THAT(text_of(compile("__global__ void k(float* x) { *x = *x * 2 + 1; }", "asm")),
                AllOf(HasSubstr("vfmadd"), HasSubstr("retq")));
}

TEST(LowerFormats, LoopsBeginWhereALineDoes) {
    EXPECT_THAT(text_of(compile("__global__ void k(int* x) { while (*x > 1) *x /= 3; }", "asm")),
                HasSubstr(".p2align\t6"));
}

TEST(LowerFormats, LlvmTextShowsTheCallingConvention) {
    EXPECT_THAT(ir_of("extern \"C\" __global__ void k(float* x) { *x = 1; }"),
                HasSubstr("define void @k(ptr %thread, ptr %arguments)"));
}

TEST(LowerFormats, PtxIsForTheGivenGpu) {
    EXPECT_THAT(text_of(compile("extern \"C\" __global__ void k(float* x) { x[threadIdx.x] = 1; }",
                                "ptx", "sm_80")),
                AllOf(HasSubstr(".target sm_80"), HasSubstr(".entry k("), HasSubstr("%tid.x")));
}

}  // namespace
}  // namespace warpwise::cpu_compiler::test
