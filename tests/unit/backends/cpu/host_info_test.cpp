// The host's name and level, and which levels a user may ask for.
#include "src/backends/cpu/host_info.hpp"

#include <gtest/gtest.h>

#include "warpwise/error.hpp"

namespace warpwise::cpu {
namespace {

TEST(HostInfo, TheNameLosesItsMarketingMarks) {
    EXPECT_EQ(processor_name_in("vendor_id\t: x\nmodel name\t: Intel(R) Xeon(R) CPU  @ 2.50GHz\n"),
              "Intel Xeon @ 2.50GHz");
}

TEST(HostInfo, ATextWithoutAModelHasNoName) {
    EXPECT_EQ(processor_name_in("flags : sse\n"), "");
}

TEST(HostInfo, NativeIsTheHostsLevel) {
    EXPECT_EQ(chosen_level("native"), native_level());
}

TEST(HostInfo, ALowerLevelCanBeChosen) {
    EXPECT_EQ(chosen_level("x86-64-v2"), "x86-64-v2");
}

TEST(HostInfo, AnUnknownLevelIsRefusedWithTheOnesThereAre) {
    try {
        chosen_level("pentium");
        FAIL() << "accepted";
    } catch (const DeviceError& error) {
        EXPECT_NE(std::string(error.what()).find("x86-64-v3"), std::string::npos);
    }
}

}  // namespace
}  // namespace warpwise::cpu
