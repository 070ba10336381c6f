// nvcc's options in terms of NVRTC.
#include "src/backends/cuda/nvrtc/nvrtc_options.hpp"

#include <gmock/gmock.h>

#include "warpwise/error.hpp"

namespace warpwise::cuda {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(NvrtcOptions, KeepDefinesInBothSpellings) {
    EXPECT_THAT(nvrtc_options({"-DA=1", "-D", "B"}).options, ElementsAre("-DA=1", "-DB"));
}

TEST(NvrtcOptions, SpellNamesAsNvrtcDoes) {
    EXPECT_THAT(nvrtc_options({"-std=c++14", "-maxrregcount", "32", "-use_fast_math"}).options,
                ElementsAre("--std=c++14", "--maxrregcount=32", "-use_fast_math"));
}

TEST(NvrtcOptions, GivePtxasOneAtATime) {
    EXPECT_THAT(
        nvrtc_options({"-Xptxas", "-v,-dlcm=cg", "--ptxas-options=-v"}).options,
        ElementsAre("--ptxas-options=-v", "--ptxas-options=-dlcm=cg", "--ptxas-options=-v"));
}

TEST(NvrtcOptions, NameALibraryOnce) {
    EXPECT_THAT(nvrtc_options({"-lcudadevrt", "-l", "m", "-lcudadevrt"}).libraries,
                ElementsAre("cudadevrt", "m"));
}

TEST(NvrtcOptions, TellTheFrontEndOfParts) {
    for (const char* option : {"-dc", "-rdc=true", "-dlto"}) {
        EXPECT_THAT(nvrtc_options({option}).front_end, ElementsAre("-rdc=true"));
    }
    EXPECT_THAT(nvrtc_options({"-rdc=false"}).front_end, IsEmpty());
}

TEST(NvrtcOptions, KeepTheArchitectureApart) {
    const NvrtcOptions result = nvrtc_options({"-arch=sm_80"});
    EXPECT_EQ(result.architecture, "sm_80");
    EXPECT_THAT(result.options, IsEmpty());
}

TEST(NvrtcOptions, PassOverWhatIsForTheHostCompiler) {
    const NvrtcOptions result = nvrtc_options({"-O3", "-Xcompiler", "-fPIC", "-m64"});
    EXPECT_THAT(result.options, IsEmpty());
    EXPECT_THAT(result.passed_over, ElementsAre("-O3", "-Xcompiler", "-m64"));
}

TEST(NvrtcOptions, PassOverTheWarningsOfOtherCompilers) {
    const NvrtcOptions result = nvrtc_options({"-Wall"});
    EXPECT_THAT(result.options, IsEmpty());
    EXPECT_THAT(result.passed_over, ElementsAre("-Wall"));
}

TEST(NvrtcOptions, LeaveWhatIsUnknownToNvrtc) {
    EXPECT_THAT(nvrtc_options({"--bogus", "-W"}).options, ElementsAre("--bogus", "-W"));
}

TEST(NvrtcOptions, WantTheirValues) {
    EXPECT_THROW(nvrtc_options({"-maxrregcount"}), ArgumentError);
}

}  // namespace
}  // namespace warpwise::cuda
