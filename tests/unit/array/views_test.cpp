// Views: indexing, shapes, and writes that are seen through them.
#include "tests/unit/array/on_cpu.hpp"

namespace warpwise {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Indexing, CountsFromTheEndAndClipsSlices) {
    const Array x = numbers({0, 1, 2, 3, 4, 5});
    EXPECT_EQ(x.at({-1}).item().real(), 5);
    EXPECT_THAT(values_of(x.at({Slice{.start = 4, .stop = 100}})), ElementsAre(4, 5));
    EXPECT_THAT(values_of(x.at({Slice{.step = -2}})), ElementsAre(5, 3, 1));
    EXPECT_EQ(x.at({NewAxis{}, Ellipsis{}}).shape(), (Shape{1, 6}));
}

TEST(Indexing, RefusesWhatIsNotThere) {
    const Array x = zeros({2, 3});
    EXPECT_THAT(refusal([&] { x.at({2}); }), HasSubstr("index 2 is out of bounds for axis 0"));
    EXPECT_THAT(refusal([&] { x.at({0, 0, 0}); }), HasSubstr("too many indices"));
    EXPECT_THAT(refusal([&] { x.field("a"); }), HasSubstr("has no fields"));
}

TEST(Views, ShareMemory) {
    Array x = numbers({1, 2, 3, 4}).reshape({2, 2});
    Array column = x.transpose().at({0});
    column += 10;
    EXPECT_THAT(values_of(x.reshape({-1})), ElementsAre(11, 2, 13, 4));
    x.at({1}).assign(0);
    EXPECT_THAT(values_of(column), ElementsAre(11, 0));
}

TEST(Views, OfBroadcastArraysAreReadOnly) {
    Array wide = numbers({1, 2}).broadcast_to({3, 2});
    EXPECT_THAT(values_of(sum(wide, {.axes = std::vector{0}})), ElementsAre(3, 6));
    EXPECT_THAT(refusal([&] { wide.assign(1); }), HasSubstr("read-only"));
    EXPECT_THAT(refusal([&] { wide.at({0}).assign(1); }), HasSubstr("read-only"));
}

TEST(Views, ReshapeCopiesOnlyWhereItMust) {
    const Array x = zeros({3, 4});
    EXPECT_TRUE(x.reshape({12}, false).shows_same(x.reshape({12})));
    EXPECT_THAT(refusal([&] { x.transpose().reshape({12}, false); }), HasSubstr("no view"));
    EXPECT_EQ(x.transpose().reshape({12}).shape(), (Shape{12}));
}

TEST(Assignment, ReadsBeforeItWrites) {
    Array x = numbers({1, 2, 3, 4});
    x.assign(x.at({Slice{.step = -1}}));
    EXPECT_THAT(values_of(x), ElementsAre(4, 3, 2, 1));
}

TEST(Assignment, ConvertsAsNumPyDoes) {
    Array x = zeros({2}, int32);
    x.assign(2.7);
    EXPECT_THAT(x.to_vector<std::int32_t>(), ElementsAre(2, 2));
    EXPECT_THAT(refusal([&] { x.assign(Scalar(std::complex<double>(0, 1))); }),
                HasSubstr("imaginary"));
    EXPECT_THAT(refusal([&] { x += 1.5; }), HasSubstr("astype"));
    EXPECT_THAT(refusal([&] { x.assign(zeros({3})); }), HasSubstr("cannot take values of shape"));
}

}  // namespace
}  // namespace warpwise
