// InlineList: the first values lie in place, all of them one after the other.
#include "src/runtime/launch/inline_list.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace warpwise::runtime {
namespace {

struct Entry {
    int number = 0;
    bool is_even = false;
    bool operator==(const Entry&) const = default;
};

TEST(InlineList, HoldsFewAndManyValues) {
    InlineList<Entry, 4> list;
    EXPECT_TRUE(list.view().empty());
    std::vector<Entry> expected;
    for (int i = 0; i < 20; ++i) {
        list.push_back({i, i % 2 == 0});
        expected.push_back({i, i % 2 == 0});
        const auto seen = list.view();
        EXPECT_EQ(std::vector(seen.begin(), seen.end()), expected);
    }
}

TEST(InlineList, AllocatesNothingForFewValues) {
    InlineList<int, 3> list;
    for (int i = 0; i < 3; ++i) list.push_back(i);
    const auto* const place = reinterpret_cast<const char*>(list.view().data());
    EXPECT_GE(place, reinterpret_cast<const char*>(&list));
    EXPECT_LT(place, reinterpret_cast<const char*>(&list + 1));
}

}  // namespace
}  // namespace warpwise::runtime
