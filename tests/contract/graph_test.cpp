// Captured work: nothing runs at the capture, everything runs at each launch, in order.
#include "tests/contract/contract.hpp"

namespace warpwise::contract {
namespace {

class GraphTest : public ContractTest {
  protected:
    Stream stream{device};
};
WARPWISE_CONTRACT(GraphTest);

TEST_P(GraphTest, RunsWhenLaunched) {
    Buffer buffer = mem_alloc(4);
    buffer.fill(1, 4, 1, stream);
    stream.begin_capture();
    buffer.fill(2, 4, 1, stream);
    const Graph graph = stream.end_capture();
    EXPECT_EQ(first_int(buffer), 1);
    graph.launch(stream);
    stream.synchronize();
    EXPECT_EQ(first_int(buffer), 2);
}

TEST_P(GraphTest, RunsAgainWithNewData) {
    std::vector<int> in = {1, 2, 3}, out(3);
    Buffer first = mem_alloc(12), second = mem_alloc(12);
    stream.begin_capture();
    first.copy_from_async(in.data(), 12, stream);
    second.copy_from(first, 12, stream);
    second.copy_to_async(out.data(), 12, stream);
    const Graph graph = stream.end_capture();
    for (int i = 0; i < 3; ++i) {
        in[0] = 10 * i;
        graph.launch(stream);
        stream.synchronize();
        EXPECT_EQ(out, in);
    }
}

TEST_P(GraphTest, RunsOnAnotherStream) {
    int count = 0;
    stream.begin_capture();
    stream.call_host([&] { ++count; });
    const Graph graph = stream.end_capture();
    const Stream other;
    graph.launch(other);
    other.synchronize();
    EXPECT_EQ(count, 1);
}

TEST_P(GraphTest, RecordsItsEvents) {
    Event start, end;
    stream.begin_capture();
    start.record(stream);
    stream.call_host([] {});
    end.record(stream);
    const Graph graph = stream.end_capture();
    graph.launch(stream);
    end.synchronize();
    EXPECT_GE(start.time_till(end), 0.0);
}

TEST_P(GraphTest, KeepsItsBuffers) {
    int seen = 0;
    const Graph graph = [&] {
        Buffer buffer = mem_alloc(4);
        stream.begin_capture();
        buffer.fill(6, 4, 1, stream);
        buffer.copy_to_async(&seen, 4, stream);
        return stream.end_capture();
    }();
    Buffer other = mem_alloc(4);
    other.fill(1, 4, 1, stream);
    graph.launch(stream);
    stream.synchronize();
    EXPECT_EQ(seen, 6);
    EXPECT_EQ(first_int(other), 1);
}

TEST_P(GraphTest, RefusesWaitsInTheCapture) {
    stream.begin_capture();
    EXPECT_THROW(stream.synchronize(), ArgumentError);
    EXPECT_THROW(stream.is_done(), ArgumentError);
    stream.end_capture();
    EXPECT_NO_THROW(stream.synchronize());
}

}  // namespace
}  // namespace warpwise::contract
