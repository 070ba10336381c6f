// The handler runs with nothing but async-signal-safe calls and constant-initialised state.
#include "src/backends/cpu/host/faults.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <ctime>

#include "src/backends/cpu/abi.hpp"
#include "src/backends/cpu/host/fault_context.hpp"
#include "src/base/mutex.hpp"
#include "src/base/thread_object.hpp"

namespace warpwise::cpu {
namespace {

constexpr std::array<int, 4> kSignals{SIGSEGV, SIGBUS, SIGFPE, SIGILL};
constexpr std::size_t kMaxChain = 8;
constexpr std::size_t kAlternateStackBytes = std::size_t{128} << 10;
// The same fault this often in a row: the foreign handler does not cure it, try the one before it.
constexpr unsigned kMaxRepeats = 4;

// The handlers below ours, oldest first. Only grows; the count is published after the entry.
struct Chain {
    std::array<struct sigaction, kMaxChain> handlers;
    std::atomic<std::size_t> count;
};
std::array<Chain, kSignals.size()> g_chains;

// Per thread. initial-exec: a lazily allocated block would call malloc inside the handler.
struct ThreadFaults {
    KernelFrame* frame;
    unsigned depth;  // foreign handlers being called on this thread
    unsigned repeats;
    std::uint64_t last_pc;
    std::uint64_t last_address;
    std::uint64_t checked;  // launches made before this thread asked for the handler in place
    std::int64_t asked;     // when, by the coarse clock; of ensure_recent_fault_handler() alone
    std::uint64_t retried;  // the last page change after which it repeated a write
};
__attribute__((tls_model("initial-exec"))) thread_local ThreadFaults t_faults{};

std::size_t signal_index(int signal) noexcept {
    return static_cast<std::size_t>(std::find(kSignals.begin(), kSignals.end(), signal) -
                                    kSignals.begin());
}

// A fault of this thread: raised by the processor, or passed on by a handler that raised it again.
bool is_own_fault(const siginfo_t* info) noexcept {
    return info->si_code > 0 || (info->si_code == SI_TKILL && info->si_pid == getpid());
}

// Reads words that are no objects, on a stack whose frames are about to be abandoned.
__attribute__((no_sanitize("address", "thread"))) void find_place(
    KernelFrame& frame, std::uint64_t stack_from, const GeneralRegisters& registers) noexcept {
    const Places& places = frame.places;
    const auto consider =
        [&](std::uint64_t word) __attribute__((no_sanitize("address", "thread"))) {
            const std::uint64_t place = word ^ places.key;
            const std::uint32_t block = block_of_place(place);
            const bool is_place = block >= places.first_block && block < places.end_block &&
                                  thread_of_place(place) < places.threads &&
                                  (places.has_rounds || place >> kPlaceRoundShift == 0);
            if (is_place && place >= frame.fault.place.value_or(0)) frame.fault.place = place;
        };
    if (places.first_block == places.end_block) return;
    for (std::size_t i = 0; i < registers.count; ++i) consider(registers.values[i]);
    const Stack& stack = frame.fiber->stack();
    const auto low = reinterpret_cast<std::uint64_t>(stack.low);
    const auto top = low + stack.size;
    const auto from = stack_from & ~std::uint64_t{7};
    for (std::uint64_t at = std::max(low, from); at < top; at += sizeof(std::uint64_t)) {
        consider(*reinterpret_cast<const volatile std::uint64_t*>(at));
    }
}

void note_fault(KernelFrame& frame, int signal, const siginfo_t* info,
                const void* context) noexcept {
    Fault& fault = frame.fault;
    fault = {};
    fault.signal = signal;
    find_place(frame, stack_pointer(context), general_registers(context));
    if (info->si_code > 0 && (signal == SIGSEGV || signal == SIGBUS)) {
        const MemoryAccess access = memory_access(context);
        fault.has_address = access.has_address;
        fault.address = reinterpret_cast<std::uint64_t>(info->si_addr);
        fault.is_write = access.is_write;
        fault.is_stack_overflow = fault.has_address && frame.fiber->stack().guards(fault.address);
    }
}

void land(void* frame) {
    static_cast<KernelFrame*>(frame)->fiber->leave();
}

// Continues at land(frame) on the top of the fiber's own stack, whose frames are abandoned.
void redirect(KernelFrame& frame, void* context) noexcept {
    const Stack& stack = frame.fiber->stack();
    continue_at(context, &land, &frame, reinterpret_cast<std::uint64_t>(stack.low) + stack.size);
}

// Suspends the fiber, from inside of its kernel code, until it is resumed.
void pause(KernelFrame& frame) noexcept {
    frame.in_kernel = 0;
    frame.is_pause_requested.store(false, std::memory_order_relaxed);
    frame.is_paused = true;
    frame.fiber->suspend();
    frame.in_kernel = 1;
}

constinit struct sigaction g_before_pause = {};
std::atomic<bool> g_has_before_pause = false;

// A SIGURG that is not ours.
void pass_on(int signal, siginfo_t* info, void* context) noexcept {
    if (!g_has_before_pause.load(std::memory_order_acquire)) return;
    if ((g_before_pause.sa_flags & SA_SIGINFO) != 0) {
        g_before_pause.sa_sigaction(signal, info, context);
    } else if (g_before_pause.sa_handler != SIG_DFL && g_before_pause.sa_handler != SIG_IGN) {
        g_before_pause.sa_handler(signal);
    }
}

// On the kernel's own stack: the alternate one would be overwritten by the next signal while the
// fiber is suspended.
void handle_pause(int signal, siginfo_t* info, void* context) {
    KernelFrame* frame = t_faults.frame;
    const bool is_requested =
        frame != nullptr && frame->is_pause_requested.load(std::memory_order_relaxed);
    if (!is_requested) return pass_on(signal, info, context);
    if (frame->in_kernel == 0) return;
    const int saved_errno = errno;
    frame->fault = {};
    frame->fault.signal = signal;
    find_place(*frame, stack_pointer(context), general_registers(context));
    pause(*frame);
    errno = saved_errno;
}

void die_by_default(int signal) noexcept {
    struct sigaction action = {};
    action.sa_handler = SIG_DFL;
    sigaction(signal, &action, nullptr);
    raise(signal);
}

void call_foreign(int signal, siginfo_t* info, void* context) noexcept {
    const std::uint64_t pc = program_counter(context);
    const auto address = reinterpret_cast<std::uint64_t>(info->si_addr);
    ThreadFaults& thread = t_faults;
    const bool is_same = pc == thread.last_pc && address == thread.last_address;
    thread.repeats = is_same ? thread.repeats + 1 : 0;
    thread.last_pc = pc;
    thread.last_address = address;

    const Chain& chain = g_chains[signal_index(signal)];
    const std::size_t skipped = thread.depth + thread.repeats / kMaxRepeats;
    const std::size_t count = chain.count.load(std::memory_order_acquire);
    if (skipped >= count) return die_by_default(signal);
    const struct sigaction& next = chain.handlers[count - 1 - skipped];
    const bool is_default = (next.sa_flags & SA_SIGINFO) == 0 &&
                            (next.sa_handler == SIG_DFL || next.sa_handler == SIG_IGN);
    if (is_default) return die_by_default(signal);
    ++thread.depth;
    if (next.sa_flags & SA_SIGINFO) {
        next.sa_sigaction(signal, info, context);
    } else {
        next.sa_handler(signal);
    }
    --thread.depth;
}

// The pages that are being replaced, or were last. Odd: now.
struct PageChange {
    std::atomic<std::uint64_t> number, begin, end;
};
constinit PageChange g_page_change;

// Whether the write that faulted is to be repeated: the pages were being replaced. They may be
// whole again before the handler comes to ask, once for each change.
bool waited_for_pages(int signal, const siginfo_t* info) noexcept {
    if (signal != SIGSEGV || info->si_code <= 0) return false;
    const std::uint64_t number = g_page_change.number.load(std::memory_order_acquire);
    const auto address = reinterpret_cast<std::uint64_t>(info->si_addr);
    if (address < g_page_change.begin.load(std::memory_order_relaxed) ||
        address >= g_page_change.end.load(std::memory_order_relaxed) ||
        t_faults.retried == number) {
        return false;
    }
    const bool is_now = (number & 1) != 0;
    while (is_now && g_page_change.number.load(std::memory_order_acquire) == number) {
        const timespec pause{0, 20'000};
        nanosleep(&pause, nullptr);
    }
    t_faults.retried = is_now ? number + 1 : number;
    return true;
}

void handle(int signal, siginfo_t* info, void* context) {
    if (waited_for_pages(signal, info)) return;
    KernelFrame* frame = t_faults.frame;
    if (frame != nullptr && frame->in_kernel != 0 && is_own_fault(info)) {
        frame->in_kernel = 0;
        note_fault(*frame, signal, info, context);
        redirect(*frame, context);
        return;
    }
    call_foreign(signal, info, context);
}

bool is_ours(const struct sigaction& action) noexcept {
    return (action.sa_flags & SA_SIGINFO) != 0 && action.sa_sigaction == &handle;
}

bool is_same_handler(const struct sigaction& a, const struct sigaction& b) noexcept {
    return a.sa_sigaction == b.sa_sigaction && ((a.sa_flags ^ b.sa_flags) & SA_SIGINFO) == 0;
}

constinit Mutex g_install_mutex;
std::atomic<std::uint64_t> g_launches = 0;

void remember(Chain& chain, const struct sigaction& action) noexcept {
    const std::size_t count = chain.count.load(std::memory_order_relaxed);
    if (count > 0 && is_same_handler(chain.handlers[count - 1], action)) return;
    if (count == kMaxChain) {
        chain.handlers[kMaxChain - 1] = action;
        return;
    }
    chain.handlers[count] = action;
    chain.count.store(count + 1, std::memory_order_release);
}

void install() {
    MutexLock lock(g_install_mutex);
    for (std::size_t i = 0; i < kSignals.size(); ++i) {
        struct sigaction current = {};
        sigaction(kSignals[i], nullptr, &current);
        if (is_ours(current)) continue;
        remember(g_chains[i], current);
        struct sigaction ours = {};
        ours.sa_sigaction = &handle;
        // SA_NODEFER: a foreign handler may raise the signal again to reach the one before it.
        ours.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
        sigemptyset(&ours.sa_mask);
        sigaction(kSignals[i], &ours, nullptr);
    }
}

void unblock_pauses() noexcept {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, kPauseSignal);
    pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
}

// The thread's alternate stack, unless it brought a large enough one of its own.
class AlternateStack {
  public:
    AlternateStack() = default;
    ~AlternateStack() {
        t_faults.frame = nullptr;
        if (memory_ == nullptr) return;
        stack_t current = {};
        sigaltstack(nullptr, &current);
        // Someone has put another stack in place since: then ours is not in use, theirs stays.
        if (current.ss_sp == memory_) sigaltstack(&previous_, nullptr);
        munmap(memory_, kAlternateStackBytes);
    }
    AlternateStack(const AlternateStack&) = delete;
    AlternateStack& operator=(const AlternateStack&) = delete;

    // Others change the setting too: faulthandler.disable() takes back what was there before it.
    void ensure() noexcept {
        stack_t current = {};
        sigaltstack(nullptr, &current);
        const bool is_usable =
            (current.ss_flags & SS_DISABLE) == 0 && current.ss_size >= kAlternateStackBytes / 4;
        if (!is_usable) replace(current);
    }

  private:
    void replace(const stack_t& current) noexcept {
        if (memory_ == nullptr) {
            void* memory = mmap(nullptr, kAlternateStackBytes, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
            if (memory == MAP_FAILED) return;  // only the overflow of a stack is then fatal
            memory_ = memory;
            previous_ = current;
        }
        stack_t ours = {};
        ours.ss_sp = memory_;
        ours.ss_size = kAlternateStackBytes;
        sigaltstack(&ours, nullptr);
    }

    void* memory_ = nullptr;
    stack_t previous_ = {};
};

}  // namespace

void adopt_kernel_frame(KernelFrame& frame) {
    thread_object<AlternateStack>().ensure();
    unblock_pauses();
    t_faults.frame = &frame;
}

void request_pause(KernelFrame& frame, pthread_t thread) noexcept {
    struct sigaction current = {};
    sigaction(kPauseSignal, nullptr, &current);
    if ((current.sa_flags & SA_SIGINFO) == 0 || current.sa_sigaction != &handle_pause) {
        // Not under the lock: only the thread that watches kernels and an interrupt come here, and
        // both would write the same.
        g_before_pause = current;
        g_has_before_pause.store(true, std::memory_order_release);
        struct sigaction ours = {};
        ours.sa_sigaction = &handle_pause;
        // SA_NODEFER: the thread must get signals while its fiber is suspended. SA_RESTART: a
        // system call of a service goes on.
        ours.sa_flags = SA_SIGINFO | SA_NODEFER | SA_RESTART;
        sigemptyset(&ours.sa_mask);
        sigaction(kPauseSignal, &ours, nullptr);
    }
    frame.is_pause_requested.store(true, std::memory_order_relaxed);
    pthread_kill(thread, kPauseSignal);
}

void pause_if_requested(KernelFrame& frame) noexcept {
    if (!frame.is_pause_requested.load(std::memory_order_relaxed)) return;
    frame.fault = {};
    frame.fault.signal = kPauseSignal;
    find_place(frame, reinterpret_cast<std::uint64_t>(__builtin_frame_address(0)), {});
    pause(frame);
}

std::uint64_t next_launch_number() noexcept {
    return g_launches.fetch_add(1, std::memory_order_relaxed) + 1;
}

void forget_fault_handler() noexcept {
    t_faults.checked = 0;
}

namespace {

void ask_for_fault_handler() {
    t_faults.checked = g_launches.load(std::memory_order_relaxed);
    struct sigaction current = {};
    sigaction(SIGSEGV, nullptr, &current);
    if (!is_ours(current)) install();
    thread_object<AlternateStack>().ensure();
}

}  // namespace

void ensure_fault_handler(std::uint64_t launch) {
    if (launch > t_faults.checked) ask_for_fault_handler();
}

void ensure_recent_fault_handler() {
    timespec now = {};
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    const std::int64_t tick = std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
    if (tick == t_faults.asked) return;
    t_faults.asked = tick;
    ask_for_fault_handler();
}

void begin_page_change(std::uint64_t begin, std::uint64_t end) {
    install();
    g_page_change.begin.store(begin, std::memory_order_relaxed);
    g_page_change.end.store(end, std::memory_order_relaxed);
    g_page_change.number.fetch_add(1, std::memory_order_acq_rel);
}

void end_page_change() noexcept {
    g_page_change.number.fetch_add(1, std::memory_order_acq_rel);
}

// Held from before a fork until after it: no scope for the analysis to see.
void lock_fault_handler() WARPWISE_NO_THREAD_SAFETY_ANALYSIS {
    g_install_mutex.lock();
}

void unlock_fault_handler() WARPWISE_NO_THREAD_SAFETY_ANALYSIS {
    g_install_mutex.unlock();
}

}  // namespace warpwise::cpu
