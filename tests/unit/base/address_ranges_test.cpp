// Reserved addresses: aligned, of the size asked for, and with memory only where it was backed.
#include "src/base/address_ranges.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <vector>

namespace warpwise {
namespace {

bool is_mapped(std::uintptr_t address, std::size_t bytes) {
    std::vector<unsigned char> pages(bytes / 4096);
    return ::mincore(reinterpret_cast<void*>(address), bytes, pages.data()) == 0;
}

TEST(AddressRanges, BeginAtAGranule) {
    // Several, since the system may by chance give an aligned one.
    std::vector<std::uintptr_t> ranges;
    for (int i = 0; i < 8; ++i) ranges.push_back(reserve_addresses(kRangeGranule));
    for (const std::uintptr_t range : ranges) {
        EXPECT_NE(range, 0u);
        EXPECT_EQ(range % kRangeGranule, 0u);
        release_addresses(range, kRangeGranule);
    }
}

TEST(AddressRanges, AreReservedWhole) {
    const std::uintptr_t range = reserve_addresses(4 * kRangeGranule);
    ASSERT_NE(range, 0u);
    EXPECT_TRUE(is_mapped(range, 4 * kRangeGranule));
    release_addresses(range, 4 * kRangeGranule);
    EXPECT_FALSE(is_mapped(range, kRangeGranule));
}

TEST(AddressRanges, BackedMemoryIsZero) {
    const std::uintptr_t range = reserve_addresses(kRangeGranule);
    ASSERT_TRUE(back_addresses(range, kRangeGranule));
    auto* const last = reinterpret_cast<unsigned char*>(range + kRangeGranule - 1);
    EXPECT_EQ(*last, 0);
    *last = 7;
    release_addresses(range, kRangeGranule);
}

TEST(AddressRanges, UnbackedMemoryIsGone) {
    const std::uintptr_t range = reserve_addresses(kRangeGranule);
    ASSERT_TRUE(back_addresses(range, kRangeGranule));
    auto* const first = reinterpret_cast<unsigned char*>(range);
    *first = 7;
    unback_addresses(range, kRangeGranule);
    ASSERT_TRUE(back_addresses(range, kRangeGranule));
    EXPECT_EQ(*first, 0);
    release_addresses(range, kRangeGranule);
}

TEST(AddressRanges, ThereAreNoneOfAllAddresses) {
    EXPECT_EQ(reserve_addresses(~std::size_t{0} - kRangeGranule / 2), 0u);
    EXPECT_EQ(reserve_addresses(std::size_t{1} << 62), 0u);
}

}  // namespace
}  // namespace warpwise
