// The host's name.
#include "src/backends/cpu/host/host_info.hpp"

#include <gtest/gtest.h>

namespace warpwise::cpu {
namespace {

TEST(HostInfo, TheNameLosesItsMarketingMarks) {
    EXPECT_EQ(processor_name_in("vendor_id\t: x\nmodel name\t: Intel(R) Xeon(R) CPU  @ 2.50GHz\n"),
              "Intel Xeon @ 2.50GHz");
}

TEST(HostInfo, ATextWithoutAModelHasNoName) {
    EXPECT_EQ(processor_name_in("flags : sse\n"), "");
}

}  // namespace
}  // namespace warpwise::cpu
