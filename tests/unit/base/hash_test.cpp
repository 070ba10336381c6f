// Hashes: known values pin the algorithm, because they lie in files on users' disks.
#include "src/base/hash.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace warpwise {
namespace {

TEST(Hash, SixtyFourBitsAreXxh3) {
    EXPECT_EQ(hash64(std::string_view("")), 0x2d06800538d394c2ull);
}

TEST(Hash, HundredTwentyEightBitsAreXxh3) {
    EXPECT_EQ(hash128(std::string_view("")).hex(), "99aa06d3014798d86001c324468d497f");
}

TEST(Hash, TextAndItsBytesAgree) {
    const std::string text = "__global__ void f() {}";
    EXPECT_EQ(hash64(text), hash64(std::as_bytes(std::span(text))));
    EXPECT_EQ(hash128(text), hash128(std::as_bytes(std::span(text))));
}

TEST(Hash, HexPadsWithZeros) {
    EXPECT_EQ((Hash128{0x1, 0xab}).hex(), "000000000000000100000000000000ab");
}

TEST(Hasher, SameValuesSameHash) {
    EXPECT_EQ(Hasher().add("a").add(7u).hash(), Hasher().add("a").add(7u).hash());
}

TEST(Hasher, BordersBetweenTextsCount) {
    EXPECT_NE(Hasher().add("ab").add("c").hash(), Hasher().add("a").add("bc").hash());
}

TEST(Hasher, BordersBetweenListsCount) {
    using List = std::vector<std::string>;
    EXPECT_NE(Hasher().add_all(List{"a", "b"}).add_all(List{}).hash(),
              Hasher().add_all(List{"a"}).add_all(List{"b"}).hash());
}

TEST(Hasher, EveryByteOfALongTextCounts) {
    const std::string text(100'000, 'x');
    for (const std::size_t place : {std::size_t{0}, std::size_t{50'000}, text.size() - 1}) {
        std::string other = text;
        other[place] = 'y';
        EXPECT_NE(Hasher().add(text).hash(), Hasher().add(other).hash()) << place;
    }
}

TEST(Hasher, MayGoOnAfterHash) {
    Hasher hasher;
    hasher.add("a");
    const Hash128 first = hasher.hash();
    hasher.add("b");
    EXPECT_NE(first, hasher.hash());
    EXPECT_EQ(hasher.hash(), Hasher().add("a").add("b").hash());
}

}  // namespace
}  // namespace warpwise
