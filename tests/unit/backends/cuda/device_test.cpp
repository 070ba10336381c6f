// Devices of the fake driver: what they report, memory, the context, queues.
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <future>
#include <memory>
#include <thread>

#include "tests/unit/backends/cuda/fake_cuda.hpp"
#include "warpwise/error.hpp"

namespace warpwise::cuda {
namespace {

using runtime::CopyKind;
using runtime::MemoryKind;
using runtime::Wait;
using ::testing::AllOf;
using ::testing::HasSubstr;

class CudaDevices : public OnFakeCuda {
  protected:
    runtime::Allocator& memory = backend.allocator(0);
};

TEST_F(CudaDevices, AreCounted) {
    EXPECT_EQ(backend.device_count(), 3);
}

TEST_F(CudaDevices, TellTheirArchitecture) {
    EXPECT_EQ(backend.device_info(1).architecture, "sm_90");
}

TEST_F(CudaDevices, TellTheirLimits) {
    const DeviceLimits& limits = backend.device_info(0).limits;
    EXPECT_EQ(limits.max_grid_dim[1], 65535);
    EXPECT_EQ(limits.max_shared_bytes_per_block, 227u << 10);
}

TEST_F(CudaDevices, GiveMemoryBack) {
    const auto before = memory.info().free;
    const auto address = memory.allocate(1000, MemoryKind::Device);
    EXPECT_EQ(memory.info().free, before - 1000);
    memory.release(address, 1000, MemoryKind::Device);
    EXPECT_EQ(memory.info().free, before);
}

TEST_F(CudaDevices, SayHowMuchMemoryIsFree) {
    const std::string text = message_of<OutOfMemoryError>(
        [&] { memory.allocate(std::size_t{1} << 40, MemoryKind::Device); });
    EXPECT_THAT(text, AllOf(HasSubstr("1.0 TiB were asked for"), HasSubstr("cuda:0")));
}

TEST_F(CudaDevices, SayWhenPageLockedMemoryIsOut) {
    fail("cuMemHostAlloc", Status::OutOfMemory);
    EXPECT_THROW(memory.allocate(64, MemoryKind::PageLocked), OutOfMemoryError);
}

TEST_F(CudaDevices, LeaveTheThreadsContextAsItWas) {
    ContextHandle before = nullptr;
    ContextHandle after = nullptr;
    const auto other = reinterpret_cast<ContextHandle>(&before);
    driver().context_set_current(other);
    memory.info();
    driver().context_get_current(&after);
    driver().context_set_current(nullptr);
    EXPECT_EQ(after, other);
}

// What is current after a call in a thread that had nothing current.
ContextHandle left_current(runtime::Allocator& memory) {
    ContextHandle left = nullptr;
    std::thread([&] {
        memory.info();
        driver().context_get_current(&left);
    }).join();
    return left;
}

TEST_F(CudaDevices, LeaveTheFirstOnesContextWhereThereWasNone) {
    EXPECT_NE(left_current(backend.allocator(0)), nullptr);
}

TEST_F(CudaDevices, LeaveNoOtherOnesContext) {
    EXPECT_EQ(left_current(backend.allocator(1)), nullptr);
}

TEST_F(CudaDevices, AreNotThereInAForkedChild) {
    const pid_t child = ::fork();
    if (child == 0) {
        const std::string text = message_of<DeviceError>([&] { memory.info(); });
        ::_exit(text.find("fork()") != std::string::npos ? 0 : 1);
    }
    int status = 1;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
}

class CudaQueues : public CudaDevices {
  protected:
    std::unique_ptr<runtime::Queue> queue = backend.make_queue(0, {});
};

TEST_F(CudaQueues, CopyPageableMemoryBehindWorkThatWaits) {
    std::promise<void> gate;
    queue->call_host([opened = gate.get_future().share()] { opened.wait(); });
    const std::size_t bytes = (std::size_t{5} << 20) + 3;  // chunks and a rest
    std::vector<char> up(bytes);
    std::vector<char> down(bytes);
    for (std::size_t i = 0; i < bytes; ++i) up[i] = static_cast<char>(i * 7 / 3);
    const auto address = memory.allocate(bytes, MemoryKind::Device);
    queue->copy(address, reinterpret_cast<std::uintptr_t>(up.data()), bytes,
                CopyKind::HostToDevice);
    queue->copy(reinterpret_cast<std::uintptr_t>(down.data()), address, bytes,
                CopyKind::DeviceToHost);
    gate.set_value();
    queue->is_done(Wait::Yes);
    memory.release(address, bytes, MemoryKind::Device);
    EXPECT_EQ(down, up);
}

TEST_F(CudaQueues, FillUnalignedWords) {
    const auto address = memory.allocate(64, MemoryKind::Device);
    queue->fill(address + 1, 0x04030201, 4, 3);
    std::array<unsigned char, 12> values{};
    queue->copy(reinterpret_cast<std::uintptr_t>(values.data()), address + 1, 12,
                CopyKind::DeviceToHost);
    queue->is_done(Wait::Yes);
    memory.release(address, 64, MemoryKind::Device);
    EXPECT_THAT(values, testing::ElementsAre(1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4));
}

TEST_F(CudaQueues, PassOnWhatAHostFunctionThrows) {
    queue->call_host([] { throw std::runtime_error("from the host"); });
    EXPECT_EQ(message_of<std::runtime_error>([&] { queue->is_done(Wait::Yes); }), "from the host");
}

TEST_F(CudaQueues, PassItOnOnce) {
    queue->call_host([] { throw std::runtime_error("from the host"); });
    EXPECT_THROW(queue->is_done(Wait::Yes), std::runtime_error);
    EXPECT_TRUE(queue->is_done(Wait::Yes));
}

TEST_F(CudaQueues, DestroyHostFunctionsWhereSomebodyWaits) {
    struct Witness {
        std::thread::id* end;
        ~Witness() { *end = std::this_thread::get_id(); }
    };
    std::thread::id end;
    queue->call_host([witness = std::make_shared<Witness>(&end)] {});
    queue->is_done(Wait::Yes);
    EXPECT_EQ(end, std::this_thread::get_id());
}

TEST_F(CudaQueues, NameWhatFails) {
    fail("cuStreamCreateWithPriority", Status::NotInitialized);
    EXPECT_THAT(message_of<DeviceError>([&] { backend.make_queue(0, {}); }),
                AllOf(HasSubstr("cuda:0"), HasSubstr("make a stream")));
}

}  // namespace
}  // namespace warpwise::cuda
