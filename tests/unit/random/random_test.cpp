// Random numbers through the public header: what C++ programs write.
#include <algorithm>
#include <numeric>

#include "tests/unit/array/on_cpu.hpp"

namespace warpwise::random {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Random, NumbersFollowFromTheSeed) {
    Generator a = default_rng(7);
    Generator b = default_rng(7);
    const Sample sample{.shape = Shape{1000}, .dtype = float32};
    EXPECT_EQ(a.normal(1, 2, sample).to_vector<float>(), b.normal(1, 2, sample).to_vector<float>());
    EXPECT_NE(a.random(sample).to_vector<float>(), a.random(sample).to_vector<float>());
}

TEST(Random, WordsAreThoseOfPhilox) {
    const std::vector<std::uint32_t> raw = Philox(PhiloxState{}).random_raw(1024);
    EXPECT_THAT((std::vector{raw[0], raw[256], raw[512], raw[768]}),
                ElementsAre(0x6627E8D5u, 0xE169C58Du, 0xBC57AC4Cu, 0x9B00DBD8u));
}

TEST(Random, ASummedArrayIsNotStored) {
    Generator rng = default_rng(1);
    const double mean = warpwise::mean(rng.random({.shape = Shape{100'000}})).item().real();
    EXPECT_NEAR(mean, 0.5, 0.01);
}

TEST(Random, StatesAreTakenAndSet) {
    Generator rng = default_rng(3);
    const PhiloxState before = std::get<Philox>(rng.bit_generator()).state();
    const std::vector<double> first = values_of(rng.exponential(2.0, {.shape = Shape{50}}));
    EXPECT_NE(std::get<Philox>(rng.bit_generator()).state(), before);
    std::get<Philox>(rng.bit_generator()).set_state(before);
    EXPECT_EQ(values_of(rng.exponential(2.0, {.shape = Shape{50}})), first);
    EXPECT_EQ(std::get<Philox>(rng.bit_generator()).jumped(2).state().jumps, 2u);
}

TEST(Random, ChildrenAreIndependent) {
    Generator rng = default_rng(3);
    std::vector<Generator> children = rng.spawn(2);
    EXPECT_NE(values_of(children[0].random({.shape = Shape{9}})),
              values_of(children[1].random({.shape = Shape{9}})));
    EXPECT_THAT(refusal([] { Philox(PhiloxState{}).spawn(1); }), HasSubstr("seed sequence"));
}

TEST(Random, ParametersAreArraysToo) {
    Generator rng = default_rng(4);
    const Array drawn = rng.poisson(numbers({0, 5, 500}), {.shape = Shape{2000, 3}});
    const std::vector<double> means = values_of(mean(drawn, {.axes = std::vector{0}}));
    EXPECT_EQ(means[0], 0);
    EXPECT_NEAR(means[1], 5, 0.4);
    EXPECT_NEAR(means[2], 500, 4);
}

TEST(Random, RareDistributionsHaveTheirMeans) {
    Generator rng = default_rng(5);
    const Sample sample{.shape = Shape{20'000}};
    const auto mean_of = [](const Array& drawn) { return values_of(mean(drawn))[0]; };
    EXPECT_NEAR(mean_of(rng.noncentral_chisquare(3, 2, sample)), 5, 0.15);
    EXPECT_NEAR(mean_of(rng.noncentral_f(3, 12, 3, sample)), 2.4, 0.1);
    EXPECT_NEAR(mean_of(rng.vonmises(0.5, 4, sample)), 0.5, 0.03);
    EXPECT_NEAR(mean_of(rng.wald(2, 8, sample)), 2, 0.05);
    EXPECT_NEAR(mean_of(rng.hypergeometric(30, 20, 25, sample)), 15, 0.1);
    EXPECT_NEAR(mean_of(rng.logseries(0.5, sample)), 1.4427, 0.04);
    EXPECT_NEAR(mean_of(rng.zipf(5, sample)), 1.0438, 0.01);
}

TEST(Random, ShufflesKeepEveryElement) {
    Generator rng = default_rng(5);
    Array x = arange(0, 100, 1, float64);
    rng.shuffle(x);
    std::vector<double> values = values_of(x);
    EXPECT_FALSE(std::ranges::is_sorted(values));
    std::ranges::sort(values);
    std::vector<double> all(100);
    std::iota(all.begin(), all.end(), 0);
    EXPECT_EQ(values, all);
}

TEST(Random, XorwowIsABitGeneratorToo) {
    Generator rng{XORWOW(SeedSequence::of(3))};
    const XORWOWState before = std::get<XORWOW>(rng.bit_generator()).state();
    const std::vector<double> first = values_of(rng.gamma(2.5, 1.0, {.shape = Shape{50}}));
    EXPECT_EQ(std::get<XORWOW>(rng.bit_generator()).state().position, before.position + 1);
    std::get<XORWOW>(rng.bit_generator()).set_state(before);
    EXPECT_EQ(values_of(rng.gamma(2.5, 1.0, {.shape = Shape{50}})), first);
    EXPECT_NE(XORWOW(before).random_raw(4), XORWOW(before).jumped().random_raw(4));
    EXPECT_THAT(refusal([&] { XORWOW(before).spawn(1); }), HasSubstr("seed sequence"));
    EXPECT_THAT(refusal([] { XORWOW(XORWOWState{.position = ~0ull}); }), HasSubstr("2^62"));
}

TEST(Random, RefusesWhatIsOutOfTheDomain) {
    Generator rng = default_rng(1);
    EXPECT_THAT(refusal([&] { rng.normal(0, -1); }), HasSubstr("scale=-1"));
    EXPECT_THAT(refusal([&] { rng.hypergeometric(1, 2, 4); }), HasSubstr("nsample=4"));
    EXPECT_THAT(refusal([&] { rng.integers(3, 3); }), HasSubstr("high must be above low"));
    EXPECT_THAT(refusal([&] { rng.random({.dtype = int32}); }), HasSubstr("int32"));
    EXPECT_THAT(refusal([] { SeedSequence({1}, {}, 2); }), HasSubstr("pool_size"));
}

}  // namespace
}  // namespace warpwise::random
