// A queue and its thread.
#include "src/backends/cpu/launch/host_thread.hpp"

#include <fmt/format.h>

#include <new>
#include <system_error>

#include "src/base/thread_pool.hpp"
#include "warpwise/error.hpp"

namespace warpwise::cpu {

void HostThread::start() {
    MutexLock lock(mutex_);
    if (is_started_) return;
    try {
        start_thread_with_signals_blocked([this] { work(); });
    } catch (const std::system_error& error) {
        throw DeviceError(fmt::format(
            "cannot start the thread for host callbacks ({}); see the limit of processes (ulimit "
            "-u)",
            error.what()));
    }
    is_started_ = true;
}

void HostThread::push(Command& command) {
    MutexLock lock(mutex_);
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
