// What a draft says of its group, and how offsets become coordinates.
#include <cstdlib>
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

TEST(Groups, ReductionsOfOneKernelFitIntoTheSharedMemoryOfABlock) {
    const Value x = filled({5, 4001}, 2);
    std::vector<Value> totals;
    std::vector<const Value*> roots;
    for (int i = 0; i < 50; ++i) totals.push_back(sum(times(x, i)));
    for (const Value& total : totals) roots.push_back(&total);
    const std::uint64_t before = counts().kernels;
    evaluate(roots);
    EXPECT_EQ(counts().kernels - before, 3u);
    const auto& reducers = codegen::fake_group().reducers;
    EXPECT_LE(reducers.size() * sizeof(double) * 256, 45056u);
    for (int i = 0; i < 50; ++i) EXPECT_EQ(first(totals[i]), 40010.0 * i);
}

// As x[..., ::step] of a larger array, forwards or backwards.
Value in_steps(Value value, std::int64_t step) {
    const int last = value.view.shape.size() - 1;
    const std::int64_t whole = value.view.shape[last];
    if (step < 0) value.view.offset += (whole - 1) * value.view.strides[last];
    value.view.shape[last] = (whole + std::abs(step) - 1) / std::abs(step);
    value.view.strides[last] *= step;
    return value;
}

codegen::Operand read_in_steps(const Shape& shape, std::int64_t step) {
    const Value x = filled(shape, 2);
    const Value result = add(in_steps(x, step), 1.5);
    evaluate(std::vector{&result});
    EXPECT_EQ(first(result), 3.5);
    return codegen::fake_group().inputs.at(0);
}

TEST(Groups, SmallStepsAlongTheLastAxisArePartOfThem) {
    for (const int step : {-8, -5, -4, -3, -2, -1, 2, 3, 4, 5, 6, 7, 8}) {
        EXPECT_EQ(read_in_steps({1000}, step).step, step);
        EXPECT_EQ(read_in_steps({1000}, step).unit, 0);
        EXPECT_EQ(read_in_steps({9, 211}, step).step, step);
        EXPECT_EQ(read_in_steps({9, 211}, step).unit, 1);
    }
    // Rows that end within a vector.
    EXPECT_EQ(read_in_steps({1000, 3}, -1).step, 1);
    for (const int step : {-9, 9, 64}) {
        EXPECT_EQ(read_in_steps({1000}, step).unit, -1);
        EXPECT_EQ(read_in_steps({1000}, step).step, 1);
    }
}

TEST(Groups, ExtentsMakeNoOthersOfEqualSteps) {
    read_in_steps({999}, 3);
    const std::size_t before = codegen::fake_compiles();
    read_in_steps({777}, 3);
    EXPECT_EQ(codegen::fake_compiles(), before);
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
