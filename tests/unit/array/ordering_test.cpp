// Scans, compaction, sorting, searching and sets from C++.
#include <array>

#include "tests/unit/array/on_cpu.hpp"

namespace warpwise {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Scans, CumulativeSumsAndProducts) {
    const Array x = numbers({1, 2, 3, 4, 5, 6}).reshape({2, 3});
    EXPECT_THAT(values_of(cumulative_sum(x, {.axis = 1})), ElementsAre(1, 3, 6, 4, 9, 15));
    EXPECT_THAT(values_of(cumulative_prod(x, {.axis = 0})), ElementsAre(1, 2, 3, 4, 10, 18));
    EXPECT_THAT(values_of(cumsum(x)), ElementsAre(1, 3, 6, 10, 15, 21));
    EXPECT_EQ(cumprod(x, {.dtype = float32}).dtype(), float32);
    const Array more = cumulative_sum(x, {.axis = 0, .include_initial = true});
    EXPECT_EQ(more.shape(), (Shape{3, 3}));
    Array out = zeros({2, 3});
    cumulative_sum(x, {.axis = 1, .out = &out});
    EXPECT_THAT(values_of(out), ElementsAre(1, 3, 6, 4, 9, 15));
    EXPECT_THAT(refusal([&] { cumulative_sum(x); }), HasSubstr("got no axis"));
}

TEST(Scans, OtherFunctions) {
    const Array x = numbers({1, 5, 2, 4, 3, 6}).reshape({2, 3});
    EXPECT_THAT(values_of(accumulate("maximum", x, {.axis = 1})), ElementsAre(1, 5, 5, 4, 4, 6));
    EXPECT_THAT(values_of(accumulate("fmin", x, {.axis = 0})), ElementsAre(1, 5, 2, 1, 3, 2));
    EXPECT_EQ(accumulate("logical_or", x, {.axis = 0}).dtype(), bool_);
    EXPECT_THAT(refusal([&] { accumulate("divide", x); }), HasSubstr("the function 'divide'"));
    EXPECT_THAT(refusal([&] { accumulate("maximum", x, {.axis = 0, .include_initial = true}); }),
                HasSubstr("has no initial value"));
    EXPECT_THAT(values_of(reduceat("add", x, Indices({0, 2, 1}), 1)),
                ElementsAre(6, 2, 7, 7, 6, 9));
    EXPECT_THAT(refusal([&] { reduceat("add", x, Indices({2})); }), HasSubstr("out of bounds"));
}

TEST(Sets, Operations) {
    const Array a = numbers({3, 1, 3, 2});
    const Array b = numbers({2, 5, 3});
    EXPECT_THAT(values_of(intersect1d(a, b)), ElementsAre(2, 3));
    EXPECT_THAT(values_of(union1d(a, b)), ElementsAre(1, 2, 3, 5));
    EXPECT_THAT(values_of(setdiff1d(a, b)), ElementsAre(1));
    EXPECT_THAT(values_of(setxor1d(a, b)), ElementsAre(1, 5));
    EXPECT_THAT(values_of(setdiff1d(numbers({9, 3, 1}), b, true)), ElementsAre(9, 1));
    const Intersection common = intersection(a, b);
    EXPECT_THAT(values_of(common.values), ElementsAre(2, 3));
    EXPECT_THAT(values_of(common.indices1), ElementsAre(3, 0));
    EXPECT_THAT(values_of(common.indices2), ElementsAre(0, 2));
}

TEST(Scans, CompactionByMasks) {
    const Array x = numbers({1, 2, 3, 4, 5, 6}).reshape({3, 2});
    EXPECT_THAT(values_of(compact(x, x > 2)), ElementsAre(3, 4, 5, 6));
    const Array rows = compact(x, from_host(std::array{true, false, true}.data(), {3}, bool_));
    EXPECT_EQ(rows.shape(), (Shape{2, 2}));
    EXPECT_THAT(values_of(rows), ElementsAre(1, 2, 5, 6));
    EXPECT_THAT(refusal([&] { compact(x, x); }), HasSubstr("mask of float64"));
    EXPECT_THAT(refusal([&] { compact(x, zeros({2}, bool_)); }), HasSubstr("mask of shape (2,)"));
    const std::vector<Array> places = nonzero(x > 4);
    ASSERT_EQ(places.size(), 2u);
    EXPECT_THAT(values_of(places[0]), ElementsAre(2, 2));
    EXPECT_THAT(values_of(places[1]), ElementsAre(0, 1));
    EXPECT_EQ(argwhere(x > 4).shape(), (Shape{2, 2}));
    EXPECT_THAT(values_of(flatnonzero(x > 4)), ElementsAre(4, 5));
    EXPECT_THAT(values_of(extract(x > 4, x)), ElementsAre(5, 6));
}

TEST(ScanKernels, InclusiveExclusiveAndGeneric) {
    const InclusiveScanKernel totals("double", "a+b", {.name = "totals"});
    Array x = numbers({1, 2, 3});
    EXPECT_THAT(values_of(totals(x)), ElementsAre(1, 3, 6));
    totals.call(x, {.out = &x});
    EXPECT_THAT(values_of(x), ElementsAre(1, 3, 6));
    const ExclusiveScanKernel before(float64, "a+b", "0");
    EXPECT_THAT(values_of(before(x)), ElementsAre(0, 1, 4));
    const GenericScanKernel reversed(float64, "const double *x, double *y", "x[n-1-i]", "a+b", "0",
                                     "y[i] = item");
    Array y = zeros({3});
    reversed(x, y);
    EXPECT_THAT(refusal([&] { reversed(x); }), HasSubstr("takes 2 arguments"));
    EXPECT_THAT(values_of(y), ElementsAre(6, 9, 10));
    EXPECT_EQ(totals.name(), "totals");
    EXPECT_EQ(before.dtype(), float64);
    EXPECT_EQ(reversed.parameters().size(), 2u);
    EXPECT_THAT(reversed.source(), HasSubstr("x[n-1-i]"));
}

TEST(Sorting, SortsAlongAxes) {
    const Array x = numbers({3, 1, 2, 0, 5, 4}).reshape({2, 3});
    EXPECT_THAT(values_of(sort(x)), ElementsAre(1, 2, 3, 0, 4, 5));
    EXPECT_THAT(values_of(sort(x, {.axis = std::nullopt})), ElementsAre(0, 1, 2, 3, 4, 5));
    EXPECT_THAT(values_of(argsort(x, {.axis = 0, .descending = true})),
                ElementsAre(0, 1, 1, 1, 0, 0));
    const TopK top = topk(x, 1);
    EXPECT_THAT(values_of(top.values), ElementsAre(3, 5));
    EXPECT_THAT(values_of(top.indices), ElementsAre(0, 1));
    EXPECT_THAT(values_of(partition(x, std::array<std::int64_t, 1>{1})),
                ElementsAre(1, 2, 3, 0, 4, 5));
    EXPECT_THAT(refusal([&] { topk(x, 4); }), HasSubstr("k=4"));
}

TEST(Sorting, SearchesAndSets) {
    const Array x = numbers({1, 3, 3, 8});
    EXPECT_EQ(searchsorted(x, 3).item().as_int(), 1);
    EXPECT_EQ(searchsorted(x, 3, Side::Right).item().as_int(), 3);
    EXPECT_THAT(values_of(isin(numbers({3, 4}), x)), ElementsAre(1, 0));
    EXPECT_THAT(values_of(digitize(numbers({3, 9}), x)), ElementsAre(3, 4));
    const Unique all = unique_all(numbers({5, 2, 5}));
    EXPECT_THAT(values_of(all.values), ElementsAre(2, 5));
    EXPECT_THAT(values_of(*all.indices), ElementsAre(1, 0));
    EXPECT_THAT(values_of(*all.inverse), ElementsAre(1, 0, 1));
    EXPECT_THAT(values_of(*all.counts), ElementsAre(1, 2));
    EXPECT_THAT(values_of(unique_counts(x).second), ElementsAre(1, 2, 1));
    EXPECT_THAT(values_of(unique_inverse(x).second), ElementsAre(0, 1, 1, 2));
    EXPECT_EQ(unique_values(x).size(), 3);
    EXPECT_FALSE(unique(x).indices.has_value());
}

TEST(Sorting, Counts) {
    const Array k = from_vector<int>({0, 2, 2});
    const Array weights = numbers({1, 2, 3});
    EXPECT_THAT(values_of(bincount(k)), ElementsAre(1, 0, 2));
    EXPECT_THAT(values_of(bincount(k, &weights, 4)), ElementsAre(1, 0, 5, 0));
    const Histogram found = histogram(weights, 2, {.range = std::pair{0.0, 4.0}});
    EXPECT_THAT(values_of(found.counts), ElementsAre(1, 2));
    EXPECT_THAT(values_of(found.edges), ElementsAre(0, 2, 4));
    EXPECT_THAT(values_of(histogram(weights, numbers({1, 2, 3})).counts), ElementsAre(1, 2));
}

}  // namespace
}  // namespace warpwise
