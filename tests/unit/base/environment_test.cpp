// The environment as it was at first: later changes do not reach it.
#include "src/base/environment.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace warpwise {
namespace {

TEST(Environment, IsASnapshot) {
    ::setenv("WARPWISE_TEST_BEFORE", "a=b", 1);
    ASSERT_FALSE(environment_snapshot().empty());
    ::setenv("WARPWISE_TEST_AFTER", "1", 1);
    EXPECT_EQ(process_environment("WARPWISE_TEST_BEFORE"), "a=b");
    EXPECT_EQ(process_environment("WARPWISE_TEST_AFTER"), std::nullopt);
}

TEST(Environment, KnowsNamesNotTheirBeginnings) {
    ::setenv("WARPWISE_TEST_BEFORE", "a=b", 1);
    environment_snapshot();
    EXPECT_EQ(process_environment("WARPWISE_TEST_BEFOR"), std::nullopt);
    EXPECT_EQ(process_environment("WARPWISE_TEST_BEFORE_"), std::nullopt);
}

}  // namespace
}  // namespace warpwise
