// What a draft says of its group, and how offsets become coordinates.
#include <vector>

#include "src/graph/view.hpp"
#include "tests/unit/graph/fake_fused.hpp"
#include "tests/unit/graph/graph_on_cpu.hpp"

namespace warpwise::graph {
namespace {

TEST(Groups, AReductionSaysHowManyLanesTakeTheElementsOfAResult) {
    const Value x = filled({5, 4001}, 2);
    const Value total = sum(times(x, 3));
    evaluate(std::vector{&total});
    EXPECT_EQ(codegen::fake_group().lanes, 256);
    EXPECT_FALSE(codegen::fake_group().rows);
}

TEST(IndexMaps, AxesOfOneElementHaveNoSteps) {
    const Shape shape{4, 1, 3};
    const Strides layout = c_strides(shape, 1);
    // Read transposed, over a space of four axes.
    const Access access{0, Strides{1, 0, 3, 0}};
    const auto map = index_map(access, Shape{3, 1, 4, 2}, shape, layout);
    ASSERT_TRUE(map.has_value());
    EXPECT_EQ(map->start, (std::vector<std::int64_t>{0, 0, 0}));
    for (int along = 0; along < 4; ++along) {
        EXPECT_EQ(map->step_of(0, along), along == 2 ? 1 : 0);
        EXPECT_EQ(map->step_of(1, along), 0);
        EXPECT_EQ(map->step_of(2, along), along == 0 ? 1 : 0);
    }
}

TEST(IndexMaps, WhatLeavesTheShapeHasNone) {
    const Shape shape{4, 3};
    const Strides layout = c_strides(shape, 1);
    EXPECT_TRUE(index_map({3, Strides{3}}, Shape{3}, shape, layout).has_value());
    EXPECT_FALSE(index_map({3, Strides{3}}, Shape{4}, shape, layout).has_value());
}

}  // namespace
}  // namespace warpwise::graph
