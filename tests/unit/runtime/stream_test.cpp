// Streams: what is current, order, callbacks, errors that surface later, and the end of handles.
#include <atomic>
#include <optional>
#include <thread>

#include "tests/unit/runtime/null_device.hpp"

namespace warpwise {
namespace {

using testing::HasSubstr;

TEST(Stream, DefaultIsCurrentOutsideOfScopes) {
    EXPECT_EQ(Stream::current(), Device().default_stream());
    EXPECT_TRUE(Stream::current().is_default());
}

TEST(Stream, NewOnesAreNotTheDefault) {
    EXPECT_FALSE(Stream().is_default());
}

TEST(StreamScope, MakesStreamAndDeviceCurrent) {
    const Stream stream(Device("null:1"));
    {
        const StreamScope scope(stream);
        EXPECT_EQ(Stream::current(), stream);
        EXPECT_EQ(Device().name(), "null:1");
    }
    EXPECT_EQ(Device().name(), "null");
    EXPECT_EQ(Stream::current(), Device().default_stream());
}

TEST(StreamScope, IsRememberedForItsDevice) {
    const Stream here, there(Device("null:1"));
    const StreamScope outer(here);
    const StreamScope inner(there);
    const DeviceScope back(Device("null"));
    EXPECT_EQ(Stream::current(), here);
}

TEST(StreamScope, OfADeviceWithoutScopeIsItsDefaultStream) {
    const Stream stream;
    const StreamScope scope(stream);
    const DeviceScope other(Device("null:1"));
    EXPECT_EQ(Stream::current(), Device("null:1").default_stream());
}

TEST(Stream, IsDoneWhenItsWorkIs) {
    const Stream stream;
    EXPECT_TRUE(stream.is_done());
    const null::Pause pause;
    stream.call_host([] {});
    EXPECT_FALSE(stream.is_done());
    stream.synchronize();
    EXPECT_TRUE(stream.is_done());
}

TEST(Stream, RunsHostFunctionsInOrder) {
    const Stream stream;
    std::vector<int> seen;
    for (int i = 0; i < 4; ++i) stream.call_host([&seen, i] { seen.push_back(i); });
    stream.synchronize();
    EXPECT_EQ(seen, (std::vector<int>{0, 1, 2, 3}));
}

TEST(Stream, RefusesAnEmptyHostFunction) {
    EXPECT_THAT(message_of<ArgumentError>([] { Stream().call_host({}); }), HasSubstr("empty"));
}

TEST(Stream, WaitsForTheEventOfAnother) {
    const Stream first, second;
    std::atomic<int> value{0};
    const Event event(Device(), {.timing = false});
    int seen = 0;
    {
        const null::Pause pause;
        first.call_host([&] { value = 7; });
        second.wait(first.record());
        second.call_host([&] { seen = value; });
    }
    second.synchronize();
    EXPECT_EQ(seen, 7);
}

TEST(Stream, WaitsForAnEventOfAnotherDevice) {
    const Stream here, there(Device("null:1"));
    std::atomic<int> value{0};
    there.call_host([&] { value = 3; });
    here.wait(there.record());
    int seen = 0;
    here.call_host([&] { seen = value; });
    here.synchronize();
    EXPECT_EQ(seen, 3);
}

TEST(Stream, ReportsAThrowingHostFunctionOnce) {
    const Stream stream;
    stream.call_host([] { throw LaunchError("it broke"); });
    EXPECT_THAT(message_of<LaunchError>([&] { stream.synchronize(); }), HasSubstr("it broke"));
    EXPECT_NO_THROW(stream.synchronize());
}

TEST(Stream, RunsWhatIsQueuedBehindAFailure) {
    const Stream stream;
    bool has_run = false;
    stream.call_host([] { throw LaunchError("it broke"); });
    stream.call_host([&] { has_run = true; });
    EXPECT_THROW(stream.synchronize(), LaunchError);
    EXPECT_TRUE(has_run);
}

TEST(Stream, LeavesItsErrorToTheDeviceWhenItsHandleIsGone) {
    {
        const null::Pause pause;
        const Stream stream;
        stream.call_host([] { throw LaunchError("it broke"); });
    }
    EXPECT_THROW(Device().synchronize(), LaunchError);
    EXPECT_NO_THROW(Device().synchronize());
}

TEST(Stream, FinishesItsWorkAfterItsHandleIsGone) {
    std::atomic<bool> has_run{false};
    {
        const null::Pause pause;
        const Stream stream;
        stream.call_host([&] { has_run = true; });
    }
    Device().synchronize();
    EXPECT_TRUE(has_run);
}

TEST(Stream, ChangesHandsBetweenThreads) {
    const Stream stream;
    std::atomic<int> count{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back([&] {
            for (int j = 0; j < 50; ++j) stream.call_host([&] { ++count; });
        });
    }
    for (auto& thread : threads) thread.join();
    stream.synchronize();
    EXPECT_EQ(count, 200);
}

TEST(Stream, EachThreadHasOneOfItsOwn) {
    const Stream own = Stream::per_thread();
    EXPECT_EQ(own, Stream::per_thread());
    EXPECT_FALSE(own.is_default());
    EXPECT_FALSE(own == Stream::per_thread(Device("null:1")));
    std::optional<Stream> other;
    std::thread([&] { other = Stream::per_thread(); }).join();
    EXPECT_FALSE(own == *other);
}

TEST(Stream, HasNoHandleWhereThereAreNone) {
    EXPECT_THAT(message_of<UnsupportedError>([] { Stream().handle(); }),
                testing::HasSubstr("streams of null have no handles"));
    EXPECT_THROW(Stream::from_handle(1), UnsupportedError);
}

TEST(Stream, TakesAnyPriorityWhereThereAreNone) {
    EXPECT_EQ(Device().stream_priorities().greatest, 0);
    EXPECT_NO_THROW(Stream({.priority = -3}));
}

}  // namespace
}  // namespace warpwise
