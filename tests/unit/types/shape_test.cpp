// Shapes and strides: counts, contiguity as NumPy's flags have it, broadcasting, axes.
#include "warpwise/shape.hpp"

#include <gmock/gmock.h>

#include <limits>
#include <random>
#include <vector>

#include "warpwise/error.hpp"

namespace warpwise {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

TEST(Shape, HasAtMostSixteenAxes) {
    EXPECT_EQ(Axes::filled(16, 1).size(), 16);
    EXPECT_THAT([] { Axes::filled(17, 1); },
                ThrowsMessage<ArgumentError>(HasSubstr("17 axes; arrays have at most 16")));
    EXPECT_THAT([] { Axes::filled(-1, 1); }, ThrowsMessage<ArgumentError>(HasSubstr("-1 axes")));
    EXPECT_THROW(Axes(std::vector<std::int64_t>(17)), ArgumentError);
    Axes full = Axes::filled(16, 2);
    EXPECT_THROW(full.push_back(1), ArgumentError);
    EXPECT_THROW(full.insert(0, 1), ArgumentError);
    EXPECT_EQ(full, Axes::filled(16, 2));
}

TEST(Shape, TakesAndLosesAxes) {
    Axes axes{2, 3};
    axes.insert(0, 1);
    axes.insert(3, 4);
    axes.push_back(5);
    EXPECT_EQ(axes, (Axes{1, 2, 3, 4, 5}));
    axes.erase(0);
    axes.erase(3);
    EXPECT_EQ(axes, (Axes{2, 3, 4}));
    EXPECT_NE(axes, (Axes{2, 3}));
}

TEST(Shape, IsWrittenAsPythonTuples) {
    EXPECT_EQ(text_of(Axes{}), "()");
    EXPECT_EQ(text_of(Axes{5}), "(5,)");
    EXPECT_EQ(text_of(Axes{3, -4}), "(3, -4)");
}

TEST(CountOf, IsTheProductOfExtents) {
    EXPECT_EQ(count_of({}), 1);
    EXPECT_EQ(count_of({3, 4, 5}), 60);
    EXPECT_EQ(count_of({kMost}), kMost);
    EXPECT_EQ(count_of({kMost, kMost, 0}), 0);
}

TEST(CountOf, RefusesWhatNoArrayHas) {
    EXPECT_THAT([] { count_of({2, -1}); },
                ThrowsMessage<ArgumentError>(HasSubstr("(2, -1) has a negative extent")));
    EXPECT_THAT([] { count_of({kMost, 2}); },
                ThrowsMessage<ArgumentError>(HasSubstr("more than 2^63 - 1 elements")));
    EXPECT_THROW(count_of({0, -1}), ArgumentError);
}

TEST(Strides, LeaveNoGaps) {
    EXPECT_EQ(c_strides({2, 3, 4}, 8), (Strides{96, 32, 8}));
    EXPECT_EQ(f_strides({2, 3, 4}, 8), (Strides{8, 16, 48}));
    EXPECT_EQ(c_strides({}, 4), Strides{});
}

TEST(Contiguity, IgnoresAxesOfExtentOneAndEmptyArrays) {
    EXPECT_TRUE(is_c_contiguous({2, 1, 3}, {12, 999, 4}, 4));
    EXPECT_TRUE(is_f_contiguous({2, 1, 3}, {4, -7, 8}, 4));
    EXPECT_FALSE(is_c_contiguous({2, 3}, {4, 8}, 4));
    EXPECT_FALSE(is_f_contiguous({2, 3}, {12, 4}, 4));
    EXPECT_FALSE(is_c_contiguous({3}, {-4}, 4));
    EXPECT_FALSE(is_c_contiguous({3}, {0}, 4));
    EXPECT_TRUE(is_c_contiguous({2, 0}, {1, 1}, 4));
    EXPECT_TRUE(is_c_contiguous({}, {}, 4) && is_f_contiguous({}, {}, 4));
}

TEST(Broadcasting, RepeatsAxesOfExtentOneAndMissingOnes) {
    const std::vector<Shape> shapes{{3, 1}, {1, 4}, {}, {2, 1, 1}};
    EXPECT_EQ(broadcast_shapes(shapes), (Shape{2, 3, 4}));
    EXPECT_EQ(broadcast_strides({3, 1}, {4, 4}, {2, 3, 4}), (Strides{0, 4, 0}));
    EXPECT_EQ(broadcast_strides({}, {}, {2, 3}), (Strides{0, 0}));
    EXPECT_EQ(broadcast_shapes(std::vector<Shape>{{1}, {0}}), (Shape{0}));
}

TEST(Broadcasting, NamesTheShapesThatDoNot) {
    EXPECT_THAT([] { broadcast_shapes(std::vector<Shape>{{2, 3}, {2}, {1, 4}}); },
                ThrowsMessage<ArgumentError>(HasSubstr("(2, 3), (2,) and (1, 4)")));
    EXPECT_THAT([] { broadcast_strides({3}, {4}, {2, 4}); },
                ThrowsMessage<ArgumentError>(HasSubstr("(3,) does not broadcast to (2, 4)")));
    EXPECT_THROW(broadcast_strides({2, 4}, {16, 4}, {4}), ArgumentError);
    EXPECT_THROW(broadcast_strides({3}, {4}, {1}), ArgumentError);
    EXPECT_THROW(broadcast_shapes(std::vector<Shape>{{0}, {2}}), ArgumentError);
}

// A broadcast element is the element of the original at the coordinates modulo its extents.
TEST(Broadcasting, ReadsTheSameElements) {
    std::mt19937 random(std::random_device{}());
    for (int round = 0; round < 500; ++round) {
        const int rank = static_cast<int>(random() % 5);
        Shape target = Shape::filled(rank, 1);
        for (std::int64_t& extent : target) extent = 1 + random() % 4;
        Shape shape = target;
        for (int drop = static_cast<int>(random() % 3); drop > 0 && !shape.empty(); --drop) {
            shape.erase(0);
        }
        for (std::int64_t& extent : shape) extent = random() % 2 != 0 ? 1 : extent;
        const Strides strides = c_strides(shape, 4);
        const Strides read = broadcast_strides(shape, strides, target);
        EXPECT_EQ(broadcast_shapes(std::vector<Shape>{shape, target}), target);
        for (int axis = 0; axis < rank; ++axis) {
            const int own = axis - (rank - shape.size());
            for (std::int64_t at = 0; at < target[axis]; ++at) {
                const std::int64_t expected = own < 0 ? 0 : (at % shape[own]) * strides[own];
                ASSERT_EQ(at * read[axis], expected) << text_of(shape) << text_of(target);
            }
        }
    }
}

TEST(CheckedAxis, CountsFromTheEndBelowZero) {
    EXPECT_EQ(checked_axis(1, 3), 1);
    EXPECT_EQ(checked_axis(-3, 3), 0);
    EXPECT_THAT([] { checked_axis(3, 3); },
                ThrowsMessage<ArgumentError>(HasSubstr("axis 3 is out of bounds for array of "
                                                       "dimension 3; axes are -3 to 2")));
    EXPECT_THAT([] { checked_axis(0, 0); }, ThrowsMessage<ArgumentError>(HasSubstr("no axes")));
    EXPECT_THROW(checked_axis(-kMost, 3), ArgumentError);
}

}  // namespace
}  // namespace warpwise
