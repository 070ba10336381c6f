// Two GPUs: access to each other's memory, and copies between them in stream order.
#include <algorithm>
#include <cstdlib>
#include <future>
#include <vector>

#include "tests/unit/backends/cuda/fake_cuda.hpp"
#include "warpwise/warpwise.hpp"

namespace warpwise::cuda {
namespace {

using ::testing::HasSubstr;

class CudaPeersTest : public OnFakeCuda {
  protected:
    static Buffer on(const Device& device, int value, std::size_t count) {
        const DeviceScope scope(device);
        Buffer buffer = mem_alloc(4 * count);
        buffer.fill(static_cast<unsigned>(value), 4, count, Stream::current());
        return buffer;
    }
    static std::vector<int> values(const Buffer& buffer) {
        std::vector<int> result(buffer.size() / 4);
        buffer.copy_to(result.data(), buffer.size());
        return result;
    }

    Device first{"cuda:0"};
    Device second{"cuda:1"};
};

TEST_F(CudaPeersTest, AccessIsEnabledInOneDirectionAndEnded) {
    EXPECT_TRUE(first.can_access_peer(second));
    first.enable_peer_access(second);
    EXPECT_NO_THROW(first.enable_peer_access(second));
    EXPECT_EQ(calls("cuCtxEnablePeerAccess"), 2);
    first.disable_peer_access(second);
    EXPECT_NO_THROW(first.disable_peer_access(second));
}

TEST_F(CudaPeersTest, ADeviceIsNoPeerOfItself) {
    EXPECT_FALSE(first.can_access_peer(first));
    EXPECT_THAT(message_of<ArgumentError>([&] { first.enable_peer_access(Device("cuda:0")); }),
                HasSubstr("no peer of itself"));
}

TEST_F(CudaPeersTest, DevicesOfAnotherKindAreNoPeers) {
    const Device null("null");
    EXPECT_FALSE(first.can_access_peer(null));
    EXPECT_THAT(message_of<UnsupportedError>([&] { first.enable_peer_access(null); }),
                HasSubstr("only GPUs"));
    EXPECT_THROW(null.disable_peer_access(first), UnsupportedError);
}

TEST_F(CudaPeersTest, AccessThatCannotBeIsRefused) {
    ::setenv("FAKE_CUDA_PEERS", "0", 1);
    EXPECT_FALSE(first.can_access_peer(second));
    EXPECT_THAT(message_of<UnsupportedError>([&] { first.enable_peer_access(second); }),
                HasSubstr("no link or bus"));
    ::unsetenv("FAKE_CUDA_PEERS");
}

TEST_F(CudaPeersTest, CopiesGoByTheDriver) {
    const Buffer source = on(second, 7, 100);
    Buffer destination = on(first, 1, 100);
    const DeviceScope scope(first);
    destination.copy_from(source, 200, Stream::current(), 40, 20);
    const std::vector<int> result = values(destination);
    EXPECT_EQ(result[9], 1);
    EXPECT_EQ(result[10], 7);
    EXPECT_EQ(result[59], 7);
    EXPECT_EQ(result[60], 1);
    EXPECT_EQ(calls("cuMemcpyPeerAsync"), 1);
}

TEST_F(CudaPeersTest, CopiesComeInTheOrderOfBothStreams) {
    Buffer source = on(second, 7, 4);
    Buffer destination = on(first, 1, 4);
    second.synchronize();
    const Stream there(second);
    const StreamScope on_second(there);
    const Stream here(first);
    std::promise<void> gate;
    there.call_host([opened = gate.get_future().share()] { opened.wait(); });
    source.fill(8, 4, 4, there);
    destination.copy_from(source, 16, here);  // does not wait for the gate
    source.fill(9, 4, 4, there);              // does not reach the copy
    EXPECT_FALSE(here.is_done());
    gate.set_value();
    here.synchronize();
    EXPECT_EQ(values(destination)[3], 8);
    EXPECT_EQ(values(source)[3], 9);
}

TEST_F(CudaPeersTest, CopiesAreNodesOfGraphs) {
    Buffer source = on(second, 7, 4);
    Buffer destination = on(first, 1, 4);
    first.synchronize();
    second.synchronize();
    const Stream here(first);
    here.begin_capture();
    destination.copy_from(source, 16, here);
    const Graph graph = here.end_capture();
    EXPECT_EQ(values(destination)[0], 1);
    // Each run comes behind what the other device was given before it.
    const DeviceScope scope(second);
    for (int value = 8; value < 10; ++value) {
        source.fill(static_cast<unsigned>(value), 4, 4, Stream::current());
        graph.launch(here);
        here.synchronize();
        EXPECT_EQ(values(destination)[3], value);
    }
    EXPECT_STREQ(fake<LastGraph>(kLastGraph)(), "1:copy");
}

TEST_F(CudaPeersTest, CopiesWaitForNoStreamThatIsCaptured) {
    const Buffer source = on(second, 7, 4);
    Buffer destination = on(first, 1, 4);
    const Stream here(first);
    const Stream there(second);
    const StreamScope scope(there);
    there.begin_capture();
    EXPECT_THAT(message_of<ArgumentError>([&] { destination.copy_from(source, 16, here); }),
                HasSubstr("a copy between devices"));
    there.end_capture();
}

}  // namespace
}  // namespace warpwise::cuda
