// Values of arrays in host memory: as ranges, by indices, by rows; and arrays of ranges.
#include "warpwise/fetched_array.hpp"

#include <algorithm>
#include <complex>
#include <list>
#include <numeric>
#include <ranges>
#include <sstream>

#include "tests/unit/array/on_cpu.hpp"

namespace warpwise {
namespace {

static_assert(std::ranges::contiguous_range<Fetched<float>>);
static_assert(std::ranges::sized_range<const Fetched<float>>);
static_assert(std::ranges::random_access_range<decltype(std::declval<Fetched<int>&>().rows())>);

Array counted(const Shape& shape) {
    return arange(0, static_cast<double>(count_of(shape)), 1, float32).reshape(shape);
}

TEST(FetchedArray, IsARangeInCOrder) {
    const Array x = counted({2, 3}) * 2.0f;
    const auto values = fetch<float>(x);
    EXPECT_THAT(std::vector<float>(values.begin(), values.end()),
                testing::ElementsAre(0, 2, 4, 6, 8, 10));
    EXPECT_EQ(std::ranges::max(values), 10);
    EXPECT_EQ(std::accumulate(values.begin(), values.end(), 0.0f), 30);
    EXPECT_EQ(values.size(), 6u);
}

TEST(FetchedArray, HasAnIndexForEachAxis) {
    const auto values = fetch<float>(counted({2, 3, 4}));
    EXPECT_EQ(values.rank(), 3);
    EXPECT_EQ(values.extent(1), 3);
    EXPECT_EQ(values.stride(0), 12);
    EXPECT_EQ(values.stride(2), 1);
    for (int i = 0; i < 2; ++i) {
        for (std::int64_t j = 0; j < 3; ++j) {
            for (std::size_t k = 0; k < 4; ++k) {
                const auto expected = static_cast<float>(i * 12 + j * 4 + static_cast<int>(k));
                EXPECT_EQ(values(i, j, k), expected);
                const auto place = std::array{std::int64_t{i}, j, static_cast<std::int64_t>(k)};
                EXPECT_EQ(values[place], expected);
                EXPECT_EQ(values.data_handle()[i * values.stride(0) + j * values.stride(1) +
                                               static_cast<std::int64_t>(k) * values.stride(2)],
                          expected);
            }
        }
    }
}

TEST(FetchedArray, OfAnyStridesLiesWithoutGaps) {
    const Array x = counted({3, 4});
    const auto turned = fetch<float>(x.transpose().at({Slice{std::nullopt, std::nullopt, -2}}));
    EXPECT_EQ(turned.shape(), (Shape{2, 3}));
    EXPECT_THAT(std::vector<float>(turned.begin(), turned.end()),
                testing::ElementsAre(3, 7, 11, 1, 5, 9));
    const auto wide = fetch<float>(x.at({0, 1}).broadcast_to({2, 2}));
    EXPECT_EQ(wide(1, 1), 1);
}

TEST(FetchedArray, IsACopy) {
    Array x = counted({3});
    auto values = fetch<float>(x);
    x += 1.0f;
    EXPECT_EQ(values(2), 2);
    values(2) = 7;
    EXPECT_EQ(fetch<float>(x)(2), 3);
    const auto moved = std::move(values);
    EXPECT_EQ(moved(2), 7);
}

TEST(FetchedArray, IsCheckedByAt) {
    const auto values = fetch<float>(counted({2, 3}));
    EXPECT_EQ(values.at({1, 2}), 5);
    EXPECT_EQ(values.at({-1, -3}), 3);
    EXPECT_THAT(refusal([&] { values.at({0, 3}); }),
                testing::HasSubstr("index 3 for axis 1 with size 3"));
    EXPECT_THAT(refusal([&] { values.at({-3, 0}); }), testing::HasSubstr("index -3 for axis 0"));
    EXPECT_THAT(refusal([&] { values.at({1}); }), testing::HasSubstr("1 indices for shape (2, 3)"));
}

TEST(FetchedArray, HasRows) {
    auto values = fetch<float>(counted({2, 2, 3}));
    std::vector<float> sums;
    for (const std::span<float> row : values.rows()) {
        sums.push_back(std::accumulate(row.begin(), row.end(), 0.0f));
    }
    EXPECT_THAT(sums, testing::ElementsAre(3, 12, 21, 30));
    values.row(3)[0] = 100;
    EXPECT_EQ(values(1, 1, 0), 100);
    EXPECT_EQ(fetch<float>(counted({2, 0})).row_count(), 2);
    EXPECT_TRUE(fetch<float>(counted({2, 0})).row(1).empty());
}

TEST(FetchedArray, OfNoAxesOrNoElements) {
    const auto one = fetch<float>(sum(counted({4})));
    EXPECT_EQ(one.rank(), 0);
    EXPECT_EQ(one(), 6);
    EXPECT_EQ(one.at({}), 6);
    EXPECT_EQ(one.row_count(), 1);
    EXPECT_EQ(one.row(0)[0], 6);
    EXPECT_TRUE(fetch<float>(counted({0, 3})).empty());
}

TEST(FetchedArray, OfOtherElementTypes) {
    const auto flags = fetch<bool>(counted({3}) > 0.5f);
    EXPECT_THAT(std::vector<bool>(flags.begin(), flags.end()),
                testing::ElementsAre(false, true, true));
    const std::vector<std::complex<double>> z{{1, 2}, {3, -4}};
    EXPECT_EQ(fetch<std::complex<double>>(conj(from_vector(z)))(1), (std::complex<double>{3, 4}));
    EXPECT_THAT(refusal([] { fetch<double>(counted({2})); }),
                testing::HasSubstr("float64 got an array of float32; convert it with astype()"));
}

TEST(ArraysOfRanges, HaveTheirValues) {
    const Array x = from_range(std::views::iota(0, 6), Shape{2, 3});
    EXPECT_EQ(x.dtype(), int32);
    EXPECT_EQ(fetch<int>(x)(1, 0), 3);
    EXPECT_THAT(values_of(from_range(std::list<float>{1, 2, 4})), testing::ElementsAre(1, 2, 4));
    const std::vector<bool> flags{true, false, true};
    EXPECT_THAT(values_of(from_range(flags)), testing::ElementsAre(1, 0, 1));
    std::istringstream text("1.5 2.5");
    EXPECT_THAT(values_of(from_range(std::views::istream<double>(text))),
                testing::ElementsAre(1.5, 2.5));
    const auto fetched = fetch<int>(x);
    EXPECT_THAT(values_of(from_range(fetched | std::views::reverse | std::views::take(2))),
                testing::ElementsAre(5, 4));
    EXPECT_THROW(from_range(std::views::iota(0, 5), Shape{2, 3}), ArgumentError);
    EXPECT_EQ(from_range(std::vector<double>{}).size(), 0);
}

}  // namespace
}  // namespace warpwise
