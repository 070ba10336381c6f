// Options as users of nvcc, NVRTC and PyCUDA write them.
#include "src/backends/cpu/compiler/frontend/options.hpp"

#include "tests/unit/backends/cpu_compiler/frontend_fixture.hpp"

namespace warpwise::cpu_compiler {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

FrontendOptions parse(std::vector<std::string> options) {
    return parse_options(options);
}

std::string complaint(std::vector<std::string> options) {
    try {
        parse_options(options);
    } catch (const ArgumentError& error) {
        return error.what();
    }
    return "none";
}

TEST(Options, MacrosInEverySpelling) {
    EXPECT_THAT(parse({"-DA", "-D", "B=2", "--define-macro=C=x=y", "--define-macro", "F(x)=x+1"})
                    .macro_lines,
                ElementsAre("#define A 1", "#define B 2", "#define C x=y", "#define F(x) x+1"));
}

TEST(Options, UndefineKeepsItsPlace) {
    EXPECT_THAT(parse({"-DA", "-UA", "--undefine-macro=B"}).macro_lines,
                ElementsAre("#define A 1", "#undef A", "#undef B"));
}

TEST(Options, IncludeFoldersInEverySpelling) {
    EXPECT_THAT(parse({"-Ia", "-I", "b", "--include-path=c"}).include_dirs,
                ElementsAre("a", "b", "c"));
}

TEST(Options, StandardOfGnuIsTheStandard) {
    EXPECT_EQ(parse({"-std=gnu++20"}).standard, "c++20");
}

TEST(Options, StandardInTwoWords) {
    EXPECT_EQ(parse({"--std", "c++11"}).standard, "c++11");
}

TEST(Options, FastMathFlushesDenormals) {
    EXPECT_TRUE(parse({"--use_fast_math"}).flush_denormals);
}

TEST(Options, CompilerOnlyOptionsAreNotedNotRefused) {
    const FrontendOptions options =
        parse({"-arch=sm_70", "-gencode", "arch=compute_70,code=sm_70", "-Xptxas", "-v",
               "--maxrregcount=32", "-O3", "-O", "2", "-lineinfo", "-G"});
    ASSERT_EQ(options.notes.size(), 5u);
    EXPECT_THAT(options.notes[0], HasSubstr("'-arch=sm_70' has no effect"));
}

TEST(Options, UnknownOptionNamesTheNearest) {
    EXPECT_THAT(complaint({"--use_fast_mth"}), HasSubstr("'--use_fast_mth'"));
    EXPECT_THAT(complaint({"--use_fast_mth"}), HasSubstr("did you mean '--use_fast_math'?"));
    EXPECT_THAT(complaint({"--fmd=false"}), HasSubstr("did you mean '--fmad'?"));
}

TEST(Options, MissingValueIsNamed) {
    EXPECT_THAT(complaint({"-I"}), HasSubstr("expects a value"));
}

TEST(Options, BadMacroNameIsRefused) {
    EXPECT_THAT(complaint({"-D3=4"}), HasSubstr("NAME=VALUE"));
    EXPECT_THAT(complaint({"-U a b"}), HasSubstr("macro's name"));
}

TEST(Options, BadStandardNamesTheGoodOnes) {
    EXPECT_THAT(complaint({"-std=c++98"}), HasSubstr("c++11, c++14, c++17 or c++20"));
}

TEST(Options, BadTruthIsRefused) {
    EXPECT_THAT(complaint({"--ftz=maybe"}), HasSubstr("true or false"));
}

TEST(Options, BadLevelIsRefused) {
    EXPECT_THAT(complaint({"-O7"}), HasSubstr("0, 1, 2 or 3"));
}

TEST(OptionsAtWork, MacroReachesTheSource) {
    EXPECT_EQ(run("__device__ float x[N];", {"-DN=4"}).globals.at(0).size, 16u);
}

TEST(OptionsAtWork, MacroDoesNotReachTheBuiltInHeaders) {
    EXPECT_NO_THROW(run("__global__ void k() {}", {"-Dx=y", "-Dvalue=0", "-DT=int"}));
}

TEST(OptionsAtWork, UserMayRedefineAMacroOfHisOptions) {
    EXPECT_EQ(run("#undef N\n#define N 8\n__device__ char x[N];", {"-DN=4"}).globals.at(0).size,
              8u);
}

TEST(OptionsAtWork, EveryStandardCompiles) {
    for (const char* standard : {"c++11", "c++14", "c++17", "c++20"}) {
        EXPECT_EQ(run("__global__ void k() {}", {std::string("-std=") + standard}).kernels.size(),
                  1u)
            << standard;
    }
}

TEST(OptionsAtWork, ArchitectureMacroIsOneOfAGpu) {
    EXPECT_EQ(run("__device__ char x[__CUDA_ARCH__];").globals.at(0).size, 800u);
}

TEST(OptionsAtWork, FunctionsWithoutAttributesCanBeDeviceFunctions) {
    EXPECT_NO_THROW(run("int f() { return 1; }\n__global__ void k(int *x) { *x = f(); }",
                        {"--device-as-default-execution-space"}));
}

TEST(OptionsAtWork, NotesAreInTheLog) {
    for (const std::string option : {"-G", "--nvcc"}) {
        EXPECT_THAT(run("__global__ void k() {}", {option}).log,
                    HasSubstr("option '" + option + "' has no effect"));
    }
}

}  // namespace
}  // namespace warpwise::cpu_compiler
