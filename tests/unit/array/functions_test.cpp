// Functions of arrays through the public header: what C++ programs write.
#include <cmath>
#include <numeric>

#include "tests/unit/array/on_cpu.hpp"

namespace warpwise {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pointwise;

TEST(Functions, ComputeWhatTheExpressionSays) {
    const Array x = linspace(0, 10, 1000, float32);
    const Array y = 5 * x + 6.0 * x - sin(x) * sqrt(x);
    EXPECT_EQ(y.dtype(), float32);
    const std::vector<float> host = y.to_vector<float>();
    const float at = 10.0F * 500 / 999;
    EXPECT_NEAR(host[500], 11 * at - std::sin(at) * std::sqrt(at), 1e-4);
    EXPECT_NEAR(sum(y).item().real(), std::accumulate(host.begin(), host.end(), 0.0), 1);
}

TEST(Functions, SpaceValuesBetweenArraysAlongANewAxis) {
    const Array start = linspace(0, 1, 2);
    const Array stop = linspace(2, 5, 2);
    EXPECT_THAT(values_of(linspace(start, stop, 3, {}, true, 1)), ElementsAre(0, 1, 2, 1, 3, 5));
}

TEST(Functions, SpaceValuesByTheirLogarithms) {
    EXPECT_THAT(values_of(logspace(0, 3, 4, 2.0)), ElementsAre(1, 2, 4, 8));
    EXPECT_THAT(values_of(geomspace(-1, -8, 4)),
                Pointwise(DoubleNear(1e-14), std::vector<double>{-1, -2, -4, -8}));
}

TEST(Functions, GiveTheSameBitsWhenTheyRunAtOnce) {
    const auto compute = [] {
        const Array x = linspace(0, 3, 257);
        return values_of(exp(-(x * x)) / (1.0 + x));
    };
    const std::vector<double> lazy = compute();
    const LazyScope eager(false);
    EXPECT_EQ(lazy, compute());
}

TEST(Functions, WriteToOutWhereTheyAreAsked) {
    const Array x = numbers({1, -2, 3});
    Array out = zeros({3});
    const Array positive = x > 0;
    add(x, 10, {.where = &positive, .out = &out});
    EXPECT_THAT(values_of(out), ElementsAre(11, 0, 13));
}

TEST(Functions, RefuseWhatDoesNotFit) {
    EXPECT_THAT(refusal([] { zeros({3}) + zeros({4}); }),
                HasSubstr("could not be broadcast together"));
    EXPECT_THAT(refusal([] { zeros({3}) & zeros({3}); }), HasSubstr("bitwise_and"));
    EXPECT_THAT(refusal([] { from_vector(std::vector<float>{1}).to_vector<double>(); }),
                HasSubstr("to_vector"));
    EXPECT_THAT(refusal([] { arange(0, 3).to_vector<double>(); }), HasSubstr("astype"));
    EXPECT_THAT(refusal([] { ones({3}, float32).to_vector<int>(); }), HasSubstr("astype"));
    EXPECT_THAT(ones({2}, float16).to_vector<std::uint16_t>(), ElementsAre(0x3C00, 0x3C00));
}

TEST(Creation, CountsAsNumPyDoes) {
    EXPECT_THAT(arange(10, 0, -3).to_vector<std::int64_t>(), ElementsAre(10, 7, 4, 1));
    EXPECT_THAT(values_of(arange(0.0, 1.0, 0.3)),
                Pointwise(DoubleNear(0), {0.0, 0.3, 0.6, 0.3 * 3}));
    EXPECT_THAT(values_of(eye(2, 3, 1).reshape({-1})), ElementsAre(0, 1, 0, 0, 0, 1));
    EXPECT_THAT(refusal([] { arange(0, 300, 1, uint8); }), HasSubstr("wider dtype"));
}

TEST(Creation, TakesStridedHostMemory) {
    const std::vector<std::int16_t> host{1, 2, 3, 4, 5, 6};
    const Strides columns{2, 4};
    EXPECT_THAT(from_host(host.data(), {2, 3}, int16, &columns).to_vector<std::int16_t>(),
                ElementsAre(1, 3, 5, 2, 4, 6));
}

TEST(Reductions, AccumulateInWiderTypes) {
    const Array small = full({1000}, 100, int8);
    EXPECT_EQ(sum(small).dtype(), int64);
    EXPECT_EQ(sum(small).item().as_int(), 100'000);
    EXPECT_EQ(mean(small).dtype(), float64);
    const Array matrix = from_vector(std::vector<float>{1, 5, 3, 4, 2, 6}, Shape{2, 3});
    EXPECT_THAT(values_of(max(matrix, {.axes = std::vector{1}})), ElementsAre(5, 6));
    EXPECT_THAT(values_of(argmin(matrix, 0)), ElementsAre(0, 1, 0));
    EXPECT_EQ(sum(matrix, {.keepdims = true}).shape(), (Shape{1, 1}));
    EXPECT_DOUBLE_EQ(var(numbers({1, 2, 3, 4}), {}, 1).item().real(), 5.0 / 3);
}

TEST(Reductions, OverNothingNeedAnIdentity) {
    EXPECT_EQ(sum(zeros({0})).item().real(), 0);
    EXPECT_THAT(refusal([] { max(zeros({0})); }), HasSubstr("no elements"));
}

TEST(Joining, WritesPartsOfANewArray) {
    const Array a = numbers({1, 2});
    const Array b = from_vector(std::vector<std::int32_t>{3});
    const Array* const parts[] = {&a, &b};
    EXPECT_THAT(values_of(concat(parts)), ElementsAre(1, 2, 3));
    EXPECT_THAT(values_of(repeat(a, 2)), ElementsAre(1, 1, 2, 2));
    const std::int64_t shift = 1;
    EXPECT_THAT(values_of(roll(numbers({1, 2, 3}), std::span(&shift, 1))), ElementsAre(3, 1, 2));
}

TEST(Padding, ComputesBorders) {
    const Array x = numbers({1, 4, 9});
    EXPECT_THAT(values_of(pad(x, {{{2, 1}}}, {.mode = "reflect", .is_odd = true})),
                ElementsAre(-7, -2, 1, 4, 9, 14));
    EXPECT_THAT(values_of(pad(x, {{{1, 1}}}, {.mode = "mean", .stat_lengths = {{1, 2}}})),
                ElementsAre(1, 1, 4, 9, 6.5));
    EXPECT_THAT(values_of(pad(x, {{{1, 0}}}, {.mode = "median"})), ElementsAre(4, 1, 4, 9));
    EXPECT_THAT(refusal([&] { pad(x, {{{1, 1}}}, {.mode = "edge", .is_odd = true}); }),
                HasSubstr("reflect_type 'odd'"));
}

TEST(Products, ContractTheLastAxisWithTheLastButOne) {
    const Array a = arange(0, 6, 1, float64).reshape({2, 3});
    EXPECT_THAT(values_of(matmul(a, a.transpose()).reshape({-1})), ElementsAre(5, 14, 14, 50));
    EXPECT_EQ(vecdot(numbers({1, 2}), numbers({3, 4})).item().real(), 11);
    EXPECT_THAT(refusal([&] { matmul(a, a); }), HasSubstr("matmul got shapes"));
}

TEST(Memory, OfOthersIsUsedInPlace) {
    auto owner = std::make_shared<std::vector<float>>(std::vector<float>{1, 2, 3, 4});
    const Strides step{8};
    Array x = from_pointer(reinterpret_cast<std::uint64_t>(owner->data()), {2}, float32, &step,
                           std::nullopt, owner);
    x *= 10;
    EXPECT_THAT(values_of(x), ElementsAre(10, 30));
    EXPECT_THAT(*owner, ElementsAre(10, 2, 30, 4));
}

}  // namespace
}  // namespace warpwise
