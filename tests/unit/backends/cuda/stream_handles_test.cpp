// Streams by handle: which are taken, which are refused, and who destroys them.
#include "src/runtime/stream_handles.hpp"
#include "src/backends/cuda/driver/abi.hpp"
#include "tests/unit/backends/cuda/fake_cuda.hpp"
#include "warpwise/warpwise.hpp"

namespace warpwise::cuda {
namespace {

using ::testing::HasSubstr;

class CudaStreamHandlesTest : public OnFakeCuda {
  protected:
    // A stream that another library has made on a device.
    static std::uint64_t foreign_stream(const Device& device, unsigned flags = 0) {
        device.memory();  // the context is there
        ContextHandle context = nullptr;
        StreamHandle stream = nullptr;
        driver().primary_context_retain(&context, device.ordinal());
        driver().context_set_current(context);
        driver().stream_create(&stream, flags, 0);
        driver().context_set_current(nullptr);
        return reinterpret_cast<std::uintptr_t>(stream);
    }

    Device device{"cuda:0"};
    DeviceScope scope{device};
};

TEST_F(CudaStreamHandlesTest, WorkGoesToTheStreamOfOthers) {
    const std::uint64_t handle = foreign_stream(device);
    const Stream stream = Stream::from_handle(handle);
    EXPECT_EQ(stream.handle(), handle);
    EXPECT_FALSE(stream.is_default());
    Buffer buffer = mem_alloc(16);
    buffer.fill(3, 4, 4, stream);
    stream.synchronize();
    int value = 0;
    buffer.copy_to(&value, 4);
    EXPECT_EQ(value, 3);
}

TEST_F(CudaStreamHandlesTest, TheSameStreamIsEqual) {
    const std::uint64_t handle = foreign_stream(device);
    EXPECT_EQ(Stream::from_handle(handle), Stream::from_handle(handle));
    EXPECT_FALSE(Stream::from_handle(handle) == Stream::from_handle(foreign_stream(device)));
}

TEST_F(CudaStreamHandlesTest, TheDefaultStreamHasTwoNames) {
    EXPECT_EQ(Stream::from_handle(0), device.default_stream());
    EXPECT_EQ(Stream::from_handle(1), device.default_stream());
    EXPECT_EQ(device.default_stream().handle(), 1u);
}

TEST_F(CudaStreamHandlesTest, StreamsOfOthersAreNotDestroyed) {
    {
        const Stream stream = Stream::from_handle(foreign_stream(device));
    }
    EXPECT_EQ(calls("cuStreamDestroy"), 0);
    {
        const Stream stream;
    }
    EXPECT_EQ(calls("cuStreamDestroy"), 1);
}

TEST_F(CudaStreamHandlesTest, OwnersLiveAsLongAsTheStream) {
    auto owner = std::make_shared<int>(1);
    const std::weak_ptr<int> witness = owner;
    {
        const Stream stream = Stream::from_handle(foreign_stream(device), std::move(owner));
        EXPECT_FALSE(witness.expired());
    }
    EXPECT_TRUE(witness.expired());
}

TEST_F(CudaStreamHandlesTest, StreamsOfAnotherDeviceAreRefused) {
    const Device other("cuda:1");
    const std::uint64_t handle = foreign_stream(other);
    EXPECT_THAT(message_of<ArgumentError>([&] { Stream::from_handle(handle); }),
                HasSubstr("another device"));
    EXPECT_EQ(Stream::from_handle(handle, other).device(), other);
}

TEST_F(CudaStreamHandlesTest, HandlesOfNothingAreRefused) {
    EXPECT_THAT(message_of<ArgumentError>([&] { Stream::from_handle(4096); }),
                HasSubstr("handle 0x1000"));
}

TEST_F(CudaStreamHandlesTest, ThePerThreadStreamIsRefused) {
    EXPECT_THAT(message_of<ArgumentError>([&] { Stream::from_handle(2); }),
                HasSubstr("Stream.per_thread()"));
}

TEST_F(CudaStreamHandlesTest, PrioritiesOutsideTheRangeAreRefused) {
    EXPECT_EQ(device.stream_priorities().greatest, -5);
    EXPECT_NO_THROW(Stream({.priority = -5}));
    EXPECT_THAT(message_of<ArgumentError>([] { Stream({.priority = -6}); }),
                HasSubstr("cannot have priority -6: they go from 0 to -5"));
    EXPECT_THROW(Stream({.priority = 1}), ArgumentError);
}

}  // namespace
}  // namespace warpwise::cuda
