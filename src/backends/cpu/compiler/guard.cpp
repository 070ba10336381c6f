// The crash guard. Not LLVM's CrashRecoveryContext: its handlers run on the faulting stack (so a
// stack overflow kills the process), and for a fault outside of them they raise the signal again,
// which loses the fault's address and context.
//
// How handlers live together: ours acts only on a thread that is inside run_guarded(). Every other
// signal goes, with its own siginfo and context, to the handler installed before (Python's
// faulthandler, the run time's kernel faults). A handler installed later that chains to this one is
// served the same way, so the order does not matter.
#include "src/backends/cpu/compiler/guard.hpp"

#include <fmt/format.h>
#include <llvm/Support/ErrorHandling.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstring>
#include <exception>
#include <mutex>
#include <string>
#include <system_error>

#include "src/compiler/interruptible.hpp"
#include "warpwise/error.hpp"

namespace warpwise::cpu_compiler {

namespace {

// Clang recurses over the syntax tree: an expression of 10,000 operands needs some 10 MiB. Only
// touched pages cost memory.
constexpr std::size_t kStackBytes = std::size_t{256} << 20;
constexpr std::size_t kSignalStackBytes = std::size_t{64} << 10;

constexpr std::array<int, 6> kSignals = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP};

// One run_guarded() in flight, on the stack of its thread.
struct Guard {
    const std::function<void()>* work = nullptr;
    std::exception_ptr thrown;
    sigjmp_buf escape;
    int signal = 0;          // of the crash; 0 for a fatal error that LLVM reported itself
    char message[512] = {};  // LLVM's last words
    const char* stage = "starting";
    const std::atomic<bool>* abandoned = nullptr;  // may be null
    bool is_abandoned = false;
    bool has_crashed = false;
};

// initial-exec: a block allocated at first use would call malloc inside the handler.
__attribute__((tls_model("initial-exec"))) thread_local Guard* t_guard = nullptr;
__attribute__((tls_model("initial-exec"))) thread_local bool t_is_chaining = false;

std::atomic<bool> g_crashed{false};
std::array<struct sigaction, kSignals.size()> g_previous;

std::size_t slot_of(int signal) noexcept {
    for (std::size_t i = 0; i < kSignals.size(); ++i) {
        if (kSignals[i] == signal) return i;
    }
    return 0;
}

// Hands the signal to the handler before ours. Without one the default action is restored and the
// fault happens again.
void chain(int signal, siginfo_t* info, void* context) {
    const struct sigaction& previous = g_previous[slot_of(signal)];
    const bool has_info = (previous.sa_flags & SA_SIGINFO) != 0;
    const auto handler = previous.sa_handler;
    // A handler installed after ours may have ours as its previous one, and be ours: a circle.
    if (!t_is_chaining && has_info && previous.sa_sigaction != nullptr) {
        t_is_chaining = true;
        previous.sa_sigaction(signal, info, context);
        t_is_chaining = false;
        return;
    }
    if (!t_is_chaining && !has_info && handler != SIG_DFL && handler != SIG_IGN) {
        t_is_chaining = true;
        handler(signal);
        t_is_chaining = false;
        return;
    }
    if (!has_info && handler == SIG_IGN && info != nullptr && info->si_code <= 0) return;
    ::signal(signal, SIG_DFL);
    // Sent by a process (abort, kill) rather than caused by an instruction: it would not come
    // again.
    if (info == nullptr || info->si_code <= 0) ::raise(signal);
}

void handle_signal(int signal, siginfo_t* info, void* context) {
    Guard* const guard = t_guard;
    if (guard == nullptr) {
        const int saved_errno = errno;
        chain(signal, info, context);
        errno = saved_errno;
        return;
    }
    t_guard = nullptr;
    guard->signal = signal;
    siglongjmp(guard->escape, 1);
}

// What LLVM calls before it would end the process.
void handle_fatal_error(void*, const char* reason, bool) {
    Guard* const guard = t_guard;
    if (guard == nullptr) {
        // Not a compile of ours: what LLVM itself would have printed.
        const std::string text = fmt::format("LLVM ERROR: {}\n", reason);
        [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
        return;
    }
    t_guard = nullptr;
    std::strncpy(guard->message, reason, sizeof guard->message - 1);
    siglongjmp(guard->escape, 1);
}

void install_handlers() {
    static std::once_flag once;
    std::call_once(once, [] {
        struct sigaction action{};
        action.sa_sigaction = handle_signal;
        action.sa_flags = SA_SIGINFO | SA_ONSTACK;
        sigemptyset(&action.sa_mask);
        for (std::size_t i = 0; i < kSignals.size(); ++i) {
            // Read first: a fault of another thread may come between the two.
            ::sigaction(kSignals[i], nullptr, &g_previous[i]);
            ::sigaction(kSignals[i], &action, nullptr);
        }
        llvm::install_fatal_error_handler(handle_fatal_error, nullptr);
    });
}

// The frame that a crash returns to. Everything below it is abandoned: its memory is lost.
__attribute__((noinline)) void run_with_escape(Guard& guard) {
    if (sigsetjmp(guard.escape, 1) != 0) {
        guard.has_crashed = !guard.is_abandoned;
        return;
    }
    t_guard = &guard;
    try {
        (*guard.work)();
    } catch (...) {
        guard.thrown = std::current_exception();
    }
    t_guard = nullptr;
}

void* run_thread(void* argument) {
    auto& guard = *static_cast<Guard*>(argument);
    std::array<char, kSignalStackBytes>* const stack = new std::array<char, kSignalStackBytes>;
    stack_t alternate{};
    alternate.ss_sp = stack->data();
    alternate.ss_size = stack->size();
    ::sigaltstack(&alternate, nullptr);
    run_with_escape(guard);
    alternate.ss_flags = SS_DISABLE;
    ::sigaltstack(&alternate, nullptr);
    delete stack;
    return nullptr;
}

void start_and_join(Guard& guard) {
    pthread_attr_t attributes;
    ::pthread_attr_init(&attributes);
    ::pthread_attr_setstacksize(&attributes, kStackBytes);
    pthread_t thread;
    // Signals meant for the process are no business of this thread.
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    for (const int signal : kSignals) sigdelset(&all, signal);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
    const int failure = ::pthread_create(&thread, &attributes, run_thread, &guard);
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    ::pthread_attr_destroy(&attributes);
    if (failure != 0) {
        throw OutOfMemoryError(
            fmt::format("no thread to compile on ({} MiB of stack): {}; free memory, or raise "
                        "the limit of the process (ulimit -v, ulimit -u)",
                        kStackBytes >> 20, std::generic_category().message(failure)));
    }
    ::pthread_join(thread, nullptr);
}

[[noreturn]] void throw_crash(const Guard& guard) {
    const std::string cause =
        guard.signal == 0 ? std::string(guard.message)
                          : fmt::format("signal {} ({})", guard.signal, strsignal(guard.signal));
    const std::string text = fmt::format(
        "the compiler crashed while {}: {}; simplify the source near its last change, "
        "or report it",
        guard.stage, cause);
    throw CompileError(text, text + "\n", {}, 0);
}

}  // namespace

void enter_stage(const char* name) noexcept {
    leave_if_abandoned();
    if (t_guard != nullptr) t_guard->stage = name;
}

void leave_if_abandoned() noexcept {
    Guard* const guard = t_guard;
    if (guard == nullptr || guard->abandoned == nullptr) return;
    if (!guard->abandoned->load(std::memory_order_relaxed)) return;
    t_guard = nullptr;
    guard->is_abandoned = true;
    siglongjmp(guard->escape, 1);
}

void run_guarded(const std::function<void()>& work) {
    install_handlers();
    Guard guard;
    guard.work = &work;
    guard.abandoned = compiler::abandoned_flag();
    start_and_join(guard);
    if (guard.is_abandoned) throw Interrupted("the compile was abandoned");
    if (guard.has_crashed) {
        g_crashed.store(true, std::memory_order_release);
        throw_crash(guard);
    }
    if (guard.thrown) std::rethrow_exception(guard.thrown);
}

bool crashed() noexcept {
    return g_crashed.load(std::memory_order_acquire);
}

}  // namespace warpwise::cpu_compiler
