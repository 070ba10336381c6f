// See host_memory.hpp. Completed groups are released when a later one is closed.
#include "python/bindings/memory/host_memory.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "python/bindings/interpreter/describe.hpp"
#include "python/bindings/interpreter/instances.hpp"
#include "python/bindings/interpreter/interpreter.hpp"
#include "python/bindings/interpreter/numpy_types.hpp"
#include "warpwise/error.hpp"

namespace warpwise::python {
namespace {

constexpr std::size_t kGroupBytes = std::size_t{64} << 10;
constexpr std::size_t kGroupCopies = 32;
constexpr std::size_t kSpareEvents = 16;

using GraphMemory = std::shared_ptr<const void>;

// Of single copies and of launched graphs.
struct Memory {
    std::vector<HostMemory> copies;
    std::vector<GraphMemory> graphs;
    std::size_t size() const noexcept { return copies.size() + graphs.size(); }
};

// Memory that is kept until one event is done.
struct Group {
    const runtime::StreamState* stream;  // only compared; null: of an unknown stream
    Event done;
    Memory memory;
};

// Copies of one stream that no event follows yet.
struct OpenGroup {
    Stream stream;
    Memory memory;
    std::size_t bytes = 0;
};

struct Kept {
    nb::ft_mutex mutex;
    std::optional<OpenGroup> open;
    std::vector<Group> groups;  // of each stream in the order of its work
    std::vector<Event> spare;
    std::map<std::uint64_t, Memory> captured;  // by the capture
};

// Never destroyed: its objects cannot be released after the interpreter's shutdown.
Kept& kept() {
    static Kept& instance = *new Kept;
    return instance;
}

// Under the lock: records an event after a group.
void close(OpenGroup group) {
    Kept& all = kept();
    const Device device = group.stream.device();
    const auto found = std::find_if(all.spare.begin(), all.spare.end(),
                                    [&](const Event& event) { return event.device() == device; });
    const bool is_found = found != all.spare.end();
    Event end = is_found ? *found : Event(device, {.timing = false});
    if (is_found) all.spare.erase(found);
    end.record(group.stream);
    all.groups.push_back({group.stream.state().get(), std::move(end), std::move(group.memory)});
}

// Under the lock: moves memory that is no longer used to `done`. Of each stream only the first
// group that is not done is queried: later ones are not done either.
void take_done(std::vector<Memory>& done) {
    Kept& all = kept();
    std::vector<const runtime::StreamState*> busy;
    for (auto group = all.groups.begin(); group != all.groups.end();) {
        const bool is_behind = std::find(busy.begin(), busy.end(), group->stream) != busy.end();
        if (is_behind || !group->done.is_done()) {
            if (!is_behind && group->stream != nullptr) busy.push_back(group->stream);
            ++group;
            continue;
        }
        done.push_back(std::move(group->memory));
        if (all.spare.size() < kSpareEvents) all.spare.push_back(std::move(group->done));
        group = all.groups.erase(group);
    }
}

// Under the lock: `add` adds to the open group of `stream`.
template <class Add>
void keep_in_group(const Stream& stream, std::vector<Memory>& done, Add&& add) {
    auto& open = kept().open;
    std::optional<OpenGroup> other;
    if (open && !(open->stream == stream)) other = std::exchange(open, std::nullopt);
    if (!open) open.emplace(OpenGroup{stream, {}, 0});
    add(*open);
    // It is kept now, so the rest may throw.
    if (other) close(std::move(*other));
    if (open->bytes < kGroupBytes && open->memory.size() < kGroupCopies) return;
    close(*std::exchange(open, std::nullopt));
    take_done(done);
}

// Bytes copied over references to Python objects would crash the interpreter.
// The last dtype without any is remembered: a program copies few kinds of array, and dtypes of
// numbers are one object each. Only the address is compared, of an object that is alive.
bool has_references(nb::handle array) {
    static PyObject* const dtype = PyUnicode_InternFromString("dtype");
    static PyObject* const hasobject = PyUnicode_InternFromString("hasobject");
    static std::atomic<PyObject*> last_plain{nullptr};  // owned
    nb::object own = nb::getattr(array, dtype);
    if (own.ptr() == last_plain.load(std::memory_order_acquire)) return false;
    if (nb::cast<bool>(nb::getattr(own, hasobject))) return true;
    const nb::object before =
        nb::steal(last_plain.exchange(own.release().ptr(), std::memory_order_acq_rel));
    return false;
}

// The same of a format as in the struct module, where names stand between colons: "T{O:first:}".
bool has_references(const char* format) {
    bool is_name = false;
    for (; format != nullptr && *format != '\0'; ++format) {
        if (*format == ':') is_name = !is_name;
        if (*format == 'O' && !is_name) return true;
    }
    return false;
}

// A Buffer exports its bytes where the host reaches them, but what is meant is a host array.
void refuse_device_memory(nb::handle object, const char* role) {
    if (PyType_IsSubtype(Py_TYPE(object.ptr()), type_of<Buffer>()) == 0) return;
    throw ArgumentError(ArgumentError::Kind::Type,
                        std::string(role) + " got " + describe(object) +
                            ", which is device memory; pass a NumPy array of the host, or the "
                            "buffer itself where a kernel takes it");
}

}  // namespace

HostMemory::HostMemory(nb::handle object, Access access, const char* role) {
    // The format of a NumPy array is slow to build, and not needed: it has a dtype.
    const bool is_array = numpy_types().is_array(object);
    if (!is_array) refuse_device_memory(object, role);
    const int flags = PyBUF_ANY_CONTIGUOUS | (is_array ? 0 : PyBUF_FORMAT) |
                      (access == Access::Write ? PyBUF_WRITABLE : 0);
    if (PyObject_GetBuffer(object.ptr(), &view_, flags) == 0) {
        if (is_array ? !has_references(object) : !has_references(view_.format)) return;
        PyBuffer_Release(&view_);
        throw ArgumentError(ArgumentError::Kind::Type,
                            std::string(role) + " got " + describe(object) +
                                ", whose elements hold Python objects; pass an array of a plain "
                                "dtype, array.astype(numpy.float32) for one");
    }
    PyErr_Clear();
    Py_buffer any;
    std::string text = std::string(role) + " got " + value_text(object);
    if (PyObject_GetBuffer(object.ptr(), &any, PyBUF_STRIDED_RO) != 0) {
        PyErr_Clear();
        throw ArgumentError(ArgumentError::Kind::Type,
                            text + ", which does not export memory; pass a NumPy array");
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
    std::vector<Memory> done;  // released after the lock: releasing may run Python code
    nb::ft_lock_guard lock(kept().mutex);
    if (stream.is_capturing()) {
        kept().captured[stream.capture_id()].copies.push_back(std::move(memory));
        return;
    }
    keep_in_group(stream, done, [&memory](OpenGroup& group) {
        // A loop copies the same memory repeatedly.
        auto& copies = group.memory.copies;
        if (!copies.empty() && copies.back().is_same(memory)) return;
        group.bytes += memory.size();
        copies.push_back(std::move(memory));
    });
}

void keep_until_done(std::shared_ptr<const void> memory, const Stream& stream) {
    std::vector<Memory> done;
    nb::ft_lock_guard lock(kept().mutex);
    if (stream.is_capturing()) {
        kept().captured[stream.capture_id()].graphs.push_back(std::move(memory));
        return;
    }
    keep_in_group(stream, done, [&memory](OpenGroup& group) {
        auto& graphs = group.memory.graphs;
        if (graphs.empty() || graphs.back() != memory) graphs.push_back(std::move(memory));
    });
}

void keep_until_done(HostMemory memory, Event done) {
    nb::ft_lock_guard lock(kept().mutex);
    Memory list;
    list.copies.push_back(std::move(memory));
    kept().groups.push_back({nullptr, std::move(done), std::move(list)});
}

void close_kept_group() {
    nb::ft_lock_guard lock(kept().mutex);
    if (kept().open) close(*std::exchange(kept().open, std::nullopt));
}

std::shared_ptr<const void> take_captured(const Stream& stream) {
    nb::ft_lock_guard lock(kept().mutex);
    auto node = kept().captured.extract(stream.capture_id());
    if (node.empty()) return nullptr;
    return std::make_shared<Memory>(std::move(node.mapped()));
}

void forget_host_memory(const Buffer& memory) {
    const auto* const begin =
        reinterpret_cast<const std::byte*>(static_cast<std::uintptr_t>(memory.address()));
    std::vector<HostMemory> forgotten;  // released after the lock
    const auto forget = [&](std::vector<HostMemory>& copies) {
        const auto rest = std::stable_partition(
            copies.begin(), copies.end(),
            [&](const HostMemory& copy) { return !copy.is_within(begin, memory.size()); });
        std::move(rest, copies.end(), std::back_inserter(forgotten));
        copies.erase(rest, copies.end());
    };
    nb::ft_lock_guard lock(kept().mutex);
    if (kept().open) forget(kept().open->memory.copies);
    for (Group& group : kept().groups) forget(group.memory.copies);
}

void release_host_memory() {
    close_kept_group();
    std::vector<Memory> done;
    nb::ft_lock_guard lock(kept().mutex);
    take_done(done);
}

}  // namespace warpwise::python
