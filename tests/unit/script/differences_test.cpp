// What is known of how far variables are apart, and what sums of them are at least.
#include "src/script/narrow/linear.hpp"

#include <gtest/gtest.h>

namespace warpwise::script {
namespace {

constexpr std::size_t kLow = 0;
constexpr std::size_t kHigh = 1;
constexpr std::size_t kPlace = 2;
constexpr Interval kNatural{0, INT32_MAX};

// Three natural variables.
State natural_state() {
    return {.is_reached = true, .values = {kNatural, kNatural, kNatural}, .differences = {}};
}

TEST(Differences, AddUpOverAThirdVariable) {
    Differences known;
    known.raise({kHigh, kLow, 1});
    known.raise({kPlace, kHigh, 2});
    EXPECT_EQ(known.least(kPlace, kLow), 3);
    EXPECT_EQ(known.least(kLow, kPlace), std::nullopt);
}

TEST(Differences, KeepTheGreaterOfTwo) {
    Differences known;
    known.raise({kHigh, kLow, 4});
    known.raise({kHigh, kLow, 1});
    EXPECT_EQ(known.least(kHigh, kLow), 4);
}

TEST(Differences, OfAVariableThatIsAssignedAreForgotten) {
    Differences known;
    known.raise({kHigh, kLow, 1});
    known.raise({kPlace, kHigh, 2});
    known.forget(kHigh);
    ASSERT_EQ(known.all().size(), 1U);
    EXPECT_EQ(known.least(kPlace, kLow), 3);
}

TEST(Differences, ThatAreHugeAreNotKept) {
    Differences known;
    known.raise({kHigh, kLow, Wide{1} << 41});
    EXPECT_TRUE(known.all().empty());
}

TEST(States, KnowOfADifferenceWhatBothWaysToThemKnow) {
    State one = natural_state();
    one.differences.raise({kHigh, kLow, 5});
    State other = natural_state();
    other.differences.raise({kHigh, kLow, 2});
    join(one, other);
    EXPECT_EQ(one.apart(kHigh, kLow), 2);
}

TEST(States, KnowDifferencesByTheValuesOfOneWay) {
    State one = natural_state();
    one.values[kLow] = {0, 0};
    State other = natural_state();
    other.differences.raise({kHigh, kLow, 0});
    join(one, other);
    EXPECT_EQ(one.apart(kHigh, kLow), 0);
}

TEST(States, ForgetWhatOneWayDoesNotKnow) {
    State one = natural_state();
    one.differences.raise({kHigh, kLow, 0});
    join(one, natural_state());
    EXPECT_TRUE(one.differences.all().empty());
}

// high - middle - 1, where middle is (low + high) / 2, rounded down.
TEST(LinearForms, AreBoundedByDifferencesOfTheirVariables) {
    State state = natural_state();
    state.differences.raise({kHigh, kLow, 1});
    const Linear both{.factors = {{kLow, 1}, {kHigh, 1}}};
    const Linear middle = *shifted_right(both, 1);
    const Linear high{.factors = {{kHigh, 1}}, .rest = {-1, -1}};
    EXPECT_EQ(least_of(*sum(high, negated(middle)), state), 0);
}

TEST(LinearForms, RoundDownOrUpWhereTheyAreNegated) {
    const State state = natural_state();
    const Linear three{.factors = {}, .rest = {3, 3}, .shift = 1};
    EXPECT_EQ(least_of(three, state), 1);
    EXPECT_EQ(least_of(negated(three), state), -1);
    EXPECT_EQ(bounds_of(three, state), (Interval{1, 1}));
}

TEST(LinearForms, OfTwoQuotientsAreNotAdded) {
    const Linear half{.factors = {{kLow, 1}}, .shift = 1};
    EXPECT_EQ(sum(half, half), std::nullopt);
}

TEST(LinearForms, LoseWhatIsSubtractedFromItself) {
    const Linear low{.factors = {{kLow, 1}}};
    EXPECT_TRUE(sum(low, negated(low))->factors.empty());
}

}  // namespace
}  // namespace warpwise::script
