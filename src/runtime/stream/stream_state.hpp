// What stands behind Stream: a StreamCore, which is the queue, and the capture. While a stream
// takes part in one, work is recorded and nothing reaches the queue.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "src/base/mutex.hpp"
#include "src/runtime/backend.hpp"
#include "src/runtime/graphs.hpp"
#include "src/runtime/pending_work.hpp"
#include "src/runtime/queue/event_state.hpp"
#include "src/runtime/queue/stream_core.hpp"

namespace warpwise::runtime {

class BufferState;
class Context;
class Capture;
class CaptureBranch;
class GraphState;
class KernelState;

class StreamState : public std::enable_shared_from_this<StreamState> {
  public:
    // `is_ours`: false for a stream that was made outside of the library.
    explicit StreamState(std::shared_ptr<StreamCore> core, bool is_ours = true) noexcept;
    ~StreamState();

    Context& context() const noexcept { return core_->context(); }
    const std::shared_ptr<StreamCore>& core() const noexcept { return core_; }

    // Work: queued, or recorded while a capture is open. The buffers (may be null) count as used
    // by this stream from now on.
    void copy(const Copy& copy, const std::shared_ptr<BufferState>& first,
              const std::shared_ptr<BufferState>& second);
    // Outside of captures, and waits until it is done. The caller has settled `buffer`.
    void copy_and_wait(const Copy& copy, const std::shared_ptr<BufferState>& buffer);
    void fill(const Fill& fill, const std::shared_ptr<BufferState>& buffer);
    // In a capture behind what all its streams have recorded; else as fill().
    void fill_behind_all(const Fill& fill);
    // Memory of at least `count` words of 4 bytes for one kernel launch to come: they are 0 when
    // the kernel begins, and it must leave them 0. Null where the caller has to fill memory of its
    // own: in captures and on foreign streams (another stream may run what they record), on
    // processors (where kernels are cut off), and for many words. Throws OutOfMemoryError.
    std::shared_ptr<BufferState> zeroed_words(std::size_t count);
    void record(const std::shared_ptr<EventState>& event);
    void wait(const std::shared_ptr<EventState>& event);
    void call_host(std::function<void()> function);
    void replay(const std::shared_ptr<GraphState>& graph);

    void synchronize();
    bool is_done();
    // Waits for what the queue has been given, and leaves pending work alone. Refused in a capture.
    void wait_for_queue();

    // Work of this stream that was not queued yet; null: none (pending_work.hpp).
    void set_pending(std::shared_ptr<PendingWork> work);
    std::shared_ptr<PendingWork> pending();
    bool has_pending() const noexcept { return has_pending_.load(std::memory_order_relaxed); }
    // False when there was nothing to flush.
    bool settle(FlushReason reason = FlushReason::Order) {
        return has_pending_.load(std::memory_order_relaxed) ? flush(reason) : false;
    }

    // Other work on the queue that uses `buffer`.
    void queue_on(const std::shared_ptr<BufferState>& buffer,
                  const std::function<void(Queue&)>& work);
    bool is_capturing() const noexcept { return capturing_.load(std::memory_order_acquire); }
    // Throws ArgumentError, naming `action`, while a capture is open.
    void refuse_in_capture(const char* action) const;
    // Throws ArgumentError, naming `action`, where this stream cannot be waited for: while a
    // capture is open, and in a host function of the device.
    void refuse_to_wait(const char* action) const;
    void begin_capture();
    std::shared_ptr<GraphState> end_capture();
    void discard_capture();
    // Identifies an open capture; 0 when none is open on this stream.
    std::uint64_t capture_id();
    // Called by a capture that is over.
    void leave_capture(const Capture& capture) noexcept;
    // Runs `add` on this stream's branch of the open capture; false when none is open.
    template <class Add>
    bool capture(Add&& add) {
        if (!is_capturing()) return false;
        MutexLock lock(capture_mutex_);
        if (!capture_) return false;
        add(*capture_);
        return true;
    }

  private:
    bool flush(FlushReason reason);
    void join(const std::shared_ptr<Capture>& home, const EventState& event);
    std::shared_ptr<CaptureBranch> origin_of_capture(const char* action);
    // Of the capture that this stream began: asks all streams that take part.
    std::shared_ptr<CaptureBranch> settled_capture(const char* action);

    std::shared_ptr<StreamCore> core_;
    std::atomic<bool> capturing_{false};
    std::atomic<bool> has_pending_{false};
    Mutex capture_mutex_;
    std::shared_ptr<CaptureBranch> capture_ WARPWISE_GUARDED_BY(capture_mutex_);
    const bool is_ours_;
    Mutex zeroed_mutex_;
    std::shared_ptr<BufferState> zeroed_ WARPWISE_GUARDED_BY(zeroed_mutex_);
    Mutex pending_mutex_;
    std::shared_ptr<PendingWork> pending_ WARPWISE_GUARDED_BY(pending_mutex_);
};

}  // namespace warpwise::runtime
