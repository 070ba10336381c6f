// Captures of several streams: how they join, what is refused, how a capture ends.
#include <algorithm>

#include "src/runtime/record/graph_state.hpp"
#include "src/runtime/stream/stream_state.hpp"
#include "tests/unit/runtime/null_device.hpp"
#include "warpwise/graph.hpp"

namespace warpwise {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

class CaptureTest : public testing::Test {
  protected:
    Event event_on(const Stream& from) {
        Event event;
        event.record(from);
        return event;
    }
    Stream stream, other;
    Buffer first = mem_alloc(16), second = mem_alloc(16);
};

TEST_F(CaptureTest, AStreamJoinsByWaitingAndRecordsBesideTheFirst) {
    first.fill(0, 4, 4, Stream::current());
    second.fill(0, 4, 4, Stream::current());
    stream.begin_capture();
    const Event fork = event_on(stream);
    other.wait(fork);
    EXPECT_TRUE(other.is_capturing());
    EXPECT_EQ(other.capture_id(), stream.capture_id());
    second.fill(2, 4, 4, other);
    first.fill(1, 4, 4, stream);
    const Event join = event_on(other);
    stream.wait(join);
    const Graph graph = stream.end_capture();
    EXPECT_FALSE(other.is_capturing());
    EXPECT_EQ(other.capture_id(), 0u);
    EXPECT_FALSE(fork.is_captured());
    int values[2] = {};
    second.copy_to(values, 4);
    EXPECT_EQ(values[0], 0);  // nothing has run
    graph.launch(stream);
    stream.synchronize();
    first.copy_to(values, 4);
    second.copy_to(values + 1, 4);
    EXPECT_THAT(values, ElementsAre(1, 2));
}

TEST_F(CaptureTest, ABranchThatIsNotJoinedIsRefusedByName) {
    stream.begin_capture();
    const Event fork = event_on(stream);
    other.wait(fork);
    second.fill(2, 4, 4, other);
    EXPECT_THAT(message_of<ArgumentError>([&] { stream.end_capture(); }),
                AllOf(HasSubstr("not joined"), HasSubstr("a fill of 16 bytes"),
                      HasSubstr("number 2 of 2")));
    // It is over all the same, for both.
    EXPECT_FALSE(stream.is_capturing());
    EXPECT_FALSE(other.is_capturing());
    EXPECT_NO_THROW(other.synchronize());
}

TEST_F(CaptureTest, AStreamThatOnlyJoinedNeedsNoJoin) {
    stream.begin_capture();
    const Event fork = event_on(stream);
    other.wait(fork);
    EXPECT_EQ(stream.end_capture().size(), 1u);
}

TEST_F(CaptureTest, EndsOnlyWhereItBegan) {
    stream.begin_capture();
    const Event fork = event_on(stream);
    other.wait(fork);
    EXPECT_THAT(message_of<ArgumentError>([&] { other.end_capture(); }),
                HasSubstr("joined the capture of another"));
    EXPECT_THAT(message_of<ArgumentError>([&] { other.discard_capture(); }),
                HasSubstr("stream that it began on"));
    EXPECT_THAT(message_of<ArgumentError>([&] { other.begin_capture(); }),
                HasSubstr("being captured already"));
    EXPECT_THROW(other.synchronize(), ArgumentError);
    stream.end_capture();
}

TEST_F(CaptureTest, DiscardingSetsStreamsAndEventsFree) {
    stream.begin_capture();
    const Event fork = event_on(stream);
    other.wait(fork);
    second.fill(2, 4, 4, other);
    stream.discard_capture();
    EXPECT_FALSE(other.is_capturing());
    EXPECT_FALSE(fork.is_captured());
    EXPECT_THAT(message_of<ArgumentError>([&] { stream.discard_capture(); }),
                HasSubstr("no capture is open"));
}

TEST_F(CaptureTest, TheEndOfTheFirstStreamSetsTheOthersFree) {
    {
        const Stream gone;
        gone.begin_capture();
        const Event fork = event_on(gone);
        other.wait(fork);
        EXPECT_TRUE(other.is_capturing());
    }
    EXPECT_FALSE(other.is_capturing());
}

TEST_F(CaptureTest, AnEventOfACaptureThatHasEndedIsAnOrdinaryOne) {
    stream.begin_capture();
    const Event inside = event_on(stream);
    const Graph graph = stream.end_capture();
    graph.launch(stream);
    EXPECT_NO_THROW(other.wait(inside));
    EXPECT_FALSE(other.is_capturing());
}

TEST_F(CaptureTest, AStreamOfAnotherDeviceCannotJoin) {
    stream.begin_capture();
    const Event fork = event_on(stream);
    const Stream elsewhere(Device("null:1"));
    EXPECT_THAT(message_of<ArgumentError>([&] { elsewhere.wait(fork); }),
                HasSubstr("a graph is of one device"));
    stream.end_capture();
}

TEST_F(CaptureTest, OrderHasNoEdgesThatOthersImply) {
    stream.begin_capture();
    first.fill(1, 4, 4, stream);          // 0
    const Event fork = event_on(stream);  // 1
    other.wait(fork);
    other.wait(fork);
    second.fill(2, 4, 4, other);         // 2
    const Event join = event_on(other);  // 3
    stream.wait(join);
    stream.wait(fork);
    first.fill(3, 4, 4, stream);  // 4
    const auto graph = stream.state()->end_capture();
    const runtime::StepOrder expected = {{}, {0}, {1}, {2}, {3}};
    EXPECT_EQ(*graph->contents().second, expected);
}

TEST_F(CaptureTest, BranchesAreNotOrdered) {
    stream.begin_capture();
    const Event fork = event_on(stream);  // 0
    other.wait(fork);
    first.fill(1, 4, 4, stream);         // 1
    second.fill(2, 4, 4, other);         // 2
    const Event join = event_on(other);  // 3
    stream.wait(join);
    first.fill(3, 4, 4, stream);  // 4
    const auto graph = stream.state()->end_capture();
    const runtime::StepOrder order = *graph->contents().second;
    EXPECT_EQ(order, (runtime::StepOrder{{}, {0}, {0}, {2}, {1, 3}}));
    EXPECT_TRUE(runtime::comes_behind(order, 4, 2));
    EXPECT_FALSE(runtime::comes_behind(order, 2, 1));
}

TEST_F(CaptureTest, AGraphWithinAnotherKeepsItsBranches) {
    stream.begin_capture();
    const Event fork = event_on(stream);
    other.wait(fork);
    first.fill(1, 4, 4, stream);
    second.fill(2, 4, 4, other);
    const Event join = event_on(other);
    stream.wait(join);
    const Graph inner = stream.end_capture();  // both ends are of the graph
    stream.begin_capture();
    first.fill(0, 4, 4, stream);
    inner.launch(stream);
    second.fill(0, 4, 4, stream);
    const auto outer = stream.state()->end_capture();
    EXPECT_EQ(*outer->contents().second, (runtime::StepOrder{{}, {0}, {1}, {1}, {3}, {2, 4}}));
}

}  // namespace
}  // namespace warpwise
