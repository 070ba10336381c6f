// The version has the form other tools parse.
#include "warpwise/version.hpp"

#include <gmock/gmock.h>

namespace warpwise {
namespace {

TEST(Version, IsThreeNumbers) {
    EXPECT_THAT(version(), ::testing::MatchesRegex("[0-9]+\\.[0-9]+\\.[0-9]+"));
}

}  // namespace
}  // namespace warpwise
