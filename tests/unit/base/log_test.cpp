// The log: levels, sinks, and what happens when a sink fails.
#include "src/base/log.hpp"

#include <gmock/gmock.h>

#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace warpwise::log {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class LogTest : public ::testing::Test {
  protected:
    void SetUp() override {
        set_level(Level::Warning);
        set_sink([this](Level level, std::string_view text) {
            lines_.push_back(std::string(level_name(level)) + " " + std::string(text));
        });
    }
    void TearDown() override {
        set_sink({});
        set_level(Level::Warning);
    }

    std::vector<std::string> lines_;
};

TEST_F(LogTest, FormatsIntoTheSink) {
    warning("{} of {}", 3, "four");
    EXPECT_THAT(lines_, ElementsAre("warning 3 of four"));
}

TEST_F(LogTest, DropsWhatIsAboveTheLevel) {
    info("not shown");
    debug("not shown");
    EXPECT_THAT(lines_, IsEmpty());
}

TEST_F(LogTest, AHigherLevelHearsMore) {
    set_level(Level::Debug);
    error("a");
    warning("b");
    info("c");
    debug("d");
    EXPECT_THAT(lines_, ElementsAre("error a", "warning b", "info c", "debug d"));
}

TEST_F(LogTest, ASinkMayLogAndSetASink) {
    set_sink([this](Level, std::string_view text) {
        lines_.emplace_back(text);
        set_sink([this](Level, std::string_view inner) { lines_.emplace_back(inner); });
        warning("inner");
    });
    warning("outer");
    EXPECT_THAT(lines_, ElementsAre("outer", "inner"));
}

TEST_F(LogTest, SetSinkReturnsThePreviousOne) {
    Sink previous = set_sink({});
    set_sink(previous);
    warning("back");
    EXPECT_THAT(lines_, ElementsAre("warning back"));
}

TEST_F(LogTest, WithoutASinkLinesGoToStderr) {
    set_sink({});
    ::testing::internal::CaptureStderr();
    warning("to the terminal");
    EXPECT_EQ(::testing::internal::GetCapturedStderr(), "warpwise: warning: to the terminal\n");
}

TEST_F(LogTest, AThrowingSinkLosesItsLineToStderr) {
    set_sink([](Level, std::string_view) { throw std::runtime_error("sink is full"); });
    ::testing::internal::CaptureStderr();
    error("important");
    const std::string text = ::testing::internal::GetCapturedStderr();
    EXPECT_THAT(text, HasSubstr("sink is full"));
    EXPECT_THAT(text, HasSubstr("important"));
}

TEST_F(LogTest, ThreadsDoNotMixLines) {
    set_sink({});
    ::testing::internal::CaptureStderr();
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back([] {
            for (int line = 0; line < 50; ++line) warning("{}", std::string(40, 'x'));
        });
    }
    threads.clear();
    std::string whole;
    for (int i = 0; i < 200; ++i) whole += "warpwise: warning: " + std::string(40, 'x') + "\n";
    EXPECT_EQ(::testing::internal::GetCapturedStderr(), whole);
}

TEST(LogLevel, NamesGoBothWays) {
    for (const Level level : {Level::Error, Level::Warning, Level::Info, Level::Debug}) {
        EXPECT_EQ(parse_level(level_name(level)), level);
    }
}

TEST(LogLevel, OtherNamesAreNoLevels) {
    EXPECT_EQ(parse_level("verbose"), std::nullopt);
    EXPECT_EQ(parse_level("DEBUG"), std::nullopt);
    EXPECT_EQ(parse_level(""), std::nullopt);
}

}  // namespace
}  // namespace warpwise::log
