// See exported_memory.hpp. Views are counted by allocation: a slice, and the Buffer of a
// HostBuffer, share the count of the whole.
#include "python/bindings/memory/exported_memory.hpp"

#include <cstddef>
#include <string>
#include <unordered_map>

#include "python/bindings/interpreter/interpreter.hpp"
#include "python/bindings/interpreter/raise.hpp"
#include "python/bindings/memory/host_memory.hpp"
#include "warpwise/host_memory.hpp"

namespace warpwise::python {
namespace {

using Allocation = const runtime::BufferState*;  // only compared; a view keeps it alive

struct Views {
    nb::ft_mutex mutex;
    std::unordered_map<Allocation, std::size_t> count;  // never 0
};

// Never destroyed: views may outlive the interpreter's shutdown.
Views& views() {
    static Views& instance = *new Views;
    return instance;
}

void add(Allocation memory) {
    nb::ft_lock_guard lock(views().mutex);
    ++views().count[memory];
}

void remove(Allocation memory) {
    nb::ft_lock_guard lock(views().mutex);
    const auto found = views().count.find(memory);
    if (--found->second == 0) views().count.erase(found);
}

std::size_t count_of(Allocation memory) {
    nb::ft_lock_guard lock(views().mutex);
    const auto found = views().count.find(memory);
    return found == views().count.end() ? 0 : found->second;
}

int fill_view(PyObject* exporter, Py_buffer* view, int flags, void* data, const Buffer& buffer) {
    if (PyBuffer_FillInfo(view, exporter, data, static_cast<Py_ssize_t>(buffer.size()), 0, flags) !=
        0) {
        return -1;
    }
    if (const Allocation memory = buffer.state().get()) {
        add(memory);
        view->internal = const_cast<runtime::BufferState*>(memory);
    }
    return 0;
}

int refuse_freed(Py_buffer* view) {
    view->obj = nullptr;
    PyErr_SetString(PyExc_BufferError, "this memory was freed; allocate it again");
    return -1;
}

Allocation allocation_of(nb::handle exporter) {
    return nb::cast<const HostBuffer&>(exporter).buffer().state().get();
}

// Called with the weak reference of an array that has gone. count_view() left that reference to
// this function.
PyObject* forget_view(PyObject* exporter, PyObject* reference) noexcept {
    remove(allocation_of(exporter));
    Py_DECREF(reference);
    Py_RETURN_NONE;
}

PyMethodDef forget_definition = {"forget_view", forget_view, METH_O, nullptr};

}  // namespace

int export_host_buffer(PyObject* exporter, Py_buffer* view, int flags) noexcept {
    const auto& memory = nb::cast<const HostBuffer&>(nb::handle(exporter));
    if (memory.is_freed()) return refuse_freed(view);
    return fill_view(exporter, view, flags, memory.data(), memory.buffer());
}

int export_buffer(PyObject* exporter, Py_buffer* view, int flags) noexcept {
    view->obj = nullptr;
    try {
        const auto& buffer = nb::cast<const Buffer&>(nb::handle(exporter));
        if (buffer.is_freed()) return refuse_freed(view);
        void* data = nullptr;
        {
            GilRelease unlocked;
            data = buffer.host_data();
        }
        return fill_view(exporter, view, flags, data, buffer);
    } catch (...) {
        raise_current();
        return -1;
    }
}

void release_export(PyObject*, Py_buffer* view) noexcept {
    if (view->internal != nullptr) remove(static_cast<Allocation>(view->internal));
}

void count_view(nb::handle array, nb::handle exporter) {
    const Allocation memory = allocation_of(exporter);
    if (memory == nullptr) return;
    const nb::object forget = nb::steal(PyCFunction_New(&forget_definition, exporter.ptr()));
    if (!forget.is_valid()) throw nb::python_error();
    if (PyWeakref_NewRef(array.ptr(), forget.ptr()) == nullptr) throw nb::python_error();
    add(memory);
}

void refuse_while_viewed(const Buffer& buffer) {
    const Allocation memory = buffer.state().get();
    if (memory == nullptr || count_of(memory) == 0) return;
    forget_host_memory(buffer);
    const std::size_t count = count_of(memory);
    if (count == 0) return;
    const std::string text = "this memory is still viewed by " + std::to_string(count) +
                             (count == 1 ? " array or memoryview" : " arrays or memoryviews") +
                             "; delete them first, or let the memory go with the last of them";
    PyErr_SetString(PyExc_BufferError, text.c_str());
    throw nb::python_error();
}

}  // namespace warpwise::python
