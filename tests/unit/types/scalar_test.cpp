// Single numbers: which C++ value becomes which weak kind, conversions, ranges, text.
#include "warpwise/scalar.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <string>

namespace warpwise {
namespace {

constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();

template <class T>
T stored(const Scalar& scalar, Kind kind) {
    alignas(16) unsigned char bytes[16] = {};
    scalar.store(kind, bytes);
    T value;
    std::memcpy(&value, bytes, sizeof value);
    return value;
}

TEST(Scalar, OfACppNumberIsWeakAndOfItsCategory) {
    EXPECT_EQ(Scalar(true).kind(), Kind::Bool);
    EXPECT_EQ(Scalar(std::int8_t{-1}).kind(), Kind::Int64);
    EXPECT_EQ(Scalar(3U).kind(), Kind::Int64);
    EXPECT_EQ(Scalar(kMost).kind(), Kind::UInt64);
    EXPECT_EQ(Scalar(1.5F).kind(), Kind::Float64);
    EXPECT_EQ(Scalar(std::complex<float>(1, 2)).kind(), Kind::Complex128);
    EXPECT_TRUE(Scalar(2.0).is_weak());
    EXPECT_FALSE(Scalar(2.0).typed(Kind::Float32).is_weak());
}

TEST(Scalar, IntegersWrapAsTheyAreStored) {
    std::mt19937_64 random(std::random_device{}());
    for (int round = 0; round < 1000; ++round) {
        const auto value = static_cast<std::int64_t>(random());
        EXPECT_EQ(stored<std::int8_t>(value, Kind::Int8), static_cast<std::int8_t>(value));
        EXPECT_EQ(stored<std::uint16_t>(value, Kind::UInt16), static_cast<std::uint16_t>(value));
        EXPECT_EQ(stored<std::int32_t>(value, Kind::Int32), static_cast<std::int32_t>(value));
        EXPECT_EQ(stored<std::uint64_t>(value, Kind::UInt64), static_cast<std::uint64_t>(value));
        EXPECT_EQ(stored<float>(value, Kind::Float32), static_cast<float>(value));
        EXPECT_EQ(stored<double>(value, Kind::Float64), static_cast<double>(value));
    }
}

TEST(Scalar, FloatsBecomeIntegersTowardsZeroAndSaturate) {
    EXPECT_EQ(stored<std::int8_t>(-2.9, Kind::Int8), -2);
    EXPECT_EQ(stored<std::int8_t>(1e9, Kind::Int8), 127);
    EXPECT_EQ(stored<std::int16_t>(-1e9, Kind::Int16), -32768);
    EXPECT_EQ(stored<std::uint8_t>(-3.0, Kind::UInt8), 0);
    EXPECT_EQ(stored<std::uint64_t>(1e30, Kind::UInt64), kMost);
    EXPECT_EQ(stored<std::int64_t>(-1e30, Kind::Int64), kLeast);
    EXPECT_EQ(stored<std::int32_t>(std::nan(""), Kind::Int32), 0);
}

TEST(Scalar, StoresBoolsAsWhetherNotZero) {
    EXPECT_EQ(stored<std::uint8_t>(256, Kind::Bool), 1);
    EXPECT_EQ(stored<std::uint8_t>(std::nan(""), Kind::Bool), 1);
    EXPECT_EQ(stored<std::uint8_t>(-0.0, Kind::Bool), 0);
    EXPECT_EQ(stored<std::uint8_t>(std::complex<double>(0, 1), Kind::Bool), 1);
    EXPECT_TRUE(Scalar::load(Kind::Bool, "\x02").as_bool());
}

TEST(Scalar, KeepsItsValueThroughMemoryOfItsKind) {
    std::mt19937 random(std::random_device{}());
    for (const Kind kind :
         {Kind::Bool, Kind::Int8, Kind::UInt8, Kind::Int16, Kind::UInt16, Kind::Int32, Kind::UInt32,
          Kind::Int64, Kind::UInt64, Kind::Float16, Kind::BFloat16, Kind::Float32, Kind::Float64,
          Kind::Complex64, Kind::Complex128}) {
        const std::complex<double> number(static_cast<double>(random() % 100), 3);
        const Scalar typed = Scalar(number).typed(kind);
        EXPECT_EQ(typed.kind(), kind);
        alignas(16) unsigned char bytes[16] = {};
        typed.store(kind, bytes);
        const Scalar again = Scalar::load(kind, bytes);
        EXPECT_EQ(again.real(), typed.real()) << DType(kind).name();
        EXPECT_EQ(again.imaginary(), typed.imaginary()) << DType(kind).name();
        EXPECT_EQ(again.text(), typed.text());
    }
}

TEST(Scalar, RoundsFloatsToNearest) {
    EXPECT_EQ(stored<float>(0.1, Kind::Float32), 0.1F);
    EXPECT_EQ(stored<std::uint16_t>(1.0 + 1.0 / 2048, Kind::Float16), 0x3c00);
    EXPECT_EQ(stored<std::uint16_t>(1.0 + 3.0 / 2048, Kind::Float16), 0x3c02);
    EXPECT_EQ(stored<std::uint16_t>(-2.0, Kind::BFloat16), 0xc000);
    // 2^63 + 2^39 + 1 lies above the middle of two floats; by way of a double it would lie on it.
    EXPECT_EQ(Scalar((1ULL << 63) + (1ULL << 39) + 1).as_float(), 0x1.000002p63F);
}

TEST(Scalar, FitsWhereItLiesInTheRange) {
    EXPECT_TRUE(Scalar(127).fits(Kind::Int8) && Scalar(-128).fits(Kind::Int8));
    EXPECT_FALSE(Scalar(128).fits(Kind::Int8) || Scalar(-129).fits(Kind::Int8));
    EXPECT_TRUE(Scalar(255).fits(Kind::UInt8));
    EXPECT_FALSE(Scalar(256).fits(Kind::UInt8) || Scalar(-1).fits(Kind::UInt8));
    EXPECT_TRUE(Scalar(kMost).fits(Kind::UInt64) && Scalar(kLeast).fits(Kind::Int64));
    EXPECT_FALSE(Scalar(kMost).fits(Kind::Int64) || Scalar(-1).fits(Kind::UInt64));
    EXPECT_TRUE(Scalar(true).fits(Kind::Int8) && Scalar(1).fits(Kind::Bool));
    EXPECT_FALSE(Scalar(2).fits(Kind::Bool));
}

TEST(Scalar, SaturatesAsHostIntegers) {
    EXPECT_EQ(Scalar(kMost).as_int(), std::numeric_limits<std::int64_t>::max());
    EXPECT_EQ(Scalar(-5).as_uint(), 0U);
    EXPECT_EQ(Scalar(-1e300).as_int(), kLeast);
    EXPECT_EQ(Scalar(2.9).as_uint(), 2U);
}

TEST(Scalar, IsWrittenAsPythonDoes) {
    EXPECT_EQ(Scalar(true).text(), "True");
    EXPECT_EQ(Scalar(-3).text(), "-3");
    EXPECT_EQ(Scalar(kMost).text(), "18446744073709551615");
    EXPECT_EQ(Scalar(2.0).text(), "2.0");
    EXPECT_EQ(Scalar(2.5).text(), "2.5");
    EXPECT_EQ(Scalar(-std::numeric_limits<double>::infinity()).text(), "-inf");
    EXPECT_EQ(Scalar(std::complex<double>(1, -2)).text(), "(1-2j)");
}

}  // namespace
}  // namespace warpwise
