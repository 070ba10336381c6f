// The tree of errors: what each class remembers, and what catches it.
#include "warpwise/error.hpp"

#include <gtest/gtest.h>

#include <type_traits>

#include "warpwise/axis_error.hpp"

namespace warpwise {
namespace {

TEST(Error, EveryClassIsAnError) {
    const bool all =
        std::is_base_of_v<Error, CompileError> && std::is_base_of_v<Error, ArgumentError> &&
        std::is_base_of_v<ArgumentError, AxisError> && std::is_base_of_v<Error, LaunchError> &&
        std::is_base_of_v<Error, OutOfMemoryError> && std::is_base_of_v<Error, DeviceError> &&
        std::is_base_of_v<Error, UnsupportedError> && std::is_base_of_v<Error, CheckError> &&
        std::is_base_of_v<Error, Interrupted>;
    EXPECT_TRUE(all);
}

TEST(Error, IsARuntimeErrorWithItsMessage) {
    try {
        throw DeviceError("no such device");
    } catch (const std::runtime_error& error) {
        EXPECT_STREQ(error.what(), "no such device");
    }
}

TEST(CompileError, RemembersLogFileAndLine) {
    const CompileError error("expected ';'", "k.cu:3:7: error: expected ';'", "k.cu", 3);
    EXPECT_STREQ(error.what(), "expected ';'");
    EXPECT_EQ(error.log(), "k.cu:3:7: error: expected ';'");
    EXPECT_EQ(error.file(), "k.cu");
    EXPECT_EQ(error.line(), 3);
}

TEST(AxisError, RemembersAxisAndRank) {
    const AxisError error("axis 3 ...", 3, 2);
    EXPECT_EQ(error.kind(), ArgumentError::Kind::Index);
    EXPECT_EQ(error.axis(), 3);
    EXPECT_EQ(error.rank(), 2);
}

TEST(ArgumentError, TellsTypeFromValue) {
    EXPECT_EQ(ArgumentError(ArgumentError::Kind::Type, "").kind(), ArgumentError::Kind::Type);
    EXPECT_EQ(ArgumentError(ArgumentError::Kind::Value, "").kind(), ArgumentError::Kind::Value);
}

TEST(LaunchError, KnowsKernelBlockAndThread) {
    const LaunchError error("trap", "scale", LaunchError::Index{1, 2, 3},
                            LaunchError::Index{4, 5, 6});
    EXPECT_EQ(error.kernel(), "scale");
    EXPECT_EQ(error.block(), (LaunchError::Index{1, 2, 3}));
    EXPECT_EQ(error.thread(), (LaunchError::Index{4, 5, 6}));
}

TEST(LaunchError, MayKnowNothingButItsMessage) {
    const LaunchError error("too many blocks");
    EXPECT_TRUE(error.kernel().empty());
    EXPECT_FALSE(error.block().has_value());
    EXPECT_FALSE(error.thread().has_value());
}

TEST(Error, UnsupportedPlaceIsEmptyByDefault) {
    const UnsupportedError error("graphs of graphs");
    EXPECT_TRUE(error.log().empty());
    EXPECT_TRUE(error.file().empty());
    EXPECT_EQ(error.line(), 0);
}

TEST(Error, CopiesKeepTheirMessage) {
    const UnsupportedError original("graphs of graphs");
    const UnsupportedError copy = original;  // NOLINT(performance-unnecessary-copy-initialization)
    EXPECT_STREQ(copy.what(), "graphs of graphs");
}

}  // namespace
}  // namespace warpwise
