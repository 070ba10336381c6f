// What a user reads when a source does not compile: own files, own lines, no noise.
#include "tests/unit/backends/cpu_compiler/frontend_fixture.hpp"

namespace warpwise::cpu_compiler {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TEST(CompileErrors, FirstErrorHasFileLineAndColumn) {
    const auto error = error_of<CompileError>("__global__ void k(int *x) {\n  *x = y;\n}\n");
    EXPECT_STREQ(error.what(), "k.cu:2:8: error: use of undeclared identifier 'y'");
    EXPECT_EQ(error.file(), "k.cu");
    EXPECT_EQ(error.line(), 2);
}

TEST(CompileErrors, LogShowsTheLineAndACaret) {
    const auto error = error_of<CompileError>("__global__ void k(int *x) {\n  *x = y;\n}\n");
    EXPECT_THAT(error.log(), HasSubstr("  *x = y;\n"));
    EXPECT_THAT(error.log(), HasSubstr("^"));
}

TEST(CompileErrors, LogHoldsAllErrors) {
    const auto error =
        error_of<CompileError>("__global__ void k() { a; }\n__device__ int f() { b; }");
    EXPECT_THAT(error.log(), HasSubstr("'a'"));
    EXPECT_THAT(error.log(), HasSubstr("'b'"));
}

TEST(CompileErrors, StopAfterTwenty) {
    std::string source;
    for (int i = 0; i < 50; ++i) source += "__device__ int f" + std::to_string(i) + "() { u; }\n";
    const auto error = error_of<CompileError>(source);
    EXPECT_THAT(error.log(), HasSubstr("too many errors"));
    EXPECT_THAT(error.log(), Not(HasSubstr("k.cu:30:")));
}

TEST(CompileErrors, WrongCallOfABuiltInShowsNoBuiltInHeader) {
    const auto error =
        error_of<CompileError>("struct S {};\n__global__ void k(S *s) {\n  atomicAdd(s, 1);\n}\n");
    EXPECT_EQ(error.line(), 3);
    EXPECT_THAT(error.log(), Not(HasSubstr("__warpwise__")));
    EXPECT_THAT(error.log(), Not(HasSubstr(".cuh")));
}

TEST(CompileErrors, ErrorInAMacroOfOursIsAtTheUsersLine) {
    const auto error = error_of<CompileError>(
        "#include <assert.h>\n__global__ void k() {\n  assert(nothing);\n}\n");
    EXPECT_EQ(error.line(), 3);
    EXPECT_THAT(error.log(), Not(HasSubstr("assert.h")));
}

TEST(CompileErrors, ErrorInAHeaderOfTheRequestNamesIt) {
    compiler::CompileRequest broken = request("#include \"mine.h\"\n__global__ void k() {}\n");
    broken.headers = {{"mine.h", "int f(;\n"}};
    const auto error = error_of<CompileError>(broken);
    EXPECT_EQ(error.file(), "mine.h");
    EXPECT_THAT(error.log(), HasSubstr("In file included from k.cu:1"));
    EXPECT_THAT(error.log(), Not(HasSubstr("__request__")));
}

TEST(CompileErrors, ErrorInAHeaderOfOursIsAtTheUsersInclude) {
    const auto error = error_of<CompileError>(
        "#define __half2float +\n\n#include <cuda_fp16.h>\n__global__ void k() {}\n");
    EXPECT_EQ(error.line(), 3);
    EXPECT_THAT(error.log(), HasSubstr("#include <cuda_fp16.h>"));
}

TEST(CompileErrors, TemplateErrorLeadsToTheUsersCall) {
    const auto error = error_of<CompileError>(
        "template <class T> __device__ void f(T x) {\n  x.go();\n}\n"
        "__global__ void k() {\n  f(1);\n}\n");
    EXPECT_EQ(error.line(), 2);
    EXPECT_THAT(error.log(), HasSubstr("k.cu:5:3: note: in instantiation of"));
}

TEST(CompileErrors, UndefinedDeviceFunctionIsNamed) {
    compiler::CompileRequest lacking =
        request("__device__ float f(float);\n__global__ void k(float *x) { *x = f(1); }\n");
    lacking.format = "ptx";  // for the CPU, the kernels that call it are refused later
    const auto error = error_of<CompileError>(lacking);
    EXPECT_EQ(error.line(), 1);
    EXPECT_THAT(error.what(), HasSubstr("'f' is used by device code but not defined"));
}

TEST(CompileErrors, HostHeaderIsExplainedWhereDeviceCodeNeedsIt) {
    const auto error = error_of<CompileError>(
        "#include <vector>\n__global__ void k(int *x) { std::vector<int> v; }\n");
    EXPECT_EQ(error.line(), 2);
    EXPECT_THAT(error.log(), HasSubstr("<vector> is a header of the host's C++ library"));
}

TEST(Unsupported, CutlassInAKernelIsNamed) {
    const auto error = error_of<UnsupportedError>(
        "#include <cutlass/cutlass.h>\n__global__ void k(int *x) { cutlass::gemm(x); }\n");
    EXPECT_THAT(error.what(), HasSubstr("CUTLASS's templates are not part of this version"));
}

TEST(CompileErrors, MissingHeaderPointsToIncludeDirs) {
    const auto error = error_of<CompileError>("#include \"nowhere.h\"\n");
    EXPECT_THAT(error.what(), HasSubstr("'nowhere.h' file not found"));
    EXPECT_THAT(error.what(), HasSubstr("include_dirs"));
}

TEST(CompileErrors, LogRepeatsTheFirstErrorWordForWord) {
    const auto error = error_of<CompileError>("#include \"nowhere.h\"\n");
    EXPECT_THAT(error.log(), HasSubstr(error.what()));
}

TEST(CompileErrors, LogFollowsLineDirectivesAsTheFirstErrorDoes) {
    const auto error = error_of<CompileError>("#line 30 \"made.cu\"\nint x = y;\n");
    EXPECT_THAT(error.what(), HasSubstr("made.cu:30:9: error"));
    EXPECT_THAT(error.log(), StartsWith(error.what()));
    EXPECT_EQ(error.log().find("k.cu"), std::string::npos);
}

TEST(CompileErrors, MissingTypeNamesItsHeader) {
    const auto error = error_of<CompileError>("__global__ void k(half *x) {}\n");
    EXPECT_THAT(error.what(), HasSubstr("'half' is not declared; add #include <cuda_fp16.h>"));
}

TEST(CompileErrors, MissingNamespaceNamesItsHeader) {
    const auto error =
        error_of<CompileError>("__global__ void k() { cooperative_groups::this_grid(); }");
    EXPECT_THAT(error.what(), HasSubstr("add #include <cooperative_groups.h>"));
}

TEST(CompileErrors, HostFunctionInAKernelIsAnError) {
    const auto error = error_of<CompileError>(
        "int host() { return 1; }\n__global__ void k(int *x) { *x = host(); }");
    EXPECT_THAT(error.log(), HasSubstr("call to __host__ function from __global__ function"));
}

TEST(CompileErrors, HostApiIsExplained) {
    const auto error =
        error_of<CompileError>("__global__ void k(void **x) { cudaMallocHost(x, 4); }");
    EXPECT_THAT(error.what(), HasSubstr("from the host program"));
}

TEST(Unsupported, LaunchInAKernelIsNamedWithItsLine) {
    compiler::CompileRequest launching =
        request("__global__ void k();\n__global__ void k() {\n  k<<<1, 1>>>();\n}\n");
    launching.format = "ptx";  // on the CPU it runs
    const auto error = error_of<UnsupportedError>(launching);
    EXPECT_THAT(error.what(), HasSubstr("k.cu:3:"));
    EXPECT_THAT(error.what(), HasSubstr("<<<...>>>"));
}

TEST(Unsupported, ThrowIsNamedWithItsLine) {
    const auto error = error_of<UnsupportedError>("__global__ void k() {\n  throw 1;\n}\n");
    EXPECT_THAT(error.what(), HasSubstr("k.cu:2:3: error: exceptions ('throw')"));
}

TEST(Unsupported, TryIsNamed) {
    EXPECT_THROW(run("__global__ void k() { try { } catch (...) { } }"), UnsupportedError);
}

TEST(Unsupported, PlaceAndCaretAreThoseOfACompileError) {
    const auto error = error_of<UnsupportedError>("__global__ void k() {\n  throw 1;\n}\n");
    EXPECT_EQ(error.file(), "k.cu");
    EXPECT_EQ(error.line(), 2);
    EXPECT_THAT(error.log(), HasSubstr("    2 |   throw 1;\n      |   ^"));
}

TEST(Unsupported, IsReportedWhereItStandsAfterOtherErrors) {
    const auto error =
        error_of<UnsupportedError>("__device__ int x = y;\n__global__ void k() {\n  throw 1;\n}\n");
    EXPECT_EQ(error.line(), 3);
    EXPECT_THAT(error.log(), HasSubstr("k.cu:1:20: error: use of undeclared identifier 'y'"));
}

TEST(Unsupported, TypeidIsNamed) {
    const auto error = error_of<UnsupportedError>(
        "struct A { virtual __device__ void f() {} };\n"
        "__global__ void k(A *a, bool *x) { *x = typeid(*a) == typeid(A); }");
    EXPECT_THAT(error.what(), HasSubstr("k.cu:2:41: error: typeid is not supported"));
}

TEST(Unsupported, ClusterDimensionsAreNamedWithTheirLine) {
    const auto error = error_of<UnsupportedError>(
        "\n__global__ void __cluster_dims__(2, 1, 1) k(float *x) { *x = 1; }");
    EXPECT_THAT(error.what(), HasSubstr("k.cu:2:17: error: '__cluster_dims__': thread block"));
    EXPECT_THAT(error.log(), HasSubstr("                ^"));
}

TEST(Unsupported, AUsersOwnErrorPragmaIsACompileError) {
    const auto error = error_of<CompileError>("#pragma GCC error \"mine\"\n");
    EXPECT_THAT(error.what(), HasSubstr("k.cu:1:13: error: mine"));
}

TEST(Unsupported, VaArgIsNamed) {
    const auto error = error_of<UnsupportedError>(
        "__device__ int f(int n, ...) {\n  __builtin_va_list l;\n  __builtin_va_start(l, n);\n"
        "  return __builtin_va_arg(l, int);\n}\n__global__ void k(int *x) { *x = f(1, 2); }\n");
    EXPECT_THAT(error.what(), HasSubstr("va_arg"));
}

TEST(Unsupported, ClusterGroupIsNamedWithItsLine) {
    const auto error = error_of<UnsupportedError>(
        "#include <cooperative_groups.h>\n__global__ void k() {\n"
        "  cooperative_groups::this_cluster().sync();\n}\n");
    EXPECT_THAT(error.what(), HasSubstr("k.cu:3:23: error: 'this_cluster': thread block clusters"));
}

TEST(Warnings, GoToTheLogAndNotToErrors) {
    const Translation result = run("__global__ void k(int *x) { *x = 1 / 0; }");
    EXPECT_THAT(result.log, HasSubstr("k.cu:1:36: warning: division by zero"));
}

TEST(Warnings, OfCorrectCodeThereAreNone) {
    EXPECT_EQ(run("#include <cuda_runtime.h>\n#include <stdio.h>\n"
                  "__global__ void k(float *x) { x[threadIdx.x] *= 2; printf(\"%d\\n\", 1); }")
                  .log,
              "");
}

TEST(Warnings, AreSwitchedOffByOption) {
    EXPECT_EQ(run("__global__ void k(int *x) { *x = 1 / 0; }", {"-w"}).log, "");
}

TEST(DiagnosticText, ShowsTheLineOfTheSource) {
    Translation translation;
    translation.name = "k.cu";
    translation.source = "one\n\ttwo three\n";
    EXPECT_EQ(diagnostic_text(translation, "k.cu", 2, 6, "bad word"),
              "k.cu:2:6: error: bad word\n    2 | \ttwo three\n      | \t    ^\n");
}

TEST(DiagnosticText, OfAnotherFileIsOneLine) {
    EXPECT_EQ(diagnostic_text(Translation(), "/__request__/a.h", 2, 6, "bad word"),
              "a.h:2:6: error: bad word\n");
}

}  // namespace
}  // namespace warpwise::cpu_compiler
