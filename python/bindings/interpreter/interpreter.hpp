// How threads enter and leave Python: with the GIL, and no longer once the interpreter is about to
// shut down, when acquiring the GIL would end the thread or the process.
//
// Up to version 3.13 Python ends a daemon thread that acquires the GIL during shutdown, by
// unwinding its stack (pthread_exit). Frames of C++ that may not be unwound would end the process
// (std::terminate). What may run into that goes through never_unwound(): the thread sleeps instead,
// until the process has ended, as from version 3.14 on.
#pragma once

#include <cxxabi.h>
#include <nanobind/nanobind.h>

#include <chrono>
#include <memory>
#include <optional>
#include <utility>

namespace warpwise::python {

// Holds the GIL while it lives, on any thread. False once Python must not be entered.
class PythonEntry {
  public:
    PythonEntry();
    ~PythonEntry();
    PythonEntry(const PythonEntry&) = delete;
    PythonEntry& operator=(const PythonEntry&) = delete;
    explicit operator bool() const noexcept { return gil_.has_value(); }

  private:
    std::optional<nanobind::gil_scoped_acquire> gil_;
};

// For the rest of the process.
[[noreturn]] void sleep_for_ever() noexcept;

// Runs `function`, which may acquire the GIL or run Python code, below frames of C++.
template <class Function>
decltype(auto) never_unwound(Function&& function) {
    try {
        return std::forward<Function>(function)();
    } catch (const abi::__forced_unwind&) {
        sleep_for_ever();
    }
}

// Releases the GIL while it lives. Takes the place of nanobind::gil_scoped_release, whose end ends
// the process in a daemon thread during shutdown.
class GilRelease {
  public:
    GilRelease() : state_(PyEval_SaveThread()) {}
    ~GilRelease() {
        never_unwound([this] { PyEval_RestoreThread(state_); });
    }
    GilRelease(const GilRelease&) = delete;
    GilRelease& operator=(const GilRelease&) = delete;

  private:
    PyThreadState* state_;
};

// What `function` returns, called without the GIL.
template <class Function>
auto without_gil(Function&& function) {
    const GilRelease unlocked;
    return std::forward<Function>(function)();
}

// Keeps a Python object alive from C++; may be released on any thread. Null for None. Needs the
// GIL.
std::shared_ptr<const void> share(nanobind::handle owner);

// Refuses every later PythonEntry and waits, with the GIL released, for those that are open: until
// `end`. Threads that are inside still sleep from when they need the GIL again.
void close_interpreter(std::chrono::steady_clock::time_point end);

}  // namespace warpwise::python
