// See interpreter.hpp.
#include "python/bindings/interpreter.hpp"

#include <pthread.h>
#include <unistd.h>

#include <atomic>

namespace warpwise::python {
namespace {

std::atomic<bool> is_closed = false;
std::atomic<int> open_entries = 0;

// A forked child has none of the parent's threads.
const int kForkHandler = pthread_atfork(nullptr, nullptr, [] { open_entries = 0; });

void leave() {
    --open_entries;
    open_entries.notify_all();
}

}  // namespace

PythonEntry::PythonEntry() {
    ++open_entries;  // before reading is_closed: close_interpreter() writes it first
    if (is_closed)
        leave();
    else
        gil_.emplace();
}

PythonEntry::~PythonEntry() {
    if (!gil_) return;
    gil_.reset();
    leave();
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

void close_interpreter() {
    is_closed = true;
    const GilRelease unlocked;
    for (int open = open_entries; open > 0; open = open_entries) open_entries.wait(open);
}

}  // namespace warpwise::python
