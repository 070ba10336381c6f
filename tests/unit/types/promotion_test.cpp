// Promotion, compared with the complete table of NumPy 2; weak scalars; casts of the same kind.
#include "src/types/promotion.hpp"

#include <gmock/gmock.h>

#include <array>
#include <string_view>

#include "warpwise/error.hpp"

namespace warpwise::types {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

// NumPy's letters, in the order of kRows.
constexpr std::string_view kLetters = "?bBhHiIqQefdFD";
constexpr std::array kKinds{Kind::Bool,      Kind::Int8,      Kind::UInt8,   Kind::Int16,
                            Kind::UInt16,    Kind::Int32,     Kind::UInt32,  Kind::Int64,
                            Kind::UInt64,    Kind::Float16,   Kind::Float32, Kind::Float64,
                            Kind::Complex64, Kind::Complex128};
// numpy.promote_types(row, column).
constexpr std::array<std::string_view, 14> kRows{
    "?bBhHiIqQefdFD",  // ?
    "bbhhiiqqdefdFD",  // b
    "BhBhHiIqQefdFD",  // B
    "hhhhiiqqdffdFD",  // h
    "HiHiHiIqQffdFD",  // H
    "iiiiiiqqddddDD",  // i
    "IqIqIqIqQdddDD",  // I
    "qqqqqqqqddddDD",  // q
    "QdQdQdQdQdddDD",  // Q
    "eeeffddddefdFD",  // e
    "fffffddddffdFD",  // f
    "ddddddddddddDD",  // d
    "FFFFFDDDDFFDFD",  // F
    "DDDDDDDDDDDDDD",  // D
};

Kind kind_of(char letter) {
    return kKinds[kLetters.find(letter)];
}

TEST(Promote, IsNumPysTable) {
    for (std::size_t row = 0; row < kRows.size(); ++row) {
        for (std::size_t column = 0; column < kRows.size(); ++column) {
            EXPECT_EQ(promote(kKinds[row], kKinds[column]), kind_of(kRows[row][column]))
                << kLetters[row] << ' ' << kLetters[column];
        }
    }
}

TEST(Promote, TreatsBFloat16AsFloat16ExceptBesideIt) {
    EXPECT_EQ(promote(Kind::BFloat16, Kind::BFloat16), Kind::BFloat16);
    EXPECT_EQ(promote(Kind::BFloat16, Kind::Float16), Kind::Float32);
    for (const Kind other : kKinds) {
        if (other == Kind::Float16) continue;
        const Kind beside_float16 = promote(Kind::Float16, other);
        const Kind expected = beside_float16 == Kind::Float16 ? Kind::BFloat16 : beside_float16;
        EXPECT_EQ(promote(Kind::BFloat16, other), expected) << DType(other).name();
        EXPECT_EQ(promote(other, Kind::BFloat16), expected) << DType(other).name();
    }
}

TEST(PromoteWeak, KeepsTheArraysKindWhereTheCategoryAllows) {
    EXPECT_EQ(promote_weak(Kind::Float32, Scalar(2.0)), Kind::Float32);
    EXPECT_EQ(promote_weak(Kind::Float16, Scalar(1'000'000)), Kind::Float16);
    EXPECT_EQ(promote_weak(Kind::BFloat16, Scalar(2.0)), Kind::BFloat16);
    EXPECT_EQ(promote_weak(Kind::Int8, Scalar(100)), Kind::Int8);
    EXPECT_EQ(promote_weak(Kind::Int8, Scalar(true)), Kind::Int8);
    EXPECT_EQ(promote_weak(Kind::Complex64, Scalar(2.0)), Kind::Complex64);
}

TEST(PromoteWeak, TakesTheScalarsCategoryWhereItIsHigher) {
    EXPECT_EQ(promote_weak(Kind::Bool, Scalar(1)), Kind::Int64);
    EXPECT_EQ(promote_weak(Kind::Bool, Scalar(1ULL << 63)), Kind::UInt64);
    EXPECT_EQ(promote_weak(Kind::Int8, Scalar(1.0)), Kind::Float64);
    EXPECT_EQ(promote_weak(Kind::Int8, Scalar(std::complex<double>(0, 1))), Kind::Complex128);
    EXPECT_EQ(promote_weak(Kind::Float16, Scalar(std::complex<double>(0, 1))), Kind::Complex64);
    EXPECT_EQ(promote_weak(Kind::Float64, Scalar(std::complex<double>(0, 1))), Kind::Complex128);
}

TEST(PromoteWeak, RefusesIntegersOutOfRange) {
    EXPECT_THAT([] { promote_weak(Kind::UInt8, Scalar(256)); },
                ThrowsMessage<ArgumentError>(HasSubstr("256 is out of the range of uint8")));
    EXPECT_THROW(promote_weak(Kind::UInt64, Scalar(-1)), ArgumentError);
    EXPECT_THROW(promote_weak(Kind::Int64, Scalar(1ULL << 63)), ArgumentError);
}

TEST(KindsOfOneWidth, AreFoundBothWays) {
    EXPECT_EQ(real_kind(Kind::Complex64), Kind::Float32);
    EXPECT_EQ(real_kind(Kind::Complex128), Kind::Float64);
    EXPECT_EQ(real_kind(Kind::Int8), Kind::Int8);
    EXPECT_EQ(complex_kind(Kind::BFloat16), Kind::Complex64);
    EXPECT_EQ(complex_kind(Kind::Float32), Kind::Complex64);
    EXPECT_EQ(complex_kind(Kind::Float64), Kind::Complex128);
    EXPECT_EQ(complex_kind(Kind::Int8), Kind::Complex128);
}

// numpy.sin(numpy.ones(1, letter)).dtype for each of kLetters.
TEST(FloatingKind, IsThatOfNumPysFunctions) {
    constexpr std::string_view kResults = "eeeffddddefdFD";
    for (std::size_t i = 0; i < kKinds.size(); ++i) {
        EXPECT_EQ(floating_kind(kKinds[i]), kind_of(kResults[i])) << kLetters[i];
    }
    EXPECT_EQ(floating_kind(Kind::BFloat16), Kind::BFloat16);
}

TEST(CanCastSameKind, GoesUpInCategoriesAndAcrossWidths) {
    EXPECT_TRUE(can_cast_same_kind(Kind::Float64, Kind::Float16));
    EXPECT_TRUE(can_cast_same_kind(Kind::UInt64, Kind::Int8));
    EXPECT_TRUE(can_cast_same_kind(Kind::Bool, Kind::UInt8));
    EXPECT_TRUE(can_cast_same_kind(Kind::Int64, Kind::BFloat16));
    EXPECT_FALSE(can_cast_same_kind(Kind::Int8, Kind::UInt64));
    EXPECT_FALSE(can_cast_same_kind(Kind::Float16, Kind::Int64));
    EXPECT_FALSE(can_cast_same_kind(Kind::Complex64, Kind::Float64));
    EXPECT_FALSE(can_cast_same_kind(Kind::UInt8, Kind::Bool));
}

}  // namespace
}  // namespace warpwise::types
