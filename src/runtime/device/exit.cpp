// The last synchronisation of a process.
#include "src/runtime/device/exit.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <exception>
#include <set>
#include <string>
#include <string_view>

#include "src/base/hooks/work_at_exit.hpp"
#include "src/base/log.hpp"
#include "src/base/text.hpp"
#include "src/runtime/context.hpp"
#include "warpwise/error.hpp"
#include "warpwise/output.hpp"
#include "warpwise/settings.hpp"

namespace warpwise {
namespace {

using Clock = std::chrono::steady_clock;

// Errors beyond these are more of the same.
constexpr std::size_t kMostErrors = 20;

// Interrupts waits once the time is over, and as before.
class Limit {
  public:
    explicit Limit(std::chrono::duration<double> limit)
        : end_(Clock::now() + std::chrono::duration_cast<Clock::duration>(limit)),
          before_(set_interrupt_handler({})) {
        set_interrupt_handler([this] {
            const bool is_interrupted = is_over() || (before_ && before_());
            if (is_interrupted) has_interrupted_.store(true, std::memory_order_relaxed);
            return is_interrupted;
        });
    }
    ~Limit() { set_interrupt_handler(before_); }
    Limit(const Limit&) = delete;
    Limit& operator=(const Limit&) = delete;

    bool is_over() const { return Clock::now() >= end_; }
    // Whether a wait was interrupted, of any thread, since the last call.
    bool take_interruption() { return has_interrupted_.exchange(false); }

  private:
    std::atomic<bool> has_interrupted_ = false;
    const Clock::time_point end_;
    const InterruptHandler before_;
};

std::atomic<pid_t> first_process = 0;

bool is_of_cpu(const runtime::Context& context) {
    return context.name() == "cpu";
}

// Of a child after fork() only the CPU device can be used.
bool is_here(const runtime::Context& context) {
    return is_of_cpu(context) || first_process.load() == getpid();
}

void report(std::string_view error) {
    log::error("at the end of the program, after work that nothing had waited for: {}", error);
}

void report_stopped(const runtime::Context& context, const Limit& limit) {
    const std::string advice =
        limit.is_over() ? fmt::format(
                              "; synchronize before it, or set WARPWISE_EXIT_WAIT to more "
                              "than {} seconds",
                              settings().exit_wait.count())
                        : "";
    log::error("kernels were still running on {} at the end of the program, and were {}{}",
               context.name(), is_of_cpu(context) ? "stopped" : "left running", advice);
}

void finish(runtime::Context& context, Limit& limit) {
    std::set<std::string> reported;  // a lost context has the same error for each stream, each time
    const auto is_news = [&reported](const std::string& error) {
        const bool is_first = reported.insert(error).second;
        if (is_first) report(error);
        return is_first;
    };
    bool has_news = true;
    while (has_news && reported.size() < kMostErrors) {
        has_news = false;
        try {
            for (const std::exception_ptr& error :
                 context.synchronize_all(runtime::FlushReason::Exit)) {
                has_news |= is_news(text_of_error(error));
            }
        } catch (const Interrupted&) {
            limit.take_interruption();
            return report_stopped(context, limit);
        } catch (const std::exception& error) {
            has_news = is_news(error.what());
        }
    }
    // Another thread may have been waiting too, and have had the exception.
    if (limit.take_interruption()) report_stopped(context, limit);
}

std::atomic<bool> has_finished = false;

}  // namespace

void finish_before_exit() noexcept {
    wait_first_at_exit();
    if (has_finished.exchange(true)) return;
    try {
        const auto contexts = runtime::used_contexts();
        if (contexts.empty()) return;  // settings that cannot be read have had their error
        Limit limit(settings().exit_wait);
        for (const auto& context : contexts) {
            if (is_here(*context)) finish(*context, limit);
        }
    } catch (const std::exception& error) {
        report(error.what());
    }
}

void runtime::finish_at_exit() {
    static const int registered = std::atexit([] { finish_before_exit(); });
    pid_t none = 0;
    first_process.compare_exchange_strong(none, getpid());
    static_cast<void>(registered);  // one that cannot be is as after quick_exit()
}

}  // namespace warpwise
