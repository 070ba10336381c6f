// One watch for all guards. Handlers outside of NVRTC are never touched: the program may set
// another one at any time.
#include "src/backends/cuda/nvrtc/interrupt_guard.hpp"

#include <dlfcn.h>
#include <signal.h>

#include <chrono>
#include <string_view>
#include <system_error>
#include <thread>

#include "src/base/mutex.hpp"
#include "src/base/thread_pool.hpp"

namespace warpwise::cuda {
namespace {

using namespace std::chrono_literals;

// The front end takes the handler within milliseconds of its start.
constexpr auto kFirstPeriod = 500us;
constexpr auto kLaterPeriod = 10ms;
constexpr int kFirstLooks = 100;

void* handler_of(const struct sigaction& action) {
    return (action.sa_flags & SA_SIGINFO) != 0 ? reinterpret_cast<void*>(action.sa_sigaction)
                                               : reinterpret_cast<void*>(action.sa_handler);
}

bool is_of_nvrtc(void* handler) {
    Dl_info info = {};
    return ::dladdr(handler, &info) != 0 && info.dli_fname != nullptr &&
           std::string_view(info.dli_fname).find("nvrtc") != std::string_view::npos;
}

class Watch {
  public:
    void begin() {
        const MutexLock lock(mutex_);
        looks_ = 0;
        if (guards_++ > 0) return;
        ::sigaction(SIGINT, nullptr, &own_);
        if (is_running_) return;
        try {
            start_thread_with_signals_blocked([this] { run(); });
            is_running_ = true;
        } catch (const std::system_error&) {
            is_running_ = false;  // Ctrl-C does what NVRTC says until the compile has ended.
        }
    }

    void end() noexcept {
        const MutexLock lock(mutex_);
        restore();
        --guards_;
    }

  private:
    void run() {
        for (;;) {
            bool is_early = false;
            {
                const MutexLock lock(mutex_);
                if (guards_ == 0) {
                    is_running_ = false;
                    return;
                }
                restore();
                is_early = looks_++ < kFirstLooks;
            }
            if (is_early) {
                std::this_thread::sleep_for(kFirstPeriod);
            } else {
                std::this_thread::sleep_for(kLaterPeriod);
            }
        }
    }

    void restore() WARPWISE_REQUIRES(mutex_) {
        struct sigaction now = {};
        ::sigaction(SIGINT, nullptr, &now);
        void* const handler = handler_of(now);
        if (handler == handler_of(own_)) {
            if (now.sa_flags != own_.sa_flags) ::sigaction(SIGINT, &own_, nullptr);
        } else if (is_of_nvrtc(handler)) {
            ::sigaction(SIGINT, &own_, nullptr);
        } else if (now.sa_handler != SIG_IGN) {  // NVRTC ignores it for a moment
            own_ = now;
        }
    }

    Mutex mutex_;
    struct sigaction own_ WARPWISE_GUARDED_BY(mutex_) = {};
    int guards_ WARPWISE_GUARDED_BY(mutex_) = 0;
    int looks_ WARPWISE_GUARDED_BY(mutex_) = 0;
    bool is_running_ WARPWISE_GUARDED_BY(mutex_) = false;
};

Watch& watch() {
    static auto* const one = new Watch;  // its thread may outlive everything
    return *one;
}

}  // namespace

InterruptGuard::InterruptGuard() {
    watch().begin();
}

InterruptGuard::~InterruptGuard() {
    watch().end();
}

}  // namespace warpwise::cuda
