// Axes that are merged, ordered and described.
#include "src/algorithm/axes.hpp"

#include <gtest/gtest.h>

namespace warpwise::algorithm {
namespace {

TEST(Axes, AreMergedWhereAllArraysStepThroughThemAsOne) {
    Shape extents{2, 3, 1, 4};
    std::vector<Strides> strides{Strides{48, 16, 7, 4}, Strides{0, 0, 0, 4}};
    merge_axes(extents, strides);
    EXPECT_EQ(extents, (Shape{6, 4}));
    EXPECT_EQ(strides[0], (Strides{16, 4}));
    EXPECT_EQ(strides[1], (Strides{0, 4}));
}

TEST(Axes, KeptOnesAreNotMergedWithOthers) {
    Shape extents{2, 1, 3, 4, 5};
    std::vector<Strides> strides{Strides{240, 240, 80, 20, 4}};
    int kept = 3;
    merge_axes(extents, strides, kept);
    EXPECT_EQ(kept, 1);
    EXPECT_EQ(extents, (Shape{6, 20}));
    EXPECT_EQ(strides[0], (Strides{80, 4}));
}

TEST(Axes, AreOrderedAsOneArrayLies) {
    Shape extents{2, 3};
    std::vector<Strides> strides{Strides{4, -8}, Strides{12, 4}};
    order_axes(extents, strides, 0);
    EXPECT_EQ(extents, (Shape{3, 2}));
    EXPECT_EQ(strides[1], (Strides{4, 12}));
}

TEST(Access, IsTheSimplestOneThatFits) {
    using codegen::Access;
    EXPECT_EQ(access_of(Shape{3, 4}, Strides{16, 4}, 4).access, Access::Linear);
    EXPECT_EQ(access_of(Shape{3, 4}, Strides{0, 0}, 4).access, Access::Broadcast);
    const AxesAccess rows = access_of(Shape{3, 4}, Strides{0, 4}, 4);
    EXPECT_EQ(rows.access, Access::Strided);
    EXPECT_EQ(rows.unit, 1);
    EXPECT_EQ(rows.fixed, 1);
    EXPECT_EQ(access_of(Shape{3}, Strides{-4}, 4).access, Access::Strided);
}

TEST(Access, ReachesFarFrom2To31On) {
    EXPECT_FALSE(reaches_far(Shape{1 << 29}, Strides{4}));
    EXPECT_TRUE(reaches_far(Shape{(1 << 29) + 1}, Strides{-4}));
}

}  // namespace
}  // namespace warpwise::algorithm
