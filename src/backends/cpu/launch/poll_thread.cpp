// Going to sleep and being woken synchronise by is_awake_: where it is set, one more look follows.
#include "src/backends/cpu/launch/poll_thread.hpp"

#include <new>
#include <system_error>
#include <thread>

#include "src/base/log.hpp"
#include "src/base/thread_pool.hpp"

namespace warpwise::cpu {
namespace {

constexpr int kIdleLooks = 20;

}  // namespace

void PollThread::wake_thread() noexcept {
    MutexLock lock(mutex_);
    if (is_awake_.exchange(true)) return;
    if (is_started_) return wake_.notify_one();
    try {
        start_thread_with_signals_blocked([this] { run(); });
        is_started_ = true;
    } catch (const std::system_error& error) {
        is_awake_ = false;
        log::info("no thread to watch kernels and events: {}", error.what());
    }
}

void PollThread::run() {
    for (int idle = 0;;) {
        std::this_thread::sleep_for(period_);
        idle = look_() ? 0 : idle + 1;
        if (idle < kIdleLooks) continue;
        idle = 0;
        is_awake_ = false;
        if (look_()) {
            is_awake_ = true;
        } else {
            sleep_until_woken();
        }
    }
}

void PollThread::sleep_until_woken() {
    MutexLock lock(mutex_);
    while (!is_awake_) wake_.wait(lock);
}

void PollThread::after_fork_in_child() {
    is_started_ = false;
    is_awake_ = false;
    new (&wake_) Condition;
    mutex_.unlock();
}

}  // namespace warpwise::cpu
