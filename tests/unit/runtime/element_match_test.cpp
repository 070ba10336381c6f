// Which element types fit which pointers.
#include "src/runtime/launch/element_match.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpwise {
namespace {

using runtime::element_mismatch;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr DType kFloat2(Kind::Float32, 2), kFloat3(Kind::Float32, 3), kDouble2(Kind::Float64, 2);

TEST(Elements, FitTheirOwnType) {
    EXPECT_THAT(element_mismatch(float32, {0}, float32), IsEmpty());
}

TEST(Elements, FitVoidAndAreUnknownAsVoid) {
    EXPECT_THAT(element_mismatch(float64, {0}, DType()), IsEmpty());
    EXPECT_THAT(element_mismatch(DType(), {0}, float64), IsEmpty());
}

TEST(Elements, OfComplexTypeFitPairs) {
    EXPECT_THAT(element_mismatch(complex64, {0}, kFloat2), IsEmpty());
    EXPECT_THAT(element_mismatch(complex128, {0}, kDouble2), IsEmpty());
    EXPECT_THAT(element_mismatch(kFloat2, {0}, complex64), IsEmpty());
    EXPECT_THAT(element_mismatch(complex128, {0}, kFloat2), HasSubstr("not float32x2"));
}

TEST(Elements, OfTheRightLastAxisFitVectors) {
    EXPECT_THAT(element_mismatch(float32, {3}, kFloat3), IsEmpty());
    EXPECT_THAT(element_mismatch(float32, {2}, complex64), IsEmpty());
    EXPECT_THAT(element_mismatch(float32, {4}, kFloat3), HasSubstr("which must be 3"));
    EXPECT_THAT(element_mismatch(float64, {3}, kFloat3), HasSubstr("not float32x3"));
}

TEST(Elements, OfARowOfWholeVectorsFitThem) {
    EXPECT_THAT(element_mismatch(float32, {6, 6}, kFloat3), IsEmpty());
    EXPECT_THAT(element_mismatch(float32, {6, 12}, kFloat3), HasSubstr("which must be 3"));
    EXPECT_THAT(element_mismatch(float32, {7, 7}, kFloat3), HasSubstr("a multiple of it"));
    EXPECT_THAT(element_mismatch(float32, {0, 0}, kFloat3), HasSubstr("which must be 3"));
}

TEST(Elements, OfOneTypeFitStructsOfIt) {
    const DType xyz = DType::structure(lay_out_struct("p", {{"x", float32}, {"yz", kFloat2}}));
    EXPECT_THAT(element_mismatch(float32, {4}, xyz), HasSubstr("not p"));  // yz begins at 8
    const DType row =
        DType::structure(lay_out_struct("q", {{"xy", kFloat2}, {"z", float32, 0, 2}}));
    EXPECT_THAT(element_mismatch(float32, {4}, row), IsEmpty());
    EXPECT_THAT(element_mismatch(float32, {8, 8}, row), IsEmpty());
    EXPECT_THAT(element_mismatch(float64, {4}, row), HasSubstr("not q"));
    const DType mixed = DType::structure(lay_out_struct("m", {{"x", float32}, {"i", int32}}));
    EXPECT_THAT(element_mismatch(float32, {2}, mixed), HasSubstr("not m"));
}

TEST(Elements, DoNotChangeSignOrSize) {
    EXPECT_THAT(element_mismatch(uint32, {0}, int32), HasSubstr("not int32"));
    EXPECT_THAT(element_mismatch(int64, {0}, int32), HasSubstr("not int32"));
    EXPECT_THAT(element_mismatch(float16, {0}, bfloat16), HasSubstr("not bfloat16"));
}

TEST(Elements, OfAddressSizeFitPointersToPointers) {
    EXPECT_THAT(element_mismatch(uint64, {0}, DType(Kind::Pointer)), IsEmpty());
    EXPECT_THAT(element_mismatch(int64, {0}, DType(Kind::Pointer)), IsEmpty());
    EXPECT_THAT(element_mismatch(float64, {0}, DType(Kind::Pointer)), HasSubstr("not"));
}

TEST(Elements, OfStructsAreComparedFieldByField) {
    const DType here = DType::structure(lay_out_struct("a", {{"x", float32}, {"y", int32}}));
    const DType same = DType::structure(lay_out_struct("b", {{"x", float32}, {"y", int32}}));
    const DType other = DType::structure(lay_out_struct("c", {{"x", float32}, {"y", int64}}));
    EXPECT_THAT(element_mismatch(same, {0}, here), IsEmpty());
    EXPECT_THAT(element_mismatch(other, {0}, here), HasSubstr("y"));
}

TEST(Elements, OfVectorRecordsFitVectors) {
    const DType xy = DType::structure(lay_out_struct("xy", {{"x", float32}, {"y", float32}}));
    const DType xi = DType::structure(lay_out_struct("xi", {{"x", float32}, {"i", int32}}));
    EXPECT_THAT(element_mismatch(xy, {0}, kFloat2), IsEmpty());
    EXPECT_FALSE(element_mismatch(xi, {0}, kFloat2).empty());
    EXPECT_FALSE(element_mismatch(xy, {0}, kFloat3).empty());
}

}  // namespace
}  // namespace warpwise
