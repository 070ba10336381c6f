// Times of what queues are given, by a pair of events around each operation: what a profile does
// without CUPTI.
//
// The events are the driver's, taken from a store that grows to what runs at a time: whatever has
// passed is read and its events are used again. Times count from one event that is recorded while
// the device is idle, when the host's clock is looked at. The driver gives them as floats of
// milliseconds, to half a microsecond at first and to a microsecond after ten seconds.
//
// Threading: every function may be called from any thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <utility>
#include <vector>

#include "src/backends/cuda/driver/primary_context.hpp"
#include "src/base/mutex.hpp"
#include "warpwise/profile.hpp"

namespace warpwise::cuda {

class EventLog {
  public:
    explicit EventLog(PrimaryContext& context) : context_(context) {}
    EventLog(const EventLog&) = delete;
    EventLog& operator=(const EventLog&) = delete;

    bool is_on() const noexcept { return is_on_.load(std::memory_order_relaxed); }
    // The device is idle.
    void start();
    // What has passed; the rest is lost, as it is after a fault.
    std::vector<ProfileRecord> finish() noexcept;
    // Operations that could not be timed since start().
    std::size_t lost() const noexcept { return lost_.load(); }

    // Around the calls that queue an operation on `stream`. Nothing where the log is off.
    class Timing {
      public:
        // Throws, where the driver makes no event: then nothing is queued yet.
        Timing(EventLog& log, StreamHandle stream) : log_(log), stream_(stream) {
            if (log.is_on()) [[unlikely]]
                begin();
        }
        // Without done() the operation has failed.
        ~Timing() {
            if (begin_ != nullptr) [[unlikely]]
                release();
        }
        Timing(const Timing&) = delete;
        Timing& operator=(const Timing&) = delete;

        // `describe` gives the record, and is called where there is one.
        template <class Describe>
        void done(Describe&& describe) {
            if (begin_ != nullptr) [[unlikely]]
                end(describe());
        }

      private:
        void begin();
        void end(ProfileRecord record) noexcept;
        void release() noexcept;

        EventLog& log_;
        const StreamHandle stream_;
        EventHandle begin_ = nullptr;
        EventHandle end_ = nullptr;
    };

  private:
    struct Timed {
        EventHandle begin, end;
        StreamHandle stream;
        ProfileRecord record;
    };

    EventHandle take_event();
    void release(EventHandle event) noexcept;
    void add(Timed timed);
    void store_running() WARPWISE_REQUIRES(mutex_);
    // Reads what has passed. With the context current.
    void read() WARPWISE_REQUIRES(mutex_);
    bool read_one(Timed& timed) WARPWISE_REQUIRES(mutex_);

    PrimaryContext& context_;
    std::atomic<bool> is_on_ = false;
    std::atomic<std::size_t> lost_ = 0;
    Mutex mutex_;
    EventHandle base_ WARPWISE_GUARDED_BY(mutex_) = nullptr;
    std::int64_t base_time_ WARPWISE_GUARDED_BY(mutex_) = 0;  // of host_now()
    std::vector<EventHandle> store_ WARPWISE_GUARDED_BY(mutex_);
    std::deque<Timed> running_ WARPWISE_GUARDED_BY(mutex_);
    std::vector<ProfileRecord> records_ WARPWISE_GUARDED_BY(mutex_);
    std::map<StreamHandle, std::uint64_t> streams_ WARPWISE_GUARDED_BY(mutex_);
};

}  // namespace warpwise::cuda
