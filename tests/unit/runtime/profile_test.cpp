// Profiles on the null device: records, the two texts, and what is refused.
#include <algorithm>
#include <filesystem>
#include <thread>

#include "src/runtime/profile/profile_text.hpp"
#include "tests/unit/runtime/null_device.hpp"
#include "tests/unit/runtime/programs.hpp"

namespace warpwise {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using Kind = ProfileRecord::Kind;

Kernel load(const char* name) {
    return load_kernel(kernel_info(name, {}));
}

ProfileRecord record(Kind kind, const char* name, std::int64_t start, std::int64_t duration,
                     std::uint64_t bytes = 0) {
    ProfileRecord made;
    made.kind = kind;
    made.name = name;
    made.start = start;
    made.duration = duration;
    made.bytes = bytes;
    return made;
}

TEST(Profile, HasWhatTheDeviceDidInOrder) {
    const Kernel kernel = load("k");
    Buffer buffer = mem_alloc(4096);
    Profile profile;
    EXPECT_TRUE(profile.is_running());
    EXPECT_EQ(profile.source(), "clock");
    buffer.fill(3, 1, 4096, Stream::current());
    kernel({.grid = {2, 3}, .block = 32, .shared = 64});
    std::vector<std::byte> host(4096);
    buffer.copy_to(host.data(), host.size());
    mark("read");
    profile.stop();
    profile.stop();
    EXPECT_FALSE(profile.is_running());
    EXPECT_EQ(profile.device(), "null");
    const auto& records = profile.records();
    ASSERT_EQ(records.size(), 4u);
    EXPECT_EQ(records[0].kind, Kind::Fill);
    EXPECT_EQ(records[0].bytes, 4096u);
    EXPECT_EQ(records[1].name, "k");
    EXPECT_EQ(records[1].grid, (std::array<std::uint32_t, 3>{2, 3, 1}));
    EXPECT_EQ(records[1].dynamic_shared_bytes, 64u);
    EXPECT_EQ(records[2].name, "copy device to host");
    EXPECT_EQ(records[3].kind, Kind::Mark);
    EXPECT_EQ(records[3].device, "");
    for (std::size_t i = 1; i < 3; ++i) {
        EXPECT_GE(records[i].start, records[i - 1].start + records[i - 1].duration);
        EXPECT_EQ(records[i].stream, records[0].stream);
    }
}

TEST(Profile, HasNothingFromBeforeOrAfter) {
    const Kernel kernel = load("k");
    kernel({.grid = 1, .block = 1});
    const Range before("begun before");
    Profile profile;
    kernel({.grid = 2, .block = 1});
    profile.stop();
    kernel({.grid = 3, .block = 1});
    ASSERT_EQ(profile.records().size(), 1u);
    EXPECT_EQ(profile.records()[0].grid[0], 2u);
}

TEST(Profile, IsTheOnlyOneOfItsDevice) {
    Profile profile;
    EXPECT_THAT(message_of<ArgumentError>([] { Profile second; }),
                HasSubstr("a profile of null runs already"));
    Profile elsewhere(Device("null:1"));
    elsewhere.stop();
    Profile moved = std::move(profile);
    moved.stop();
    Profile().stop();
}

TEST(Profile, KnowsTheSourcesOfItsDevice) {
    EXPECT_THAT(message_of<ArgumentError>([] { Profile profile("cupti"); }),
                AllOf(HasSubstr("null has no source 'cupti'"), HasSubstr("it has clock")));
}

TEST(Profile, HasNothingToTellWhileItRuns) {
    Profile profile;
    for (const auto& ask : std::vector<std::function<void()>>{
             [&] { (void)profile.records(); }, [&] { profile.table(); }, [&] { profile.trace(); },
             [&] { profile.save("trace.json"); }}) {
        EXPECT_THAT(message_of<ArgumentError>(ask), HasSubstr("has not ended"));
    }
}

TEST(Profile, RaisesTheErrorsOfItsLaunchesAndHasThemAllTheSame) {
    const Kernel kernel = load("bad");
    Profile profile;
    null::fail_launch(std::make_exception_ptr(LaunchError("planted")));
    kernel({.grid = 1, .block = 1});
    EXPECT_THAT(message_of<LaunchError>([&] { profile.stop(); }), HasSubstr("planted"));
    ASSERT_EQ(profile.records().size(), 1u);
    EXPECT_EQ(profile.records()[0].name, "bad");
}

TEST(Profile, ThatIsStoppedAtOnceLeavesErrorsToTheNextWait) {
    const Kernel kernel = load("bad");
    Profile profile;
    null::fail_launch(std::make_exception_ptr(LaunchError("planted")));
    kernel({.grid = 1, .block = 1});
    profile.stop_at_once();
    EXPECT_FALSE(profile.is_running());
    EXPECT_THROW(Device().synchronize(), LaunchError);
}

TEST(Profile, CannotBeWrittenWhereThereIsNoFolder) {
    Profile profile;
    profile.stop();
    EXPECT_THAT(message_of<DeviceError>([&] { profile.save("/nowhere/trace.json"); }),
                AllOf(HasSubstr("/nowhere/trace.json"), HasSubstr("No such file")));
}

TEST(Profile, IsFedByAllThreads) {
    const Kernel kernel = load("k");
    Profile profile;
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back([&kernel] {
            const DeviceScope scope(Device("null"));
            for (int j = 0; j < 100; ++j) {
                const Range range("step");
                kernel({.grid = 1, .block = 1});
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    profile.stop();
    EXPECT_EQ(profile.records().size(), 800u);
}

const runtime::ProfileHead kHead{"cuda:0", "A GPU", "cupti", "", 2'000'000};

TEST(ProfileTable, SumsByNameTheLongestFirst) {
    const std::vector<ProfileRecord> records{
        record(Kind::Kernel, "short", 0, 1000), record(Kind::Kernel, "long", 0, 200'000),
        record(Kind::Kernel, "short", 0, 3000), record(Kind::Copy, "copy", 0, 196'000, 19'600'000),
        record(Kind::Range, "phase", 0, 1'000'000)};
    EXPECT_EQ(runtime::profile_table(kHead, records),
              "cuda:0 (A GPU), 2.000 ms in all, times by cupti\n"
              "work      count        total         mean   share\n"
              "long          1    200.00 us    200.00 us   50.0%\n"
              "copy          1    196.00 us    196.00 us   49.0%  100 GB/s\n"
              "short         2      4.00 us      2.00 us    1.0%\n"
              "\n"
              "range     count        total         mean   share\n"
              "phase         1     1.000 ms     1.000 ms   50.0%\n");
}

TEST(ProfileTable, SaysThatThereWasNothing) {
    EXPECT_THAT(runtime::profile_table(kHead, {}), HasSubstr("the device did nothing"));
}

TEST(ProfileTrace, IsWhatChromeReads) {
    ProfileRecord kernel = record(Kind::Kernel, "k", 1500, 2500);
    kernel.stream = 7;
    kernel.grid = {1, 2, 3};
    const std::string text =
        runtime::profile_trace(kHead, std::vector{kernel, record(Kind::Mark, "here", 9, 0)});
    EXPECT_THAT(text, AllOf(HasSubstr(R"("ph": "X", "name": "k", "cat": "kernel")"),
                            HasSubstr(R"("tid": 7, "ts": 1.500, "dur": 2.500)"),
                            HasSubstr(R"("grid": [1, 2, 3])"), HasSubstr(R"("name": "stream 7")"),
                            HasSubstr(R"("ph": "i")")));
}

TEST(ProfileTrace, StaysJsonWhateverTheNames) {
    const std::string text = runtime::profile_trace(
        kHead, std::vector{record(Kind::Range, "a\"b\\c\n\x01 \xc3\xa9 \xff \xed\xa0\x80", 0, 1)});
    EXPECT_THAT(text,
                HasSubstr("a\\\"b\\\\c\\u000a\\u0001 \xc3\xa9 \\ufffd \\ufffd\\ufffd\\ufffd"));
    EXPECT_THAT(text, Not(HasSubstr("\xff")));
}

std::string shown_name(const std::string& name) {
    const std::string text =
        runtime::profile_trace(kHead, std::vector{record(Kind::Range, name.c_str(), 0, 1)});
    const std::string before = "\"name\": \"<";
    const std::size_t begin = text.find(before) + before.size();
    return text.substr(begin, text.find('>', begin) - begin);
}

// The first and the last character of each length, and what lies just outside.
TEST(ProfileTrace, KeepsWhatIsUtf8) {
    for (const std::string name :
         {"\xc2\x80", "\xdf\xbf", "\xe0\xa0\x80", "\xed\x9f\xbf", "\xee\x80\x80", "\xef\xbf\xbf",
          "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf"}) {
        EXPECT_EQ(shown_name("<" + name + ">"), name);
    }
}

TEST(ProfileTrace, ReplacesEachByteOfWhatIsNotUtf8) {
    for (const std::string name : {"\x80", "\xc1\xbf", "\xe0\x9f\xbf", "\xed\xa0\x80",
                                   "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80"}) {
        std::string expected;
        for (std::size_t i = 0; i < name.size(); ++i) expected += "\\ufffd";
        EXPECT_EQ(shown_name("<" + name + ">"), expected);
    }
}

}  // namespace
}  // namespace warpwise
