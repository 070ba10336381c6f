// Whole programs: what their host code needs is left out, what their device code needs is not.
#include "src/backends/cpu/compiler/frontend/parse/declarations.hpp"
#include "src/backends/cpu/compiler/frontend/source_form.hpp"
#include "src/base/log.hpp"
#include "tests/unit/backends/cpu_compiler/frontend_fixture.hpp"

namespace warpwise::cpu_compiler {
namespace {

using testing::HasSubstr;

constexpr const char* kKernel = "__global__ void k(int *x) { *x = 1; }\n";

// How often clang reads a source, whether it compiles or not.
int parses_of(const std::string& source) {
    int count = 0;
    const log::Level level = log::level();
    log::set_level(log::Level::Debug);
    log::Sink previous = log::set_sink([&](log::Level, std::string_view line) {
        if (line.find("clang parses ") != line.npos) ++count;
    });
    try {
        run(source);
    } catch (const CompileError&) {
        EXPECT_GT(count, 0);
    }
    log::set_sink(std::move(previous));
    log::set_level(level);
    return count;
}

TEST(HostCode, BodiesOfHostFunctionsAreNotRead) {
    EXPECT_EQ(run(std::string(kKernel) +
                  "int main() { int *d; cudaMalloc(&d, 4); k<<<1, 1>>>(d); std::sort(d, d); }")
                  .kernels.size(),
              1u);
}

TEST(HostCode, MethodsOfHostClassesAreNotRead) {
    EXPECT_EQ(run(std::string("struct Timer { void stop() { cudaEventRecord(e); } };\n") + kKernel)
                  .kernels.size(),
              1u);
}

TEST(HostCode, HeadersOfTheHostMayBeMissing) {
    const Translation result =
        run(std::string("#include <iostream>\n#include <sys/time.h>\n"
                        "#include <cublas_v2.h>\n#include \"helper_cuda.h\"\n") +
            kKernel);
    EXPECT_EQ(result.kernels.size(), 1u);
    EXPECT_THAT(result.log, HasSubstr("<iostream> is a header of the host's C++ library"));
}

TEST(HostCode, DeclarationsThatNeedThemAreLeftOut) {
    const Translation result =
        run(std::string("#include <regex>\nusing namespace std;\nstd::regex all;\n"
                        "void show(const regex &v);\n") +
            kKernel);
    EXPECT_EQ(result.kernels.size(), 1u);
    EXPECT_THAT(result.log,
                HasSubstr("line 3 of the source: host code that does not compile here"));
}

TEST(HostCode, WhatStandsOnThemIsLeftOutToo) {
    EXPECT_EQ(run(std::string("#include <string>\nstruct Job { std::string name; };\n"
                              "static Job first;\nstruct Queue { Job jobs[4]; } queue;\n") +
                  kKernel)
                  .kernels.size(),
              1u);
}

TEST(HostCode, AMemberFunctionGoesAloneAndTheDataStays) {
    const Translation result =
        run("#include <vector>\nstruct Grid {\n  int n;\n  void read(std::vector<int> v);\n"
            "  __device__ int size() const { return n; }\n};\n"
            "__global__ void k(Grid g, int *x) { *x = g.size(); }\n");
    EXPECT_EQ(result.kernels.at(0).signature.argument_bytes, 16u);
}

TEST(HostCode, HeadersOfTheHostBringAlongWhatDeviceCodeUses) {
    EXPECT_EQ(run("#include <iostream>\n__global__ void k(int *x) { *x = std::min(*x, 2); }\n")
                  .kernels.size(),
              1u);
}

TEST(HostCode, InAHeaderIsLeftOutThere) {
    compiler::CompileRequest program = request(std::string("#include \"mine.h\"\n") + kKernel);
    program.headers = {{"mine.h", "#include <regex>\nstd::regex name();\n"}};
    EXPECT_THAT(translate(program).log, HasSubstr("line 2 of mine.h"));
}

TEST(HostCode, ATypeThatAKernelTakesIsMissed) {
    const auto error = error_of<CompileError>(
        "#include <regex>\nstruct Job { std::regex name; };\n__global__ void k(Job *job) {}\n");
    EXPECT_EQ(error.line(), 3);
    EXPECT_THAT(error.log(), HasSubstr("line 2 of the source: host code"));
}

TEST(HostCode, BesideTemplatesAloneIsLeftOutToo) {
    const Translation result =
        run("#include <torch/extension.h>\nusing at::Tensor;\n"
            "template <class T> __global__ void k(T *x) { *x = 1; }\n"
            "void start(Tensor x) { k<float><<<1, 1>>>(x.data()); }\n");
    EXPECT_EQ(result.templates.size(), 1u);
}

TEST(HostCode, AloneAndBrokenIsAnError) {
    EXPECT_EQ(error_of<CompileError>("hello();\nnothing here;\n").line(), 1);
}

TEST(HostCode, BrokenGrammarIsAnErrorBesideAKernel) {
    EXPECT_THROW(run(std::string(kKernel) + "int f( { }\n"), CompileError);
}

TEST(LateLookup, TemplatesMayUseWhatIsDeclaredLater) {
    EXPECT_EQ(run("template <class T> __global__ void k(T *x) { *x = next(*x); }\n"
                  "template <class T> __device__ T next(T x) { return x + 1; }\n"
                  "template __global__ void k<float>(float *);\n")
                  .kernels.size(),
              1u);
}

TEST(LateLookup, FindsNoMoreThanThereIs) {
    const auto error = error_of<CompileError>(
        "template <class T> __global__ void k(T *x) { *x = next(*x); }\n"
        "template __global__ void k<float>(float *);\n");
    EXPECT_EQ(error.line(), 1);
}

TEST(ParseCount, HostCodeBesideTemplatesIsNotLookedUpLate) {
    // As it stands, with the host's library, without the structure, without its user.
    EXPECT_EQ(parses_of("struct Layer;\n"
                        "struct Layer { Unknown member; };\n"
                        "template <class T> __device__ T next(T x) { return x + 1; }\n"
                        "void start(Layer layer) {}\n"
                        "__global__ void k(int *x) { *x = next(*x); }\n"),
              4);
}

TEST(ParseCount, AMissingHeaderCostsNoParseBesideOtherDefects) {
    // As it stands, with the host's library and no header, without the host function.
    EXPECT_EQ(parses_of(std::string("Unknown start();\n#include \"own.h\"\n") + kKernel), 3);
}

// Sources that clang's CUDA mode takes as they stand, or with what the preamble adds.
constexpr const char* kThatParse[] = {
    "__global__ void k(int *x) { *x = 1; }",
    "int twice(int i) { return 2 * i; }\n"
    "int main() { int *d; cudaMalloc(&d, 4); k<<<1, 1>>>(d); printf(\"%d\", undeclared); }\n"
    "__global__ void k(int *x) { *x = 1; }",
    "#include <vector>\n#include <iostream>\n"
    "std::vector<float> values(std::size_t n) { return std::vector<float>(n); }\n"
    "__global__ void k(int *x) { *x = 1; }",
    "extern \"C\" {\n__device__ float square(float x) { return x * x; }\n"
    "__global__ void k(float *x) { *x = square(*x); }\n}",
    "texture<float, 2> image;\n__global__ void k(float *x) { *x = tex2D(image, 0, 0); }",
    "template <class T> struct texture { T texel; };\n"
    "__global__ void k(texture<float> t, float *x) { *x = t.texel; }",
    "namespace n { template <class T> __device__ T one() { return 1; } }\n"
    "__global__ void k(int *x) { *x = n::one<int>(); }",
    "#define N 4\n#if N > 3\n__constant__ int table[N];\n#endif\n"
    "__global__ void k(int *x) { *x = table[N - 1]; }",
    "#include <cooperative_groups.h>\n#include <cuda_fp16.h>\n"
    "__global__ void k(__half *x) { cooperative_groups::this_thread_block().sync(); *x = 1; }",
};

TEST(ParseCount, ASourceThatParsesIsParsedTwiceAtMost) {
    for (const char* source : kThatParse) {
        EXPECT_LE(parses_of(source), 2) << source;
        EXPECT_EQ(run(source).kernels.size(), 1u) << source;
    }
}

TEST(ParseCount, AKernelAloneIsParsedOnce) {
    EXPECT_EQ(parses_of(kKernel), 1);
}

// `count` types and functions of the host, each of which is an error once the one before is gone:
// more rounds than there may be.
std::string chain(int count) {
    std::string source = "struct T0 { Unknown member; };\n";
    for (int i = 1; i < count; ++i) {
        const std::string number = std::to_string(i);
        source += "struct T" + number + " { T" + std::to_string(i - 1) + " inner; };\n";
        source += "T" + number + " make" + number + "(int (&)[sizeof(T" + number + ")]);\n";
    }
    return source;
}

TEST(ParseCount, TheFallbackIsBounded) {
    const std::string sources[] = {
        chain(40) + kKernel,
        chain(40) + "#include \"own.h\"\n" + chain(3) + kKernel,
        "#include <regex>\n" + chain(40) +
            "template <class T> __device__ T next(T x) { return later(x); }\n"
            "template <class T> __device__ T later(T x) { return x; }\n" +
            kKernel,
        chain(40) + "__device__ Missing broken(T39 t);\n" + kKernel,
        std::string(kKernel) + "namespace { class A : Unknown { A(); };\n" + chain(40) + "}\n",
        chain(40) + "__global__ void k(T39 *x) { x->inner.inner.member = 1; }\n",
    };
    for (const std::string& source : sources) {
        EXPECT_EQ(parses_of(source), kMostParses) << source;
    }
}

TEST(OldDialect, RegisterAndNarrowing) {
    EXPECT_EQ(run("__global__ void k(int *x, double d) { register int i = 1; int a[] = {d}; "
                  "*x = i + a[0]; }")
                  .kernels.size(),
              1u);
}

TEST(Blank, KeepsLinesAndDirectives) {
    std::string text = "a;\nint f() {\n#if 1 // \"\n  x /*\n# no\n*/ y\n#endif\n}\nb;\n";
    blank(text, {"", 3, static_cast<unsigned>(text.find("b;"))});
    EXPECT_EQ(text, "a;\n         \n#if 1 // \"\n      \n    \n    \n#endif\n \nb;\n");
}

}  // namespace
}  // namespace warpwise::cpu_compiler
