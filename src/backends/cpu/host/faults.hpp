// The one signal handler of the library: turns hardware faults of kernels into errors and leaves
// every other fault to the handlers installed before.
//
// It takes SIGSEGV, SIGBUS, SIGFPE and SIGILL, on an alternate stack, and concerns its own thread
// only. A thread inside kernel code (a KernelFrame with in_kernel set) is recovered: the handler
// notes the fault, points the saved context at a landing function on the fiber's stack and returns.
// Run-time services clear in_kernel while they hold anything that must not be abandoned.
// All other faults (the compiler's, which has its own crash recovery; Python's; the user's) are
// handed to the handlers found when ours was installed.
//
// Kernel code can also be made to pause, from another thread and at any instruction: SIGURG, which
// debuggers pass on and other code ignores, finds in_kernel set and suspends the fiber from
// inside of its handler. Who runs fibers then resumes it, or abandons it as after a fault. A signal
// that finds in_kernel clear leaves the request to the end of the service. Nothing is spent on this
// where none is requested.
//
// When it is installed: at the first run of a kernel; and again before a later one when another
// library has put its SIGSEGV handler on top before that was launched (faulthandler.enable(),
// LLVM's crash recovery). Those are remembered in order. A handler that passes a fault on by
// raising it again, as faulthandler does, gets the older ones called, and in the end the system's
// default.
//
// While pages are replaced in place, writers of them wait in the handler: begin_page_change().
//
// Threading: frames are per thread.
#pragma once

#include <pthread.h>

#include <atomic>
#include <csignal>
#include <cstdint>
#include <optional>

#include "src/backends/cpu/host/fiber.hpp"

namespace warpwise::cpu {

struct Fault {
    int signal = 0;  // 0: none
    bool has_address = false;
    bool is_write = false;
    bool is_stack_overflow = false;
    std::uint64_t address = 0;
    std::optional<std::uint64_t> place;  // see Places
};

// How the handler finds the gang that a BlockRunEntry was running: the largest value among
// registers and stack that, decrypted, is the place of a gang of this run (see BlockRunEntry in
// abi.hpp).
struct Places {
    std::uint64_t key = 0;
    std::uint32_t first_block = 0;
    std::uint32_t end_block = 0;  // first_block: nothing to find
    std::uint32_t threads = 0;    // of a block
    bool has_rounds = false;
};

inline constexpr int kPauseSignal = SIGURG;

// What the handlers need to know of a thread that runs kernels.
struct KernelFrame {
    volatile std::sig_atomic_t in_kernel = 0;
    std::atomic<bool> is_pause_requested = false;
    bool must_resume = false;  // a service has what others use on the fiber's stack
    bool is_paused = false;    // `fiber` was suspended by a pause; `fault` has its place
    Fiber* fiber = nullptr;    // the running one
    Places places;
    Fault fault;
};

// Makes `frame` the calling thread's and gives the thread an alternate signal stack. The frame must
// live as long as the thread.
void adopt_kernel_frame(KernelFrame& frame);

// Numbers launches, from 1, in the order in which they are made.
std::uint64_t next_launch_number() noexcept;

// Before the calling thread runs blocks of that launch: see "when it is installed" above; also
// keeps the thread's alternate stack installed. Asks the system, in two calls, unless the thread
// has asked since the launch was made.
void ensure_fault_handler(std::uint64_t launch);
// The same before code that faults only where memory was taken from under it: asks once in a tick
// of the system's coarse clock, some milliseconds. The two calls take as long as a small array.
void ensure_recent_fault_handler();
// The thread comes from code that may have changed its alternate stack: the next call asks.
void forget_fault_handler() noexcept;

// Makes the thread pause soon, if it is in kernel code or comes back to it. `thread` must be alive
// and have adopted `frame`.
void request_pause(KernelFrame& frame, pthread_t thread) noexcept;

// Pauses here if that is requested; for services, on the fiber of the kernel.
void pause_if_requested(KernelFrame& frame) noexcept;

// Around the replacement of pages that other threads may write meanwhile, and that the caller makes
// read-only for so long: a thread that writes there waits in the handler until end_page_change(),
// when the pages can be written again. One change at a time: by the caller's lock.
void begin_page_change(std::uint64_t begin, std::uint64_t end);
void end_page_change() noexcept;

// Around fork(), so that the child finds the handler's lock free.
void lock_fault_handler();
void unlock_fault_handler();

}  // namespace warpwise::cpu
