// Memory and events by handle. On the fake driver the other process is this one; a handle is made
// to look like another's.
#include "src/runtime/ipc.hpp"

#include "src/runtime/memory/ipc_handle.hpp"
#include "src/runtime/stream/stream_state.hpp"
#include "tests/unit/backends/cuda/fake_cuda.hpp"
#include "warpwise/warpwise.hpp"

namespace warpwise::cuda {
namespace {

using ::testing::HasSubstr;

class CudaIpcTest : public OnFakeCuda {
  protected:
    // As it comes from a process with another number.
    std::vector<std::byte> of_another(const Buffer& buffer) {
        const runtime::IpcMemory memory =
            backend.ipc()->export_memory(0, buffer.address(), buffer.size());
        return runtime::pack({.kind = runtime::IpcHandle::Kind::Memory,
                              .device = backend.ipc()->device_identity(0),
                              .handle = memory.handle,
                              .offset = buffer.address() - memory.base,
                              .bytes = buffer.size(),
                              .process = runtime::this_process() + 1});
    }

    Device device{"cuda:0"};
    DeviceScope scope{device};
};

TEST_F(CudaIpcTest, MemoryIsFoundAtItsPlaceInTheAllocation) {
    Buffer buffer = mem_alloc(4096);
    buffer.fill(5, 4, 1024, Stream::current());
    Buffer opened = open_ipc_memory(of_another(buffer.slice(512, 64)));
    EXPECT_EQ(opened.size(), 64u);
    EXPECT_EQ(opened.address(), buffer.address() + 512);
    opened.fill(6, 4, 16, Stream::current());
    std::vector<int> values(1024);
    buffer.copy_to(values.data(), 4096);
    EXPECT_EQ(values[127], 5);
    EXPECT_EQ(values[128], 6);
    EXPECT_EQ(values[144], 5);
}

TEST_F(CudaIpcTest, AnAllocationIsOpenedOnceAndClosed) {
    const Buffer buffer = mem_alloc(4096);
    device.synchronize();  // what other tests have opened is closed
    const int closed = calls("cuIpcCloseMemHandle");
    {
        const Buffer one = open_ipc_memory(of_another(buffer));
        const Buffer two = open_ipc_memory(of_another(buffer.slice(8, 8)));
        EXPECT_EQ(calls("cuIpcOpenMemHandle"), 1);
        EXPECT_EQ(calls("cuIpcCloseMemHandle"), closed);
    }
    device.synchronize();
    EXPECT_EQ(calls("cuIpcCloseMemHandle"), closed + 1);
}

TEST_F(CudaIpcTest, WhatIsNoHandleIsRefused) {
    const Buffer buffer = mem_alloc(64);
    const std::vector<std::byte> good = of_another(buffer);
    const auto refuses = [](std::vector<std::byte> bytes, const char* why) {
        EXPECT_THAT(message_of<ArgumentError>([&] { open_ipc_memory(bytes); }), HasSubstr(why));
    };
    refuses({}, "not 0");
    std::vector<std::byte> wrong = good;
    wrong[0] = std::byte{0};
    refuses(wrong, "no IPC handle of this version");
    wrong = good;
    wrong[40] ^= std::byte{1};
    refuses(wrong, "damaged");
    refuses(buffer.ipc_handle(), "made in this process");
    EXPECT_THAT(message_of<ArgumentError>([&] { Event::from_ipc_handle(good); }),
                HasSubstr("stands for memory, not for an event"));
}

TEST_F(CudaIpcTest, AHandleOfADeadProcessIsRefused) {
    Buffer buffer = mem_alloc_unpooled(64, device);
    const std::vector<std::byte> handle = of_another(buffer);
    buffer.free();
    device.synchronize();
    EXPECT_THAT(message_of<ArgumentError>([&] { open_ipc_memory(handle); }),
                HasSubstr("must be running"));
}

TEST_F(CudaIpcTest, AHandleOfAnotherMachineIsRefused) {
    EXPECT_THAT(message_of<ArgumentError>(
                    [] { open_ipc_memory(runtime::pack({.device = {std::byte{1}}, .bytes = 4})); }),
                HasSubstr("does not see"));
}

TEST_F(CudaIpcTest, EventsAreShared) {
    Event event({.interprocess = true});
    const auto handle = backend.ipc()->export_event(event.state()->impl());
    Event opened =
        Event::from_ipc_handle(runtime::pack({.kind = runtime::IpcHandle::Kind::Event,
                                              .device = backend.ipc()->device_identity(0),
                                              .handle = handle,
                                              .process = runtime::this_process() + 1}));
    const Stream stream;
    event.record(stream);
    stream.wait(opened);
    stream.synchronize();
    EXPECT_TRUE(opened.is_done());
    EXPECT_THROW(event.time_till(opened), ArgumentError);
}

TEST_F(CudaIpcTest, OnlyEventsThatWereMadeForItAreShared) {
    EXPECT_THAT(message_of<ArgumentError>([] { Event().ipc_handle(); }),
                HasSubstr("interprocess = true"));
    EXPECT_EQ(Event({.interprocess = true}).ipc_handle().size(), 120u);
}

TEST_F(CudaIpcTest, DevicesWithoutItSaySo) {
    const DeviceScope null(Device("null"));
    EXPECT_THAT(message_of<UnsupportedError>([] { mem_alloc(16).ipc_handle(); }),
                HasSubstr("cannot be shared between processes"));
    EXPECT_THROW(Event({.interprocess = true}), UnsupportedError);
    EXPECT_THROW(mem_alloc(0).ipc_handle(), ArgumentError);
}

}  // namespace
}  // namespace warpwise::cuda
