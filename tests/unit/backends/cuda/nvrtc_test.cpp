// A library that is no NVRTC, and what its log becomes.
#include "src/backends/cuda/nvrtc/nvrtc.hpp"

#include <dlfcn.h>
#include <gmock/gmock.h>

#include "src/backends/cuda/nvrtc/nvrtc_errors.hpp"
#include "warpwise/error.hpp"

namespace warpwise::cuda {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(NvrtcLibrary, SaysWhatItLacks) {
    try {
        const Nvrtc nvrtc(::dlopen("libm.so.6", RTLD_NOW), "libm.so.6");
        FAIL() << "nothing was thrown";
    } catch (const DeviceError& error) {
        EXPECT_THAT(error.what(), AllOf(HasSubstr("'libm.so.6'"), HasSubstr("nvrtcVersion")));
    }
}

TEST(NvrtcLog, MessagesGetTheColumnOfTheirCaret) {
    EXPECT_EQ(with_columns("scale.operation(2): error: identifier \"y\" is undefined\n"
                           "  x[i] = y;\n"
                           "         ^\n\n1 error detected in the compilation of \"scale.cu\".\n"),
              "scale.operation:2:8: error: identifier \"y\" is undefined\n"
              "  x[i] = y;\n"
              "         ^\n\n1 error detected in the compilation of \"scale.cu\".\n");
}

TEST(NvrtcLog, WarningsHaveColumnsToo) {
    EXPECT_EQ(with_columns("k.cu(10): warning #177-D: variable \"n\" was never referenced\n"
                           "    int n;\n"
                           "        ^\n"),
              "k.cu:10:7: warning #177-D: variable \"n\" was never referenced\n"
              "    int n;\n"
              "        ^\n");
}

TEST(NvrtcLog, MessagesWithoutACaretStayAsTheyAre) {
    constexpr const char* kLog = "k.cu(1): error: wrong\nnvrtc: error: no place at all\n";
    EXPECT_EQ(with_columns(kLog), kLog);
}

TEST(NvrtcLog, TheFirstErrorIsThrownWithItsPlace) {
    const auto place = [](const std::string& log) {
        try {
            throw_compile_error(log, 13000);
        } catch (const CompileError& error) {
            return error.file() + " " + std::to_string(error.line());
        }
    };
    EXPECT_EQ(place("k.cu(2): warning #1-D: unused\nk.cu(3): error: wrong\n"), "k.cu 3");
    EXPECT_EQ(place("k.cu:4:7: error: wrong\n"), "k.cu 4");
    EXPECT_EQ(place("error: wrong\n"), " 0");
}

}  // namespace
}  // namespace warpwise::cuda
