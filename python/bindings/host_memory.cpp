// See host_memory.hpp. The list of pending copies is swept whenever another one starts.
#include "python/bindings/host_memory.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <string>

#include "python/bindings/describe.hpp"
#include "warpwise/error.hpp"

namespace warpwise::python {
namespace {

struct PendingCopy {
    Event done;
    HostMemory memory;
};

struct Kept {
    nb::ft_mutex mutex;
    std::vector<PendingCopy> pending;
    std::map<const runtime::StreamState*, std::vector<HostMemory>> captured;
};

// Never destroyed: its objects cannot be released after the interpreter is gone.
Kept& kept() {
    static Kept& instance = *new Kept;
    return instance;
}

}  // namespace

HostMemory::HostMemory(nb::handle object, Access access, const char* role) {
    int flags = PyBUF_ANY_CONTIGUOUS | (access == Access::Write ? PyBUF_WRITABLE : 0);
    if (PyObject_GetBuffer(object.ptr(), &view_, flags) == 0) return;
    PyErr_Clear();
    Py_buffer any;
    std::string text = std::string(role) + " got " + describe(object);
    if (PyObject_GetBuffer(object.ptr(), &any, PyBUF_STRIDED_RO) != 0) {
        PyErr_Clear();
        throw ArgumentError(ArgumentError::Kind::Type,
                            text + ", which lends no memory; pass a NumPy array");
    }
    bool is_readonly = access == Access::Write && any.readonly != 0;
    PyBuffer_Release(&any);
    throw ArgumentError(
        ArgumentError::Kind::Value,
        text + (is_readonly ? ", which is read-only and cannot take results"
                            : ", which is not contiguous; pass numpy.ascontiguousarray of "
                              "it, or a contiguous array to write to"));
}

void keep_until_done(HostMemory memory, const Stream& stream) {
    std::vector<PendingCopy> done;  // released after the lock: releasing may run Python code
    nb::ft_lock_guard lock(kept().mutex);
    if (stream.is_capturing()) {
        kept().captured[stream.state().get()].push_back(std::move(memory));
        return;
    }
    auto& pending = kept().pending;
    auto first_done = std::partition(pending.begin(), pending.end(),
                                     [](const PendingCopy& copy) { return !copy.done.is_done(); });
    std::move(first_done, pending.end(), std::back_inserter(done));
    pending.erase(first_done, pending.end());
    pending.push_back({stream.record(), std::move(memory)});
}

std::vector<HostMemory> take_captured(const Stream& stream) {
    nb::ft_lock_guard lock(kept().mutex);
    auto node = kept().captured.extract(stream.state().get());
    return node.empty() ? std::vector<HostMemory>{} : std::move(node.mapped());
}

void wait_for_host_memory() {
    std::vector<PendingCopy> pending;
    {
        nb::ft_lock_guard lock(kept().mutex);
        pending = std::exchange(kept().pending, {});
    }
    nb::gil_scoped_release unlocked;
    for (const PendingCopy& copy : pending) copy.done.synchronize();
}

}  // namespace warpwise::python
