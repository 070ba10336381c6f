// A library that is no NVRTC.
#include "src/backends/cuda/nvrtc/nvrtc.hpp"

#include <dlfcn.h>
#include <gmock/gmock.h>

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

}  // namespace
}  // namespace warpwise::cuda
