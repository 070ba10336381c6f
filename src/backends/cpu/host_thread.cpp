// A queue and its thread.
#include "src/backends/cpu/host_thread.hpp"

#include <new>

#include "src/base/thread_pool.hpp"

namespace warpwise::cpu {

void HostThread::push(Command& command) {
    MutexLock lock(mutex_);
    if (!is_started_) start_quiet_thread([this] { work(); });
    is_started_ = true;
    commands_.push_back(&command);
    wake_.notify_one();
}

void HostThread::work() {
    for (;;) {
        Command* command = nullptr;
        {
            MutexLock lock(mutex_);
            while (commands_.empty()) wake_.wait(lock);
            command = commands_.front();
            commands_.pop_front();
        }
        command->run(0, 1);
        command->finished();
    }
}

void HostThread::after_fork_in_child() {
    commands_.clear();
    is_started_ = false;
    new (&wake_) Condition;
    mutex_.unlock();
}

}  // namespace warpwise::cpu
