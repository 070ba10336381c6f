// 16-bit floats as bits: every bit pattern survives a round trip, and rounding is to nearest even.
#include "src/types/half.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace warpwise::types {
namespace {

TEST(Float16, EveryPatternButNaNsSurvivesARoundTrip) {
    for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
        const auto pattern = static_cast<std::uint16_t>(bits);
        const double value = float16_value(pattern);
        if (std::isnan(value)) continue;
        ASSERT_EQ(float16_bits(value), pattern) << bits;
    }
}

TEST(BFloat16, IsTheUpperHalfOfAFloat) {
    for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
        const auto pattern = static_cast<std::uint16_t>(bits);
        const auto value = std::bit_cast<float>(bits << 16);
        if (std::isnan(value)) continue;
        ASSERT_EQ(bfloat16_value(pattern), static_cast<double>(value)) << bits;
        ASSERT_EQ(bfloat16_bits(value), pattern) << bits;
    }
}

TEST(Float16, RoundsBetweenNeighboursToTheNearestAndTiesToEven) {
    for (std::uint16_t below = 0; below < 0x7bff; ++below) {
        const double low = float16_value(below);
        const auto above = static_cast<std::uint16_t>(below + 1);
        const double middle = (low + float16_value(above)) / 2;
        ASSERT_EQ(float16_bits(middle), (below & 1) == 0 ? below : above) << below;
        ASSERT_EQ(float16_bits(std::nextafter(middle, 1e9)), above) << below;
        ASSERT_EQ(float16_bits(std::nextafter(middle, 0.0)), below) << below;
        ASSERT_EQ(float16_bits(-middle), float16_bits(middle) | 0x8000) << below;
    }
}

TEST(Float16, OverflowsToInfinityFromTheMiddleBeyondTheLargest) {
    EXPECT_EQ(float16_bits(65519.99), 0x7bff);
    EXPECT_EQ(float16_bits(65520.0), 0x7c00);
    EXPECT_EQ(float16_bits(-1e300), 0xfc00);
    EXPECT_EQ(float16_bits(5e-324), 0);
}

TEST(BFloat16, OverflowsToInfinityAndKeepsNaNs) {
    EXPECT_EQ(bfloat16_bits(std::numeric_limits<float>::max()), 0x7f80);
    EXPECT_EQ(bfloat16_bits(-std::numeric_limits<float>::infinity()), 0xff80);
    EXPECT_TRUE(std::isnan(bfloat16_value(bfloat16_bits(std::nanf("")))));
    EXPECT_TRUE(std::isnan(float16_value(float16_bits(std::nan("")))));
}

}  // namespace
}  // namespace warpwise::types
