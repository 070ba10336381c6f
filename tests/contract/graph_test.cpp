// Captured work: nothing runs at the capture, everything runs at each launch, in order.
#include <algorithm>

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

TEST_P(GraphTest, CopiesPageableMemoryBehindWorkThatWaits) {
    const std::size_t size = (std::size_t{3} << 20) + 5;
    std::vector<std::uint8_t> in = bytes(size), out(size);
    Buffer buffer = mem_alloc(size);
    stream.begin_capture();
    buffer.copy_from_async(in.data(), size, stream);
    buffer.copy_to_async(out.data(), size, stream);
    const Graph graph = stream.end_capture();
    for (unsigned turn = 0; turn < 2; ++turn) {
        Gate gate;
        gate.hold(stream);
        graph.launch(stream);
        std::ranges::copy(bytes(size, turn + 2), in.begin());
        gate.open();
        stream.synchronize();
        EXPECT_EQ(out, in);
    }
}

TEST_P(GraphTest, FillsUnalignedPatterns) {
    Buffer buffer = mem_alloc(64);
    buffer.fill(0, 1, 64, stream);
    stream.begin_capture();
    buffer.fill(0x0807060504030201, 8, 3, stream, 1);
    buffer.fill(0x0a09, 2, 2, stream, 32);
    const Graph graph = stream.end_capture();
    graph.launch(stream);
    stream.synchronize();
    const std::vector<std::uint8_t> values = contents(buffer);
    EXPECT_EQ(values[1], 1);
    EXPECT_EQ(values[24], 8);
    EXPECT_EQ(values[25], 0);
    EXPECT_EQ(values[34], 9);
    EXPECT_EQ(values[35], 10);
}

TEST_P(GraphTest, WaitsForEventsOfOtherStreams) {
    const Stream other;
    Event event;
    stream.begin_capture();
    stream.wait(event);
    int seen = 0;
    bool is_open = false;
    stream.call_host([&] { seen = is_open ? 1 : 2; });
    const Graph graph = stream.end_capture();
    Gate gate;
    gate.hold(other);
    event.record(other);
    graph.launch(stream);
    is_open = true;
    gate.open();
    stream.synchronize();
    EXPECT_EQ(seen, 1);
}

TEST_P(GraphTest, KeepsTheOrderOfItsLaunches) {
    Buffer buffer = mem_alloc(4);
    std::vector<int> seen(3, -1);
    int value = 0;
    stream.begin_capture();
    buffer.copy_from_async(&value, 4, stream);
    stream.call_host([&] { ++value; });
    const Graph graph = stream.end_capture();
    for (int& one : seen) {
        graph.launch(stream);
        buffer.copy_to_async(&one, 4, stream);
    }
    stream.synchronize();
    EXPECT_EQ(seen, (std::vector<int>{0, 1, 2}));
}

TEST_P(GraphTest, MayBeLaunchedWhenItsHandleIsGone) {
    Buffer buffer = mem_alloc(4);
    Gate gate;
    gate.hold(stream);
    {
        stream.begin_capture();
        buffer.fill(5, 4, 1, stream);
        stream.end_capture().launch(stream);
    }
    gate.open();
    stream.synchronize();
    EXPECT_EQ(first_int(buffer), 5);
}

TEST_P(GraphTest, PassesOnWhatHostFunctionsThrow) {
    stream.begin_capture();
    stream.call_host([] { throw std::runtime_error("in a graph"); });
    const Graph graph = stream.end_capture();
    graph.launch(stream);
    EXPECT_THROW(stream.synchronize(), std::runtime_error);
    EXPECT_NO_THROW(stream.synchronize());
}

TEST_P(GraphTest, MayBePartOfAnother) {
    Buffer buffer = mem_alloc(4);
    int count = 0;
    stream.begin_capture();
    stream.call_host([&] { ++count; });
    const Graph inner = stream.end_capture();
    stream.begin_capture();
    inner.launch(stream);
    buffer.fill(3, 4, 1, stream);
    inner.launch(stream);
    const Graph outer = stream.end_capture();
    outer.launch(stream);
    stream.synchronize();
    EXPECT_EQ(count, 2);
    EXPECT_EQ(first_int(buffer), 3);
}

// The branches write what the end reads; nothing else orders them.
TEST_P(GraphTest, KeepsTheOrderOfBranches) {
    const Stream other;
    Buffer start = mem_alloc(4), left = mem_alloc(4), right = mem_alloc(4);
    std::vector<int> out(2);
    int value = 1;
    Event fork, join;
    stream.begin_capture();
    start.copy_from_async(&value, 4, stream);
    fork.record(stream);
    other.wait(fork);
    left.copy_from(start, 4, stream);
    right.copy_from(start, 4, other);
    join.record(other);
    stream.wait(join);
    left.copy_to_async(&out[0], 4, stream);
    right.copy_to_async(&out[1], 4, stream);
    const Graph graph = stream.end_capture();
    for (value = 3; value < 6; ++value) {
        graph.launch(stream);
        stream.synchronize();
        EXPECT_EQ(out, (std::vector<int>{value, value}));
    }
}

TEST_P(GraphTest, CallsHostFunctionsOfAllBranches) {
    const Stream other;
    std::atomic<int> count = 0;
    int at_end = 0;
    Event fork, join;
    stream.begin_capture();
    fork.record(stream);
    other.wait(fork);
    for (int i = 0; i < 3; ++i) {
        stream.call_host([&] { ++count; });
        other.call_host([&] { ++count; });
    }
    join.record(other);
    stream.wait(join);
    stream.call_host([&] { at_end = count; });
    const Graph graph = stream.end_capture();
    graph.launch(stream);
    stream.synchronize();
    EXPECT_EQ(at_end, 6);
}

TEST_P(GraphTest, CopiesPageableMemoryInBranchesAtTheSameTime) {
    const std::size_t size = (std::size_t{1} << 20) + 7;
    std::vector<Stream> streams(3);
    std::vector<std::vector<std::uint8_t>> in, out(3, std::vector<std::uint8_t>(size));
    std::vector<Buffer> buffers;
    for (unsigned i = 0; i < 3; ++i) {
        in.push_back(bytes(size, i + 1));
        buffers.push_back(mem_alloc(size));
    }
    Event fork;
    stream.begin_capture();
    fork.record(stream);
    for (std::size_t i = 0; i < 3; ++i) {
        streams[i].wait(fork);
        buffers[i].copy_from_async(in[i].data(), size, streams[i]);
        buffers[i].copy_to_async(out[i].data(), size, streams[i]);
        stream.wait(streams[i].record());
    }
    const Graph graph = stream.end_capture();
    graph.launch(stream);
    stream.synchronize();
    EXPECT_EQ(out, in);
}

TEST_P(GraphTest, ABranchThatIsNotJoinedIsRefused) {
    const Stream other;
    Buffer buffer = mem_alloc(4);
    Event fork;
    stream.begin_capture();
    fork.record(stream);
    other.wait(fork);
    buffer.fill(1, 4, 1, other);
    try {
        stream.end_capture();
        FAIL() << "nothing was refused";
    } catch (const ArgumentError& error) {
        EXPECT_THAT(error.what(), testing::HasSubstr("a fill of 4 bytes"));
    }
    EXPECT_FALSE(other.is_capturing());
    buffer.fill(2, 4, 1, other);
    other.synchronize();
    EXPECT_EQ(first_int(buffer), 2);
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
