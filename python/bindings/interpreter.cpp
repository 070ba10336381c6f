// See interpreter.hpp.
#include "python/bindings/interpreter.hpp"

#include <pthread.h>

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
    nanobind::gil_scoped_release unlocked;
    for (int open = open_entries; open > 0; open = open_entries) open_entries.wait(open);
}

}  // namespace warpwise::python
