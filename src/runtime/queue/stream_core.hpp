// The queue behind a stream, and where its work stands.
//
// A StreamCore is the queue; buffers refer to it, to know after what they may be given back. It
// outlives the StreamState above it (the users' handle) until its work has ended.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>

#include "src/base/mutex.hpp"
#include "src/runtime/backend.hpp"
#include "src/runtime/queue/pool_lane.hpp"

namespace warpwise::runtime {

class Context;

// A function that a stream of `context` calls. It may not wait for work of that device: any of it
// may come after the function itself, by the order of streams or because a device has one thread
// for such functions.
std::function<void()> host_function_of(const Context& context, std::function<void()> function);
// Throws ArgumentError in such a function. Called before anything that waits, and before what it
// waits for is queued: a copy that is not waited for could outlive its host memory.
void refuse_in_host_function(const Context& context);

class StreamCore {
  public:
    // `owner` is held as long as the queue.
    StreamCore(Context& context, std::unique_ptr<Queue> queue, const QueueOptions& options,
               std::shared_ptr<const void> owner = nullptr);

    Context& context() const noexcept { return context_; }
    // Differs between all streams of the process, past ones included.
    std::uint64_t id() const noexcept { return id_; }
    // For holders of a StreamState, or who know otherwise that the queue is open.
    Queue& queue() const noexcept { return *plain_queue_; }
    bool is_default() const noexcept { return options_.is_default; }
    // Whether later work of this stream comes after work already given to the stream described.
    bool follows(const StreamCore& other) const noexcept;

    // Throws ArgumentError in a host function of the device.
    void wait_until_done();
    // Throws the error of a launch that failed before `event`, if nothing has reported it. A stream
    // that was closed has left its error to the device.
    void surface_error(const EventImpl& event);
    // False when the queue is gone, which means that its work has ended.
    bool record(EventImpl& event);
    bool close_if_done() noexcept;
    bool is_closed() const noexcept { return closed_.load(std::memory_order_acquire); }

    // Positions in this stream's work. A thread that waits for the stream, or records an event on
    // it, calls advance() before: all work that was given before that position was read, or an
    // earlier one, has ended when the wait or the event has; note_passed() records it.
    std::uint64_t position() const noexcept { return position_.load(); }
    std::uint64_t advance() noexcept { return position_.fetch_add(1); }
    bool has_passed(std::uint64_t position) const noexcept {
        return passed_.load(std::memory_order_acquire) >= position || is_closed();
    }
    void note_passed(std::uint64_t position) noexcept;
    // As Queue::is_done, and notes what has passed.
    bool is_done(Wait wait);
    // Guarded by the lock of the context's pool of that kind.
    PoolLane& lane(MemoryKind kind) noexcept { return lanes_[static_cast<std::size_t>(kind)]; }

  private:
    Context& context_;
    const std::uint64_t id_;
    const QueueOptions options_;
    std::shared_ptr<Queue> open_queue();  // null once closed

    Mutex mutex_;
    std::shared_ptr<const void> owner_ WARPWISE_GUARDED_BY(mutex_);
    std::shared_ptr<Queue> queue_ WARPWISE_GUARDED_BY(mutex_);
    Queue* const plain_queue_;
    std::atomic<bool> closed_{false};
    std::atomic<std::uint64_t> position_{1};
    std::atomic<std::uint64_t> passed_{0};
    std::array<PoolLane, 2> lanes_;
};

}  // namespace warpwise::runtime
