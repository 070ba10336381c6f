// Graphs: capture, replay, what they keep alive, and what cannot be captured.
#include "tests/unit/runtime/null_device.hpp"

namespace warpwise {
namespace {

using testing::HasSubstr;

int first_int(const Buffer& buffer) {
    int value = 0;
    buffer.copy_to(&value, sizeof value);
    return value;
}

TEST(Graph, RunsNothingWhileCaptured) {
    const Stream stream;
    Buffer buffer = mem_alloc(4);
    buffer.fill(1, 4, 1, Stream::current());
    stream.begin_capture();
    EXPECT_TRUE(stream.is_capturing());
    buffer.fill(2, 4, 1, stream);
    const Graph graph = stream.end_capture();
    EXPECT_FALSE(stream.is_capturing());
    EXPECT_EQ(first_int(buffer), 1);
    EXPECT_EQ(graph.size(), 1u);
}

TEST(Graph, RunsAsOftenAsWanted) {
    const Stream stream;
    int count = 0;
    stream.begin_capture();
    stream.call_host([&] { ++count; });
    const Graph graph = stream.end_capture();
    graph.launch(stream);
    graph.launch(stream);
    graph.launch();
    Device().synchronize();
    EXPECT_EQ(count, 3);
}

TEST(Graph, ReplaysCopiesFillsAndEventsInOrder) {
    const Stream stream;
    Buffer first = mem_alloc(16), second = mem_alloc(16);
    std::vector<int> out(4);
    Event event;
    stream.begin_capture();
    first.fill(7, 4, 4, stream);
    event.record(stream);
    stream.wait(event);
    second.copy_from(first, 16, stream);
    second.copy_to_async(out.data(), 16, stream);
    const Graph graph = stream.end_capture();
    graph.launch(stream);
    stream.synchronize();
    EXPECT_EQ(out, (std::vector<int>{7, 7, 7, 7}));
    EXPECT_EQ(graph.size(), 4u);  // a wait for its own event is order only
    EXPECT_TRUE(event.is_done());
}

TEST(Graph, KeepsItsBuffersAlive) {
    const Stream stream;
    int out = 0;
    Graph graph = [&] {
        Buffer buffer = mem_alloc(4);
        stream.begin_capture();
        buffer.fill(9, 4, 1, stream);
        buffer.copy_to_async(&out, 4, stream);
        return stream.end_capture();
    }();
    std::vector<Buffer> others;
    for (int i = 0; i < 4; ++i) {
        others.push_back(mem_alloc(4));
        others.back().fill(1, 4, 1, Stream::current());
    }
    graph.launch(stream);
    stream.synchronize();
    EXPECT_EQ(out, 9);
    EXPECT_EQ(first_int(others[0]), 1);
}

TEST(Graph, RefusesBuffersFreedMeanwhile) {
    const Stream stream;
    Buffer buffer = mem_alloc(4);
    stream.begin_capture();
    buffer.fill(9, 4, 1, stream);
    const Graph graph = stream.end_capture();
    buffer.free();
    EXPECT_THAT(message_of<ArgumentError>([&] { graph.launch(stream); }),
                HasSubstr("freed after the capture"));
}

TEST(Graph, MayBePartOfAnother) {
    const Stream stream;
    int count = 0;
    stream.begin_capture();
    stream.call_host([&] { ++count; });
    const Graph inner = stream.end_capture();
    stream.begin_capture();
    inner.launch(stream);
    inner.launch(stream);
    const Graph outer = stream.end_capture();
    EXPECT_EQ(count, 0);
    outer.launch(stream);
    stream.synchronize();
    EXPECT_EQ(count, 2);
}

TEST(Graph, RefusesAStreamOfAnotherDevice) {
    const Stream stream;
    stream.begin_capture();
    const Graph graph = stream.end_capture();
    EXPECT_THAT(message_of<ArgumentError>([&] { graph.launch(Stream(Device("null:1"))); }),
                HasSubstr("captured on null"));
}

TEST(Capture, BeginsAndEndsOnce) {
    const Stream stream;
    EXPECT_THAT(message_of<ArgumentError>([&] { stream.end_capture(); }),
                HasSubstr("no capture is open"));
    stream.begin_capture();
    EXPECT_THAT(message_of<ArgumentError>([&] { stream.begin_capture(); }),
                HasSubstr("being captured already"));
    stream.end_capture();
}

// What would wait, or change memory at once, while a capture is open.
class IllegalInCapture : public testing::Test {
  protected:
    void SetUp() override { stream.begin_capture(); }
    void TearDown() override { stream.end_capture(); }
    template <class F>
    void refuses(F&& call, const char* text) {
        const StreamScope scope(stream);
        EXPECT_THAT(message_of<ArgumentError>(call), HasSubstr(text));
    }
    Buffer buffer = mem_alloc(4);
    Stream stream;
    int value = 0;
};

TEST_F(IllegalInCapture, SynchronizingTheStream) {
    refuses([&] { stream.synchronize(); }, "being captured cannot be synchronized");
}
TEST_F(IllegalInCapture, AskingWhetherItIsDone) {
    refuses([&] { stream.is_done(); }, "asked whether it is done");
}
TEST_F(IllegalInCapture, SynchronizingTheDevice) {
    refuses([&] { Device().synchronize(); }, "cannot be waited for");
}
TEST_F(IllegalInCapture, BlockingCopies) {
    refuses([&] { buffer.copy_from(&value, 4); }, "a blocking copy");
    refuses([&] { buffer.copy_to(&value, 4); }, "a blocking copy");
}
TEST_F(IllegalInCapture, Allocating) {
    refuses([&] { mem_alloc(4); }, "allocate memory");
}
TEST_F(IllegalInCapture, Freeing) {
    refuses([&] { buffer.free(); }, "free a buffer");
    EXPECT_FALSE(buffer.is_freed());
}
TEST_F(IllegalInCapture, WaitingForItsEventsOnTheHost) {
    Event event;
    event.record(stream);
    EXPECT_TRUE(event.is_captured());
    EXPECT_THROW(event.synchronize(), ArgumentError);
    EXPECT_THROW(event.is_done(), ArgumentError);
}
TEST_F(IllegalInCapture, WaitingForEventsOfAnotherCapture) {
    const Stream other;
    other.begin_capture();
    Event event;
    event.record(other);
    EXPECT_THAT(message_of<ArgumentError>([&] { stream.wait(event); }),
                HasSubstr("capture of another stream"));
    other.end_capture();
    EXPECT_NO_THROW(stream.wait(event));
}

TEST(Capture, ThatIsAbandonedSetsItsEventsFree) {
    Event event;
    {
        const Stream stream;
        stream.begin_capture();
        event.record(stream);
    }
    EXPECT_TRUE(event.is_done());
}

}  // namespace
}  // namespace warpwise
