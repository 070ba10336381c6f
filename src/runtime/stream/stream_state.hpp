// What stands behind Stream and Event.
//
// A StreamCore is the queue; buffers refer to it, to know after what they may be given back. It
// outlives its StreamState (the users' handle) until its work has ended. A StreamState adds the
// capture: while it takes part in one, work is recorded and nothing reaches the queue.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>

#include "src/base/mutex.hpp"
#include "src/runtime/backend.hpp"
#include "src/runtime/graphs.hpp"
#include "src/runtime/pending_work.hpp"
#include "src/runtime/pool/pool_lane.hpp"

namespace warpwise::runtime {

class BufferState;
class Context;
class Capture;
class CaptureBranch;
class GraphState;
class KernelState;

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

class EventState {
  public:
    EventState(std::shared_ptr<Context> context, bool timing);
    // Of another process.
    EventState(std::shared_ptr<Context> context, std::unique_ptr<EventImpl> impl);
    // That may be given to other processes. Throws UnsupportedError where there are none.
    static std::shared_ptr<EventState> interprocess(std::shared_ptr<Context> context);

    Context& context() const noexcept { return *context_; }
    const std::shared_ptr<Context>& shared_context() const noexcept { return context_; }
    EventImpl& impl() const noexcept { return *impl_; }
    bool has_timing() const noexcept { return timing_; }
    bool is_interprocess() const noexcept { return is_interprocess_; }
    bool is_recorded() const noexcept { return core_id_.load(std::memory_order_acquire) != 0; }
    // The stream it was last recorded on; null before.
    std::shared_ptr<StreamCore> core() const;
    void set_recorded(const std::shared_ptr<StreamCore>& core) {
        if (core_id_.load(std::memory_order_acquire) != core->id()) set_core(core);
    }
    // The capture that holds its latest record, while that capture is open; else null.
    std::shared_ptr<Capture> capture() const { return is_captured() ? open_capture() : nullptr; }
    bool is_captured() const noexcept { return is_captured_.load(std::memory_order_acquire); }
    void set_capture(std::weak_ptr<Capture> capture);
    // It becomes an ordinary event again, if that capture holds it.
    void leave_capture(const Capture& capture) noexcept;

  private:
    void set_core(std::shared_ptr<StreamCore> core);
    std::shared_ptr<Capture> open_capture() const;

    std::shared_ptr<Context> context_;
    std::unique_ptr<EventImpl> impl_;
    const bool timing_;
    bool is_interprocess_ = false;
    std::atomic<std::uint64_t> core_id_{0};  // of core_; 0: never recorded
    std::atomic<bool> is_captured_{false};
    mutable Mutex mutex_;
    std::weak_ptr<Capture> capture_ WARPWISE_GUARDED_BY(mutex_);
    const Capture* holder_ WARPWISE_GUARDED_BY(mutex_) = nullptr;  // capture_, ended or not
    std::shared_ptr<StreamCore> core_ WARPWISE_GUARDED_BY(mutex_);
};

class StreamState : public std::enable_shared_from_this<StreamState> {
  public:
    explicit StreamState(std::shared_ptr<StreamCore> core) noexcept;
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
    Mutex pending_mutex_;
    std::shared_ptr<PendingWork> pending_ WARPWISE_GUARDED_BY(pending_mutex_);
};

}  // namespace warpwise::runtime
