// The thread shares one state with its caller, who may be gone before it.
#include "src/compiler/interruptible.hpp"

#include <fmt/format.h>

#include <exception>
#include <memory>
#include <system_error>
#include <utility>

#include "src/base/hooks/interrupt.hpp"
#include "src/base/mutex.hpp"
#include "src/base/text.hpp"
#include "src/base/thread_pool.hpp"
#include "warpwise/error.hpp"

namespace warpwise::compiler {
namespace {

struct Compile {
    std::function<Program()> work;
    Program program;
    std::exception_ptr error;
    std::atomic<bool> is_abandoned = false;
    Mutex mutex;
    Condition ended;
    bool has_ended WARPWISE_GUARDED_BY(mutex) = false;
};

thread_local const std::atomic<bool>* t_abandoned = nullptr;

void run(Compile& compile) {
    t_abandoned = &compile.is_abandoned;
    try {
        compile.program = compile.work();
    } catch (...) {
        compile.error = std::current_exception();
    }
    t_abandoned = nullptr;
    MutexLock lock(compile.mutex);
    compile.has_ended = true;
    compile.ended.notify_all();
}

// Whether it has ended by now, or within the period.
bool wait_a_little(Compile& compile) {
    const auto deadline = std::chrono::steady_clock::now() + kInterruptPeriod;
    MutexLock lock(compile.mutex);
    while (!compile.has_ended && std::chrono::steady_clock::now() < deadline) {
        compile.ended.wait_until(lock, deadline);
    }
    return compile.has_ended;
}

}  // namespace

Program run_interruptibly(const std::string& name, std::function<Program()> work) {
    if (!may_be_interrupted()) return work();
    const auto compile = std::make_shared<Compile>();
    compile->work = std::move(work);
    try {
        start_thread_with_signals_blocked([compile] { run(*compile); });
    } catch (const std::system_error&) {
        return compile->work();  // no thread to spare: not interruptible
    }
    while (!wait_a_little(*compile)) {
        if (!interrupt_requested()) continue;
        compile->is_abandoned.store(true, std::memory_order_relaxed);
        throw Interrupted(fmt::format("interrupted: {} was being compiled", quote(name)));
    }
    if (compile->error) std::rethrow_exception(compile->error);
    return std::move(compile->program);
}

const std::atomic<bool>* abandoned_flag() noexcept {
    return t_abandoned;
}

}  // namespace warpwise::compiler
