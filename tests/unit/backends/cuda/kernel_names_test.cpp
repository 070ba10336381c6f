// From compilers' names of kernels to users'.
#include "src/backends/cuda/nvrtc/kernel_names.hpp"

#include <gtest/gtest.h>

namespace warpwise::cuda {
namespace {

TEST(KernelNames, AreWhatUsersWrite) {
    EXPECT_EQ(kernel_name("_Z5saxpyfPKfPf"), "saxpy");
    EXPECT_EQ(kernel_name("_Z5scaleIfEvPT_S0_i"), "scale<float>");
    EXPECT_EQ(kernel_name("_ZN4ours5scaleIfEEvPT_"), "ours::scale<float>");
    EXPECT_EQ(kernel_name("_ZN12_GLOBAL__N_11kEPi"), "(anonymous namespace)::k");
    // A parameter that is a function, a template's argument with brackets.
    EXPECT_EQ(kernel_name("_Z5applyPFvvEPi"), "apply");
    EXPECT_EQ(kernel_name("_Z4callILi3EEvv"), "call<3>");
}

TEST(KernelNames, StayWhereTheyAreNotMangled) {
    for (const char* name : {"saxpy", "", "_Z", "_Zgarbage", "$_0", "a(b"}) {
        EXPECT_EQ(kernel_name(name), name);
    }
}

}  // namespace
}  // namespace warpwise::cuda
