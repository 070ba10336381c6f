// Index arrays, masks and accumulation from C++.
#include <limits>

#include "tests/unit/array/on_cpu.hpp"

namespace warpwise {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(IndexArrays, SelectRowsAndElements) {
    const Array x = arange(0, 12).reshape({3, 4});
    EXPECT_THAT(values_of(x.at({Indices({2, 0})}).reshape({-1})),
                ElementsAre(8, 9, 10, 11, 0, 1, 2, 3));
    const Array columns = from_vector(std::vector<std::int32_t>{3, -4, 1});
    EXPECT_THAT(values_of(x.at({Indices({0, 1, 2}), columns})), ElementsAre(3, 4, 9));
    EXPECT_EQ(x.at({Slice{}, NewAxis{}, Indices(Shape{2, 1}, {0, 1})}).shape(),
              (Shape{3, 1, 2, 1}));
    EXPECT_EQ(x.at({Indices({0}), Slice{}, NewAxis{}, true}).shape(), (Shape{1, 4, 1}));
    EXPECT_THAT(values_of(x.at({greater(x, 8)})), ElementsAre(9, 10, 11));
}

TEST(IndexArrays, FuseWithWhatReadsThem) {
    const Array x = numbers({1, 2, 3, 4});
    const Array at = from_vector(std::vector<std::int64_t>{3, 0});
    const Array total = sum(x.at({at}) * 10.0);
    EXPECT_THAT(explain(total), HasSubstr("kernel 1"));
    EXPECT_THAT(explain(total), testing::Not(HasSubstr("kernel 2")));
    EXPECT_EQ(total.item().real(), 50);
}

TEST(IndexArrays, AreWrittenThrough) {
    Array x = zeros({5});
    x.assign({Indices({3, 0, 3})}, numbers({1, 2, 3}));
    EXPECT_THAT(values_of(x), ElementsAre(2, 0, 0, 3, 0));
    x.assign({greater(x, 2)}, -1.0);
    EXPECT_THAT(values_of(x), ElementsAre(2, 0, 0, -1, 0));
    add_at(x, {Indices({4, 4, 0})}, 1.0);
    EXPECT_THAT(values_of(x), ElementsAre(3, 0, 0, -1, 2));
    put(x, Indices({1, 2}), numbers({7, 8}));
    EXPECT_THAT(values_of(x), ElementsAre(3, 7, 8, -1, 2));
}

TEST(IndexArrays, OfTheHostAreCheckedAtOnce) {
    const Array x = zeros({3, 4});
    EXPECT_THAT(refusal([&] { x.at({Slice{}, Indices({1, 4})}); }),
                HasSubstr("index 4 is out of bounds for axis 1 with size 4"));
    EXPECT_THAT(refusal([&] { x.at({Indices(Shape{3}, {1})}); }), HasSubstr("1 indices for shape"));
    EXPECT_THAT(refusal([&] { x.at({numbers({1})}); }), HasSubstr("must hold integers"));
}

TEST(IndexArrays, OfTheDeviceAreReportedWhereTheProgramWaits) {
    const Array x = numbers({1, 2, 3});
    const Array wrong = x.at({from_vector(std::vector<std::int64_t>{0, 7})});
    const std::string message = refusal([&] { values_of(wrong); });
    EXPECT_THAT(message, HasSubstr("got index 7"));
    EXPECT_THAT(message, HasSubstr("axis 0 with size 3"));
    EXPECT_THAT(values_of(wrong), ElementsAre(1, 3));
}

TEST(NumericFunctions, AreThereFromCpp) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const Array x = numbers({1, nan, 3, 8});
    EXPECT_EQ(nansum(x).item().real(), 12);
    EXPECT_EQ(nanmax(x).item().real(), 8);
    EXPECT_EQ(median(numbers({5, 1, 3})).item().real(), 3);
    EXPECT_EQ(quantile(numbers({0, 10}), 0.25).item().real(), 2.5);
    EXPECT_EQ(quantile(numbers({7, 5, 9}), 0.5, numbers({1, 1, 3})).item().real(), 9);
    const Array plane = numbers({1, 2, 3, 4, 5, 6}).reshape({2, 3});
    EXPECT_THAT(values_of(ravel(plane, Order::F)), ElementsAre(1, 4, 2, 5, 3, 6));
    EXPECT_THAT(values_of(ravel(plane.transpose(), std::nullopt)), ElementsAre(1, 2, 3, 4, 5, 6));
    EXPECT_THAT(values_of(reshape(plane, {3, 2}, Order::F)), ElementsAre(1, 5, 4, 3, 2, 6));
    EXPECT_THAT(values_of(convolve(numbers({1, 2, 3}), numbers({1, 1}))), ElementsAre(1, 3, 5, 3));
    const Array eyes = eye(2, 2);
    const Array* const operands[] = {&eyes, &eyes};
    EXPECT_EQ(einsum("ij,ij->", operands).item().real(), 2);
    EXPECT_TRUE(allclose(numbers({1}), numbers({1 + 1e-9})));
    const std::pair<std::int64_t, std::int64_t> widths[] = {{1, 2}};
    EXPECT_THAT(values_of(pad(numbers({4, 5}), widths, {.mode = "edge"})),
                ElementsAre(4, 4, 5, 5, 5));
    EXPECT_EQ(array_split(numbers({1, 2, 3, 4, 5}), 2)[0].size(), 3);
}

}  // namespace
}  // namespace warpwise
