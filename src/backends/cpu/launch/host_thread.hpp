// The one thread that runs host callbacks, started by the first of them. They may take long or
// block, so they are kept off the pool and off the threads that wait.
//
// Threading: push() may be called from any thread.
#pragma once

#include <deque>

#include "src/backends/cpu/launch/command.hpp"
#include "src/base/mutex.hpp"

namespace warpwise::cpu {

class HostThread {
  public:
    // Starts the thread if need be. Throws DeviceError when the system has none left.
    void start();
    // After start().
    void push(Command& command);

    void before_fork() WARPWISE_ACQUIRE(mutex_) { mutex_.lock(); }
    void after_fork_in_parent() WARPWISE_RELEASE(mutex_) { mutex_.unlock(); }
    void after_fork_in_child() WARPWISE_RELEASE(mutex_);

  private:
    void work();

    Mutex mutex_;
    Condition wake_;
    std::deque<Command*> commands_ WARPWISE_GUARDED_BY(mutex_);
    bool is_started_ WARPWISE_GUARDED_BY(mutex_) = false;
};

}  // namespace warpwise::cpu
