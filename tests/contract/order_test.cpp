// Order within and across streams, the default stream, events and callbacks.
#include <atomic>

#include "tests/contract/contract.hpp"

namespace warpwise::contract {
namespace {

class OrderTest : public ContractTest {};
WARPWISE_CONTRACT(OrderTest);

TEST_P(OrderTest, OfOneStreamIsFirstInFirstOut) {
    const Stream stream;
    std::vector<int> seen;
    Gate gate;
    gate.hold(stream);
    for (int i = 0; i < 100; ++i) stream.call_host([&seen, i] { seen.push_back(i); });
    gate.open();
    stream.synchronize();
    std::vector<int> expected(100);
    std::iota(expected.begin(), expected.end(), 0);
    EXPECT_EQ(seen, expected);
}

TEST_P(OrderTest, HoldsBetweenCopiesFillsAndCallbacks) {
    const Stream stream;
    Buffer buffer = mem_alloc(4, stream);
    int first = 0, second = 0, at_callback = 0;
    Gate gate;
    gate.hold(stream);
    buffer.fill(1, 4, 1, stream);
    buffer.copy_to_async(&first, 4, stream);
    stream.call_host([&] { at_callback = first; });
    buffer.fill(2, 4, 1, stream);
    buffer.copy_to_async(&second, 4, stream);
    gate.open();
    stream.synchronize();
    EXPECT_EQ(first, 1);
    EXPECT_EQ(at_callback, 1);
    EXPECT_EQ(second, 2);
}

TEST_P(OrderTest, IsFreeBetweenStreams) {
    const Stream held, other;
    Gate gate;
    gate.hold(held);
    Buffer buffer = mem_alloc(4, other);
    buffer.fill(3, 4, 1, other);
    EXPECT_TRUE(finishes(other));
    EXPECT_FALSE(held.is_done());
}

TEST_P(OrderTest, AcrossStreamsFollowsEvents) {
    const Stream first, second;
    Buffer buffer = mem_alloc(4);
    int seen = 0;
    Gate gate;
    gate.hold(first);
    buffer.fill(5, 4, 1, first);
    second.wait(first.record());
    buffer.copy_to_async(&seen, 4, second);
    EXPECT_FALSE(second.is_done());
    gate.open();
    second.synchronize();
    EXPECT_EQ(seen, 5);
}

TEST_P(OrderTest, WaitsForTheRecordAtTheTimeOfTheWait) {
    const Stream first, second;
    Event event;
    event.record(first);
    second.wait(event);
    Gate gate;
    gate.hold(first);
    event.record(first);
    EXPECT_TRUE(finishes(second));
}

TEST_P(OrderTest, PassesEventsNeverRecorded) {
    const Stream stream;
    stream.wait(Event());
    EXPECT_TRUE(finishes(stream));
}

TEST_P(OrderTest, OfTheDefaultStreamComesAfterBlockingStreams) {
    const Stream stream;
    const Stream legacy = device.default_stream();
    int value = 0, seen = 0;
    Gate gate;
    gate.hold(stream);
    stream.call_host([&] { value = 1; });
    legacy.call_host([&] { seen = value; });
    EXPECT_FALSE(legacy.is_done());
    gate.open();
    legacy.synchronize();
    EXPECT_EQ(seen, 1);
}

TEST_P(OrderTest, OfBlockingStreamsComesAfterTheDefaultStream) {
    const Stream stream;
    const Stream legacy = device.default_stream();
    int value = 0, seen = 0;
    Gate gate;
    gate.hold(legacy);
    legacy.call_host([&] { value = 1; });
    stream.call_host([&] { seen = value; });
    EXPECT_FALSE(stream.is_done());
    gate.open();
    stream.synchronize();
    EXPECT_EQ(seen, 1);
}

TEST_P(OrderTest, OfNonBlockingStreamsIsTheirOwn) {
    const Stream stream({.non_blocking = true});
    const Stream legacy = device.default_stream();
    Gate gate;
    gate.hold(legacy);
    Buffer buffer = mem_alloc(4, stream);
    buffer.fill(3, 4, 1, stream);
    EXPECT_TRUE(finishes(stream));
    gate.open();
    legacy.synchronize();
}

TEST_P(OrderTest, IsKeptWhenTheHandleIsGone) {
    std::atomic<int> value{0};
    {
        Gate gate;
        const Stream stream;
        gate.hold(stream);
        stream.call_host([&] { value = 1; });
    }
    device.synchronize();
    EXPECT_EQ(value, 1);
}

TEST_P(OrderTest, IsWholeWhenManyThreadsUseOneStream) {
    const Stream stream;
    Buffer buffer = mem_alloc(8 * sizeof(int));
    std::vector<std::thread> threads;
    for (int t = 0; t < 8; ++t) {
        threads.emplace_back([&, t] {
            for (int i = 1; i <= 50; ++i) buffer.fill(i, 4, 1, stream, t * sizeof(int));
        });
    }
    for (auto& thread : threads) thread.join();
    stream.synchronize();
    std::vector<int> values(8);
    buffer.copy_to(values.data(), buffer.size());
    EXPECT_EQ(values, std::vector<int>(8, 50));
}

class EventTest : public ContractTest {};
WARPWISE_CONTRACT(EventTest);

TEST_P(EventTest, IsDoneWhenTheWorkBeforeItIs) {
    const Stream stream;
    Gate gate;
    gate.hold(stream);
    const Event event = stream.record();
    EXPECT_FALSE(event.is_done());
    gate.open();
    event.synchronize();
    EXPECT_TRUE(event.is_done());
}

TEST_P(EventTest, DoesNotWaitForLaterWork) {
    const Stream stream;
    const Event event = stream.record();
    Gate gate;
    gate.hold(stream);
    event.synchronize();
    EXPECT_FALSE(stream.is_done());
}

TEST_P(EventTest, SurfacesTheErrorBeforeItThoughOtherWorkIsQueued) {
    const Stream stream;
    stream.call_host([] { throw LaunchError("made to fail"); });
    const Event event = stream.record();
    Gate gate;
    gate.hold(stream);
    EXPECT_THROW(event.synchronize(), LaunchError);
    gate.open();
    EXPECT_NO_THROW(stream.synchronize()) << "once";
}

TEST_P(EventTest, LeavesTheErrorsOfLaterWorkToOthers) {
    const Stream stream;
    const Event before = stream.record();
    stream.call_host([] { throw LaunchError("made to fail"); });
    const Event after = stream.record();
    while (!after.is_done()) std::this_thread::yield();
    EXPECT_NO_THROW(before.synchronize());
    EXPECT_THROW(after.synchronize(), LaunchError);
}

TEST_P(EventTest, TellsTimes) {
    const Stream stream;
    const Event start = stream.record();
    stream.call_host([] { std::this_thread::sleep_for(std::chrono::milliseconds(20)); });
    const Event end = stream.record();
    end.synchronize();
    EXPECT_GE(start.time_till(end), 19.0);
    EXPECT_LE(end.time_till(start), -19.0);
    EXPECT_EQ(start.time_till(start), 0.0);
}

TEST_P(EventTest, RefusesTimesItDoesNotHave) {
    const Stream stream;
    const Event done = stream.record();
    done.synchronize();
    EXPECT_THROW(done.time_till(Event()), ArgumentError);
    Event untimed(EventOptions{.timing = false});
    untimed.record(stream);
    untimed.synchronize();
    EXPECT_THROW(done.time_till(untimed), ArgumentError);
}

class CallbackTest : public ContractTest {};
WARPWISE_CONTRACT(CallbackTest);

TEST_P(CallbackTest, RunsOnAThreadOfTheLibrary) {
    const Stream stream;
    std::thread::id id;
    Gate gate;
    gate.hold(stream);
    stream.call_host([&] { id = std::this_thread::get_id(); });
    gate.open();
    stream.synchronize();
    EXPECT_NE(id, std::thread::id());
}

TEST_P(CallbackTest, ThatThrowsSurfacesOnce) {
    const Stream stream;
    bool has_run = false;
    stream.call_host([] { throw LaunchError("made to fail"); });
    stream.call_host([&] { has_run = true; });
    EXPECT_THROW(stream.synchronize(), LaunchError);
    EXPECT_NO_THROW(stream.synchronize());
    EXPECT_TRUE(has_run);
}

// Counts what a host function was refused that would wait for work of its device.
struct Waits {
    std::vector<std::function<void()>> attempts;
    std::size_t refused = 0;
    void attempt_all() {
        for (const auto& attempt : attempts) {
            try {
                attempt();
            } catch (const ArgumentError&) {
                ++refused;
            }
        }
    }
};

TEST_P(CallbackTest, MayNotWaitForItsDevice) {
    const Stream stream;
    const Stream other({.non_blocking = true});
    const Event event = other.record();
    Buffer buffer = mem_alloc(8);
    std::uint64_t value = 0;
    Waits waits{.attempts = {[&] { stream.synchronize(); }, [&] { other.synchronize(); },
                             [&] { event.synchronize(); }, [&] { device.synchronize(); },
                             [&] { buffer.copy_from(&value, 8); },
                             [&] { buffer.copy_to(&value, 8); }}};
    stream.call_host([&] { waits.attempt_all(); });
    stream.synchronize();
    EXPECT_EQ(waits.refused, waits.attempts.size());
    EXPECT_NO_THROW(buffer.copy_to(&value, 8));

    waits.refused = 0;
    stream.begin_capture();
    stream.call_host([&] { waits.attempt_all(); });
    stream.end_capture().launch(stream);
    stream.synchronize();
    EXPECT_EQ(waits.refused, waits.attempts.size());
}

TEST_P(CallbackTest, IsLetGoWhenItHasRun) {
    const Stream stream;
    auto owner = std::make_shared<int>(1);
    const std::weak_ptr<int> watch = owner;
    stream.call_host([owner = std::move(owner)] {});
    stream.synchronize();
    EXPECT_TRUE(watch.expired());
}

}  // namespace
}  // namespace warpwise::contract
