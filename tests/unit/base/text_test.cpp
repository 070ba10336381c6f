// The words messages are made of.
#include "src/base/text.hpp"

#include <gmock/gmock.h>

#include <string>
#include <vector>

namespace warpwise {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const std::vector<std::string> kKernels{"scale", "add_vectors", "reduce"};

TEST(Quote, PutsQuotesAround) {
    EXPECT_EQ(quote("cpu"), "'cpu'");
}
TEST(Quote, ShowsControlCharacters) {
    EXPECT_EQ(quote("a\nb\tc\x01"), "'a\\nb\\tc\\x01'");
}
TEST(Quote, KeepsUtf8) {
    EXPECT_EQ(quote("größe"), "'größe'");
}
TEST(Quote, CutsLongValues) {
    EXPECT_EQ(quote("abcdef", 3), "'abc...'");
}

TEST(Join, PutsTheSeparatorBetween) {
    EXPECT_EQ(join({"a", "b", "c"}), "a, b, c");
    EXPECT_EQ(join({"a", "b"}, " | "), "a | b");
}
TEST(Join, OfNothingIsEmpty) {
    EXPECT_EQ(join(std::vector<std::string>{}), "");
}

TEST(HumanBytes, CountsSmallSizes) {
    EXPECT_EQ(human_bytes(0), "0 bytes");
    EXPECT_EQ(human_bytes(1), "1 byte");
    EXPECT_EQ(human_bytes(1023), "1023 bytes");
}
TEST(HumanBytes, UsesPowersOf1024) {
    EXPECT_EQ(human_bytes(1024), "1.0 KiB");
    EXPECT_EQ(human_bytes(3ull << 29), "1.5 GiB");
    EXPECT_EQ(human_bytes(~0ull), "16.0 EiB");
}
TEST(HumanBytes, NeverShows1024OfAUnit) {
    EXPECT_EQ(human_bytes((1u << 20) - 1), "1.0 MiB");
}

TEST(SplitAtBlanks, DropsEmptyWords) {
    EXPECT_THAT(split_at_blanks("  -O3\t-DN=4 \n"), ElementsAre("-O3", "-DN=4"));
}
TEST(SplitAtBlanks, OfBlanksIsEmpty) {
    EXPECT_THAT(split_at_blanks(" \t"), IsEmpty());
}

TEST(NearestName, FindsOneMisspelling) {
    EXPECT_EQ(nearest_name("scael", kKernels), "scale");
}
TEST(NearestName, FindsOtherCase) {
    EXPECT_EQ(nearest_name("REDUCE", kKernels), "reduce");
}
TEST(NearestName, GivesUpOnOtherNames) {
    EXPECT_EQ(nearest_name("matmul", kKernels), std::nullopt);
}
TEST(NearestName, GivesUpWithoutCandidates) {
    EXPECT_EQ(nearest_name("x", {}), std::nullopt);
}

TEST(Suggestion, EndsASentence) {
    EXPECT_EQ(suggestion("scal", kKernels), "; did you mean 'scale'?");
    EXPECT_EQ(suggestion("matmul", kKernels), "");
}

}  // namespace
}  // namespace warpwise
