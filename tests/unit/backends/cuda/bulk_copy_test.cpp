// Large copies of pageable memory arrive whole, by several threads.
#include <algorithm>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

#include "src/backends/cuda/copy/bulk_copy.hpp"
#include "tests/unit/backends/cuda/fake_cuda.hpp"
#include "warpwise/error.hpp"

namespace warpwise::cuda {
namespace {

using runtime::CopyKind;
using runtime::MemoryKind;
using runtime::Wait;

class BulkCopies : public OnFakeCuda {
  protected:
    static constexpr std::size_t kBytes =
        bulk_bytes(CopyKind::HostToDevice) + Staging::kChunk / 2 + 3;

    BulkCopies() : host(kBytes) {
        for (std::size_t i = 0; i < kBytes; ++i) host[i] = static_cast<unsigned char>(i * 7 >> 3);
    }
    ~BulkCopies() override { memory.release(device, kBytes, MemoryKind::Device); }

    static runtime::DeviceAddress address(const std::vector<unsigned char>& bytes) {
        return reinterpret_cast<runtime::DeviceAddress>(bytes.data());
    }

    runtime::Allocator& memory = backend.allocator(0);
    std::unique_ptr<runtime::Queue> queue = backend.make_queue(0, {});
    runtime::DeviceAddress device = memory.allocate(kBytes, MemoryKind::Device);
    std::vector<unsigned char> host;
};

TEST_F(BulkCopies, ArriveWholeInBothDirections) {
    queue->copy(device, address(host), kBytes, CopyKind::HostToDevice);
    std::vector<unsigned char> back(kBytes);
    queue->is_done(Wait::Yes);
    queue->copy(address(back), device, kBytes, CopyKind::DeviceToHost);
    queue->is_done(Wait::Yes);
    EXPECT_EQ(back, host);
}

TEST_F(BulkCopies, GoInPieces) {
    const int before = calls("cuMemcpyHtoDAsync");
    queue->copy(device, address(host), kBytes, CopyKind::HostToDevice);
    EXPECT_EQ(calls("cuMemcpyHtoDAsync") - before, kBytes / Staging::kChunk + 1);
}

TEST_F(BulkCopies, ThrowWhatGoesWrongInAPiece) {
    fail("cuMemcpyDtoHAsync", Status::InvalidValue, 2);
    EXPECT_THROW(queue->copy(address(host), device, kBytes, CopyKind::DeviceToHost), DeviceError);
}

TEST_F(BulkCopies, OfSmallResultsWaitWithoutAHostFunction) {
    queue->copy(device, address(host), kBytes, CopyKind::HostToDevice);
    queue->call_host([] { std::this_thread::sleep_for(std::chrono::milliseconds(20)); });
    const int before = calls("cuLaunchHostFunc");
    std::vector<unsigned char> back(100);
    EXPECT_TRUE(queue->copy_now(address(back), device + 7, back.size(), CopyKind::DeviceToHost));
    EXPECT_TRUE(std::equal(back.begin(), back.end(), host.begin() + 7));
    EXPECT_EQ(calls("cuLaunchHostFunc"), before);
}

TEST_F(BulkCopies, OfSmallResultsThrowWhatTheStreamMet) {
    queue->call_host([] { throw std::runtime_error("from the host"); });
    std::vector<unsigned char> back(100);
    EXPECT_THROW(queue->copy_now(address(back), device, back.size(), CopyKind::DeviceToHost),
                 std::runtime_error);
}

TEST_F(BulkCopies, KeepTheOrderOfABusyStream) {
    std::vector<unsigned char> back(kBytes);
    queue->call_host([] { std::this_thread::sleep_for(std::chrono::milliseconds(20)); });
    queue->copy(device, address(host), kBytes, CopyKind::HostToDevice);
    queue->copy(address(back), device, kBytes, CopyKind::DeviceToHost);
    queue->is_done(Wait::Yes);
    EXPECT_EQ(back, host);
}

}  // namespace
}  // namespace warpwise::cuda
