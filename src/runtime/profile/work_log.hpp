// What a back end that sees its work begin and end records of it, while a profile requests it.
//
// Threading: every function may be called from any thread. The lock is the innermost one.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "src/base/mutex.hpp"
#include "src/runtime/profiling.hpp"

namespace warpwise::runtime {

class WorkLog {
  public:
    bool is_on() const noexcept { return is_on_.load(std::memory_order_relaxed); }
    void start();
    // Nothing when it is off.
    void add(ProfileRecord record);
    std::vector<ProfileRecord> finish();

    // Around fork(); the child's log is off.
    void before_fork() WARPWISE_NO_THREAD_SAFETY_ANALYSIS { mutex_.lock(); }
    void after_fork_in_parent() WARPWISE_NO_THREAD_SAFETY_ANALYSIS { mutex_.unlock(); }
    void after_fork_in_child() WARPWISE_NO_THREAD_SAFETY_ANALYSIS {
        is_on_.store(false);
        mutex_.unlock();
    }

  private:
    std::atomic<bool> is_on_ = false;
    Mutex mutex_;
    std::vector<ProfileRecord> records_ WARPWISE_GUARDED_BY(mutex_);
};

// The one source of a back end with such logs, one a device.
class LoggedProfiles final : public ProfileSupport {
  public:
    explicit LoggedProfiles(std::vector<WorkLog*> logs) : logs_(std::move(logs)) {}
    std::vector<std::string> sources() const override { return {"clock"}; }
    std::unique_ptr<Recording> start(int ordinal, std::string_view source) override;

  private:
    std::vector<WorkLog*> logs_;
};

}  // namespace warpwise::runtime
