// Conversion of numbers: exact for whole types, nearest for floating-point ones.
#include "src/runtime/launch/number.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <optional>

namespace warpwise {
namespace {

template <class T>
std::optional<T> converted(const Argument& number, DType dtype) {
    T value{};
    std::byte bytes[16];
    if (!runtime::write_number(number, dtype, bytes)) return std::nullopt;
    std::memcpy(&value, bytes, sizeof value);
    return value;
}

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(Integers, TakeTheirWholeRange) {
    EXPECT_EQ(converted<std::int8_t>(-128, int8), -128);
    EXPECT_EQ(converted<std::int8_t>(128, int8), std::nullopt);
    EXPECT_EQ(converted<std::uint8_t>(255, uint8), 255);
    EXPECT_EQ(converted<std::uint8_t>(-1, uint8), std::nullopt);
    EXPECT_EQ(converted<std::int16_t>(-32769, int16), std::nullopt);
    EXPECT_EQ(converted<std::uint16_t>(65535, uint16), 65535);
    EXPECT_EQ(converted<std::uint32_t>(std::int64_t{1} << 32, uint32), std::nullopt);
    EXPECT_EQ(converted<std::int64_t>(std::uint64_t{1} << 63, int64), std::nullopt);
    EXPECT_EQ(converted<std::uint64_t>(std::uint64_t{1} << 63, uint64), std::uint64_t{1} << 63);
}

TEST(Integers, TakeWholeFloatingPointNumbers) {
    EXPECT_EQ(converted<std::int32_t>(-3.0, int32), -3);
    EXPECT_EQ(converted<std::int32_t>(0.5, int32), std::nullopt);
    EXPECT_EQ(converted<std::int32_t>(2147483648.0, int32), std::nullopt);
    EXPECT_EQ(converted<std::int64_t>(std::ldexp(1.0, 63), int64), std::nullopt);
    EXPECT_EQ(converted<std::int64_t>(-std::ldexp(1.0, 63), int64),
              std::numeric_limits<std::int64_t>::min());
}

TEST(Integers, RefuseInfinityAndNan) {
    EXPECT_EQ(converted<std::int32_t>(kInfinity, int32), std::nullopt);
    EXPECT_EQ(converted<std::int32_t>(std::nan(""), int32), std::nullopt);
}

TEST(Bool, TakesZeroAndOne) {
    EXPECT_EQ(converted<bool>(true, bool_), true);
    EXPECT_EQ(converted<bool>(0, bool_), false);
    EXPECT_EQ(converted<bool>(2, bool_), std::nullopt);
}

TEST(Float32, RoundsToTheNearest) {
    EXPECT_EQ(converted<float>(0.1, float32), 0.1f);
    EXPECT_EQ(converted<float>(16777217, float32), 16777216.0f);
}

TEST(Float32, RefusesFiniteValuesBeyondIt) {
    EXPECT_EQ(converted<float>(1e39, float32), std::nullopt);
    EXPECT_EQ(converted<float>(kInfinity, float32), std::numeric_limits<float>::infinity());
    EXPECT_TRUE(std::isnan(*converted<float>(std::nan(""), float32)));
}

TEST(Float64, TakesEverything) {
    EXPECT_EQ(converted<double>(1e300, float64), 1e300);
}

TEST(Float16, RoundsToNearestEven) {
    EXPECT_EQ(converted<std::uint16_t>(1.0, float16), 0x3c00);
    EXPECT_EQ(converted<std::uint16_t>(-2.0, float16), 0xc000);
    EXPECT_EQ(converted<std::uint16_t>(2049, float16), 0x6800);      // halfway, down to even
    EXPECT_EQ(converted<std::uint16_t>(2051, float16), 0x6802);      // halfway, up to even
    EXPECT_EQ(converted<std::uint16_t>(1 - 1e-5, float16), 0x3c00);  // carries into the exponent
    EXPECT_EQ(converted<std::uint16_t>(0.0, float16), 0x0000);
    EXPECT_EQ(converted<std::uint16_t>(-0.0, float16), 0x8000);
}

TEST(Float16, HasSubnormalNumbers) {
    EXPECT_EQ(converted<std::uint16_t>(std::ldexp(1.0, -24), float16), 0x0001);
    EXPECT_EQ(converted<std::uint16_t>(std::ldexp(1.0, -14), float16), 0x0400);
    EXPECT_EQ(converted<std::uint16_t>(std::ldexp(1.0, -26), float16), 0x0000);
}

TEST(Float16, RefusesFiniteValuesBeyondIt) {
    EXPECT_EQ(converted<std::uint16_t>(65504, float16), 0x7bff);
    EXPECT_EQ(converted<std::uint16_t>(65520, float16), std::nullopt);
    EXPECT_EQ(converted<std::uint16_t>(1e300, float16), std::nullopt);
    EXPECT_EQ(converted<std::uint16_t>(-kInfinity, float16), 0xfc00);
    EXPECT_EQ(converted<std::uint16_t>(std::nan(""), float16).value_or(0) & 0x7fff, 0x7e00);
}

TEST(BFloat16, RoundsToNearestEven) {
    EXPECT_EQ(converted<std::uint16_t>(1.0, bfloat16), 0x3f80);
    EXPECT_EQ(converted<std::uint16_t>(1e38, bfloat16), 0x7e96);
    EXPECT_EQ(converted<std::uint16_t>(1e39, bfloat16), std::nullopt);
}

TEST(Complex, TakesComplexAndRealNumbers) {
    using C = std::complex<float>;
    EXPECT_EQ(converted<C>(std::complex<double>(1, 2), complex64), C(1, 2));
    EXPECT_EQ(converted<C>(3, complex64), C(3, 0));
    EXPECT_EQ(converted<C>(std::complex<double>(1e39, 0), complex64), std::nullopt);
    EXPECT_EQ(converted<std::complex<double>>(C(1, 2), complex128), std::complex<double>(1, 2));
}

TEST(Pairs, TakeComplexNumbersOnly) {
    const DType float2(Kind::Float32, 2);
    EXPECT_EQ(converted<std::complex<float>>(std::complex<float>(1, 2), float2),
              std::complex<float>(1, 2));
    EXPECT_EQ(converted<std::complex<float>>(1.0f, float2), std::nullopt);
}

TEST(OtherTypes, TakeNoNumbers) {
    EXPECT_EQ(converted<float>(1, DType(Kind::Float32, 4)), std::nullopt);
    EXPECT_EQ(converted<float>(1, DType()), std::nullopt);
    EXPECT_EQ(converted<float>(std::complex<float>(1, 0), float32), std::nullopt);
}

}  // namespace
}  // namespace warpwise
