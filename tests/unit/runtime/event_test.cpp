// Events: when they are done, their times, and every refusal.
#include "tests/unit/runtime/null_device.hpp"

namespace warpwise {
namespace {

using testing::HasSubstr;

TEST(Event, IsDoneWhenNeverRecorded) {
    EXPECT_TRUE(Event().is_done());
}

TEST(Event, IsDoneWhenTheWorkBeforeItIs) {
    const Stream stream;
    const null::Pause pause;
    stream.call_host([] {});
    const Event event = stream.record();
    EXPECT_FALSE(event.is_done());
    event.synchronize();
    EXPECT_TRUE(event.is_done());
}

TEST(Event, MovesWhenRecordedAgain) {
    const Stream stream;
    Event event;
    event.record(stream);
    event.synchronize();
    const null::Pause pause;
    stream.call_host([] {});
    event.record(stream);
    EXPECT_FALSE(event.is_done());
}

TEST(Event, RecordsOnTheCurrentStream) {
    const Stream stream;
    const StreamScope scope(stream);
    const null::Pause pause;
    Event event;
    event.record();
    EXPECT_FALSE(stream.is_done());
}

TEST(Event, TellsTheTimeBetween) {
    const Stream stream;
    const Event start = stream.record();
    const Event end = stream.record();
    end.synchronize();
    EXPECT_GE(start.time_till(end), 0.0);
    EXPECT_DOUBLE_EQ(end.time_since(start), start.time_till(end));
}

TEST(Event, SurfacesTheErrorBeforeIt) {
    const Stream stream;
    stream.call_host([] { throw LaunchError("it broke"); });
    const Event event = stream.record();
    EXPECT_THROW(event.synchronize(), LaunchError);
}

TEST(Event, RefusesTimesWithoutTiming) {
    const Event plain(EventOptions{.timing = false}), timed;
    EXPECT_THAT(message_of<ArgumentError>([&] { plain.time_till(timed); }),
                HasSubstr("first event was made without timing"));
}

TEST(Event, RefusesTimesOfWhatWasNeverRecorded) {
    const Event start = Stream().record(), end;
    start.synchronize();
    EXPECT_THAT(message_of<ArgumentError>([&] { start.time_till(end); }),
                HasSubstr("second event was never recorded"));
}

TEST(Event, RefusesTimesOfWhatIsNotDone) {
    const Stream stream;
    const Event start = stream.record();
    start.synchronize();
    const null::Pause pause;
    stream.call_host([] {});
    const Event end = stream.record();
    EXPECT_THAT(message_of<ArgumentError>([&] { start.time_till(end); }),
                HasSubstr("is not done yet; synchronize() it first"));
}

TEST(Event, RefusesTimesBetweenDevices) {
    const Event here = Stream().record(), there = Stream(Device("null:1")).record();
    here.synchronize();
    there.synchronize();
    EXPECT_THAT(message_of<ArgumentError>([&] { here.time_till(there); }),
                HasSubstr("different devices (null and null:1)"));
}

TEST(Event, RefusesAStreamOfAnotherDevice) {
    Event event;
    EXPECT_THAT(message_of<ArgumentError>([&] { event.record(Stream(Device("null:1"))); }),
                HasSubstr("cannot be recorded on a stream of null:1"));
}

}  // namespace
}  // namespace warpwise
