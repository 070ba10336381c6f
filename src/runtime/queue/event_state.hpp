// What stands behind Event: the back end's event, the stream and the capture it was recorded in.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "src/base/mutex.hpp"
#include "src/runtime/backend.hpp"
#include "src/runtime/queue/stream_core.hpp"

namespace warpwise::runtime {

class Capture;
class Context;

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

}  // namespace warpwise::runtime
