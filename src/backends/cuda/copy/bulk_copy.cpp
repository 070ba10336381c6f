// One job of the component's own thread pool for each copy; a piece is one chunk.
#include "src/backends/cuda/copy/bulk_copy.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <exception>
#include <thread>

#include "src/backends/cuda/device/event.hpp"
#include "src/base/mutex.hpp"
#include "src/base/thread_pool.hpp"

namespace warpwise::cuda {
namespace {

using runtime::CopyKind;
using runtime::DeviceAddress;

// One core copies 8 to 12 GB/s, a PCIe 5 bus 50.
constexpr unsigned kMostThreads = 8;

// Never destroyed: its threads outlive static objects.
ThreadPool& copy_threads() {
    static auto* const pool =
        new ThreadPool(std::clamp(std::thread::hardware_concurrency(), 1U, kMostThreads));
    return *pool;
}

class BulkCopy final : public ThreadPool::Job {
  public:
    BulkCopy(PrimaryContext& context, Staging& staging, StreamHandle stream,
             DeviceAddress destination, DeviceAddress source, std::size_t bytes, CopyKind kind)
        : context_(context),
          staging_(staging),
          stream_(stream),
          destination_(destination),
          source_(source),
          bytes_(bytes),
          kind_(kind) {}

    // Goes on with further pieces while there are any: the bus works at one while the processor
    // copies the next.
    void run(std::uint64_t begin, std::uint64_t end) noexcept override {
        if (failed_) return;
        try {
            const PrimaryContext::Scope scope(context_);
            Slot slots[2] = {{CudaEvent(context_, false)}, {CudaEvent(context_, false)}};
            std::uint64_t piece = begin;
            for (unsigned turn = 0; !failed_; ++turn) {
                Slot& slot = slots[turn % 2];
                finish(slot);
                if (piece >= end && !claim(piece)) break;
                start(slot, piece * Staging::kChunk);
                ++piece;
            }
            for (Slot& slot : slots) {
                finish(slot);
                if (slot.chunk != nullptr) staging_.release(slot.chunk);
            }
        } catch (...) {
            // Whether the driver still uses the chunks is unknown: they are not used again.
            failed_ = true;
            MutexLock lock(mutex_);
            if (!error_) error_ = std::current_exception();
        }
    }

    void finished() noexcept override {
        // The job goes with the caller's frame, once that sees this.
        done_.store(true, std::memory_order_release);
        copy_threads().notify_helpers();
    }

    void wait() {
        ThreadPool& pool = copy_threads();
        const auto is_done = [this] { return done_.load(std::memory_order_acquire); };
        while (!pool.help_until(is_done, ThreadPool::Clock::now() + std::chrono::seconds(1))) {
        }
        MutexLock lock(mutex_);
        if (error_) std::rethrow_exception(error_);
    }

  private:
    // A piece on its way through a chunk.
    struct Slot {
        CudaEvent arrived;
        std::byte* chunk = nullptr;
        std::size_t offset = 0, bytes = 0;  // of the piece; 0 bytes: none
    };

    void start(Slot& slot, std::size_t offset) {
        const Driver& driver = cuda::driver();
        if (slot.chunk == nullptr) slot.chunk = staging_.take();
        const std::size_t bytes = std::min(Staging::kChunk, bytes_ - offset);
        if (kind_ == CopyKind::HostToDevice) {
            std::memcpy(slot.chunk, reinterpret_cast<const std::byte*>(source_) + offset, bytes);
            context_.check(driver.copy_to_device(destination_ + offset, slot.chunk, bytes, stream_),
                           "copy to the device");
        } else {
            context_.check(driver.copy_to_host(slot.chunk, source_ + offset, bytes, stream_),
                           "copy to the host");
        }
        context_.check(driver.event_record(slot.arrived.handle(), stream_), "record an event");
        slot.offset = offset;
        slot.bytes = bytes;
    }

    void finish(Slot& slot) {
        if (slot.bytes == 0) return;
        Status status = Status::NotReady;
        while ((status = driver().event_query(slot.arrived.handle())) == Status::NotReady) {
            std::this_thread::yield();
        }
        context_.check(status, "wait for a copy");
        if (kind_ == CopyKind::DeviceToHost) {
            std::memcpy(reinterpret_cast<std::byte*>(destination_) + slot.offset, slot.chunk,
                        slot.bytes);
        }
        slot.bytes = 0;
    }

    PrimaryContext& context_;
    Staging& staging_;
    const StreamHandle stream_;
    const DeviceAddress destination_;
    const DeviceAddress source_;
    const std::size_t bytes_;
    const CopyKind kind_;
    std::atomic<bool> failed_ = false;
    std::atomic<bool> done_ = false;
    Mutex mutex_;
    std::exception_ptr error_ WARPWISE_GUARDED_BY(mutex_);
};

}  // namespace

void copy_in_bulk(PrimaryContext& context, Staging& staging, StreamHandle stream,
                  DeviceAddress destination, DeviceAddress source, std::size_t bytes,
                  CopyKind kind) {
    BulkCopy job(context, staging, stream, destination, source, bytes, kind);
    const std::size_t pieces = (bytes + Staging::kChunk - 1) / Staging::kChunk;
    copy_threads().submit(job, pieces);
    job.wait();
}

}  // namespace warpwise::cuda
