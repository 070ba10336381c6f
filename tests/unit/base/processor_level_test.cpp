// The host's instruction level, and which levels a user may ask for.
#include "src/base/processor_level.hpp"

#include <gmock/gmock.h>

#include "warpwise/error.hpp"

namespace warpwise {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(ProcessorLevel, TheHostsIsOneOfTheList) {
    EXPECT_TRUE(is_processor_level(native_level()));
}

TEST(ProcessorLevel, NativeIsTheHostsLevel) {
    EXPECT_EQ(chosen_level("native"), native_level());
}

TEST(ProcessorLevel, EveryLevelUpToTheHostsCanBeChosenAndNoneAbove) {
    for (std::string_view level : processor_levels()) {
        if (level <= native_level()) {
            EXPECT_EQ(chosen_level(level), level);
        } else {
            EXPECT_THROW(chosen_level(level), DeviceError);
        }
    }
}

TEST(ProcessorLevel, StandsInFrontOfWhatTheHostIsTunedFor) {
    EXPECT_EQ(level_of(tuned_for_host("x86-64-v3")), "x86-64-v3");
    EXPECT_EQ(level_of("x86-64-v4,-fast-gather"), "x86-64-v4");
    EXPECT_EQ(level_of("x86-64-v4"), "x86-64-v4");
}

TEST(ProcessorLevel, OnlyTheHighestGetsWhatTheHostHasBeyondIt) {
    __builtin_cpu_init();
    EXPECT_THAT(tuned_for_host("x86-64-v3"), Not(HasSubstr("+")));
    EXPECT_EQ(tuned_for_host("x86-64-v4").find(",+avx512vpopcntdq") != std::string::npos,
              __builtin_cpu_supports("avx512vpopcntdq") != 0);
}

TEST(ProcessorLevel, AnUnknownOneIsRefusedWithThoseThereAre) {
    try {
        chosen_level("pentium");
        FAIL() << "accepted";
    } catch (const DeviceError& error) {
        EXPECT_THAT(error.what(), HasSubstr("'pentium'; choose native, x86-64-v2, x86-64-v3, x86"));
    }
}

}  // namespace
}  // namespace warpwise
