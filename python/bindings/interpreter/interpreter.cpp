// See interpreter.hpp.
#include "python/bindings/interpreter/interpreter.hpp"

#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace warpwise::python {
namespace {

std::atomic<bool> is_closed = false;
std::atomic<int> open_entries = 0;

// A forked child has none of the parent's threads.
const int kForkHandler = pthread_atfork(nullptr, nullptr, [] { open_entries = 0; });

}  // namespace

PythonEntry::PythonEntry() {
    ++open_entries;  // before reading is_closed: close_interpreter() writes it first
    if (is_closed)
        --open_entries;
    else
        gil_.emplace();
}

PythonEntry::~PythonEntry() {
    if (!gil_) return;
    gil_.reset();
    --open_entries;
}

void sleep_for_ever() noexcept {
    for (;;) pause();
}

std::shared_ptr<const void> share(nanobind::handle owner) {
    if (owner.is_none()) return nullptr;
    auto release = [](const void* object) {
        if (PythonEntry python; python)
            Py_DECREF(static_cast<PyObject*>(const_cast<void*>(object)));
    };
    return {static_cast<const void*>(nanobind::borrow(owner).release().ptr()), release};
}

void close_interpreter(std::chrono::steady_clock::time_point end) {
    constexpr std::chrono::milliseconds kPause(1);
    is_closed = true;
    const GilRelease unlocked;
    while (open_entries > 0) {
        if (std::chrono::steady_clock::now() >= end) return;
        std::this_thread::sleep_for(kPause);
    }
}

}  // namespace warpwise::python
