// Buffer, mem_alloc, wrap_memory, copy_address.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "python/bindings/bindings.hpp"
#include "python/bindings/interpreter/describe.hpp"
#include "python/bindings/interpreter/hot_call.hpp"
#include "python/bindings/interpreter/instances.hpp"
#include "python/bindings/interpreter/interpreter.hpp"
#include "python/bindings/interpreter/raw_bytes.hpp"
#include "python/bindings/interpreter/sizes.hpp"
#include "python/bindings/interpreter/stream_argument.hpp"
#include "python/bindings/memory/exported_memory.hpp"
#include "python/bindings/memory/fill_pattern.hpp"
#include "python/bindings/memory/foreign_array.hpp"
#include "python/bindings/memory/host_memory.hpp"
#include "warpwise/buffer.hpp"
#include "warpwise/error.hpp"
#include "warpwise/pool.hpp"

namespace warpwise::python {
namespace {

using Access = HostMemory::Access;

// Without a stream it blocks.
void copy_host_to(Buffer& self, nb::handle host, std::size_t start, const Stream* stream) {
    HostMemory memory(host, Access::Read, "copy_from");
    if (stream == nullptr) {
        GilRelease unlocked;
        self.copy_from(memory.data(), memory.size(), start);
        return;
    }
    self.copy_from_async(memory.data(), memory.size(), *stream, start);
    keep_until_done(std::move(memory), *stream);
}

void copy_to_host_of(const Buffer& self, nb::handle host, std::size_t start, const Stream* stream) {
    HostMemory memory(host, Access::Write, "copy_to");
    if (stream == nullptr) {
        GilRelease unlocked;
        self.copy_to(memory.data(), memory.size(), start);
        return;
    }
    self.copy_to_async(memory.data(), memory.size(), *stream, start);
    keep_until_done(std::move(memory), *stream);
}

void copy_from_host(Buffer& self, nb::handle host, const Size& offset,
                    const StreamArgument& given) {
    const std::optional<Stream> stream = stream_of(given);
    copy_host_to(self, host, size_of(offset, "offset"), stream ? &*stream : nullptr);
}

void copy_to_host(const Buffer& self, nb::handle host, const Size& offset,
                  const StreamArgument& given) {
    const std::optional<Stream> stream = stream_of(given);
    copy_to_host_of(self, host, size_of(offset, "offset"), stream ? &*stream : nullptr);
}

// Of whole host arrays: copy(host) and copy(host, stream=...).
struct UsualCopy {
    explicit UsualCopy(const HotArguments& given) {
        if (given.count != 2 || !usual_stream(given, 2, stream)) return;
        const nb::handle host = given.values[1];
        const bool is_host = PyObject_CheckBuffer(host.ptr()) != 0 &&
                             PyType_IsSubtype(Py_TYPE(host.ptr()), type_of<Buffer>()) == 0;
        if (is_host) self = exactly<Buffer>(given.values[0]);
    }
    Buffer* self = nullptr;  // null: not the usual form
    const Stream* stream = nullptr;
};

PyObject* usual_copy_from(const HotArguments& given) {
    const UsualCopy copy(given);
    if (copy.self == nullptr) return unusual();
    copy_host_to(*copy.self, given.values[1], 0, copy.stream);
    return new_none();
}

PyObject* usual_copy_to(const HotArguments& given) {
    const UsualCopy copy(given);
    if (copy.self == nullptr) return unusual();
    copy_to_host_of(*copy.self, given.values[1], 0, copy.stream);
    return new_none();
}

void free_unviewed(Buffer& self) {
    refuse_while_viewed(self);
    self.free();
}

PyObject* usual_free(const HotArguments& given) {
    Buffer* const self = given.count == 1 ? exactly<Buffer>(given.values[0]) : nullptr;
    if (self == nullptr || given.named() != 0) return unusual();
    free_unviewed(*self);
    return new_none();
}

// Memory that the pool has cached needs no wait, and so no release of the GIL.
PyObject* usual_mem_alloc(const HotArguments& given) {
    const Stream* stream = nullptr;
    if (given.count == 0 || !PyLong_CheckExact(given.values[0]) || !usual_stream(given, 1, stream))
        return unusual();
    int overflow = 0;
    const long long bytes = PyLong_AsLongLongAndOverflow(given.values[0], &overflow);
    if (bytes <= 0 || overflow != 0) return unusual();
    const auto size = static_cast<std::size_t>(bytes);
    Buffer kept = stream != nullptr ? mem_alloc_kept(size, *stream) : mem_alloc_kept(size);
    if (!kept.state()) return unusual();
    return make_instance(std::move(kept)).release().ptr();
}

void copy_from_buffer(Buffer& self, const Buffer& source, std::optional<Size> nbytes,
                      const Size& offset, const Size& source_offset, const StreamArgument& given) {
    std::size_t start = size_of(source_offset, "source_offset");
    std::size_t rest = source.size() - std::min(source.size(), start);
    std::size_t bytes = nbytes ? size_of(*nbytes, "nbytes") : rest;
    std::size_t to = size_of(offset, "offset");
    const Stream stream = stream_or_current(given);
    GilRelease unlocked;  // between devices it may go through the host
    self.copy_from(source, bytes, stream, to, start);
}

void fill(Buffer& self, nb::handle value, nb::handle dtype, std::optional<Size> count,
          const Size& offset, const StreamArgument& given) {
    const FillPattern pattern = fill_pattern(value, dtype);
    std::size_t start = size_of(offset, "offset");
    std::size_t available = (self.size() - std::min(self.size(), start)) / pattern.bytes;
    self.fill(pattern.value, pattern.bytes, count ? size_of(*count, "count") : available,
              stream_or_current(given), start);
}

std::string representation(const Buffer& self) {
    if (self.is_freed()) return "Buffer(freed)";
    if (self.state() == nullptr) return "Buffer(0 bytes)";
    return "Buffer(" + std::to_string(self.size()) + " bytes, device='" + self.device().name() +
           "')";
}

Buffer part_of(const Buffer& self, nb::handle key) {
    if (PySlice_Check(key.ptr()) == 0)
        throw ArgumentError(ArgumentError::Kind::Type,
                            "a Buffer has no elements, only bytes, taken as buffer[start:stop]; "
                            "got [" +
                                value_text(key) + "]");
    const auto [start, stop, step, length] = nb::borrow<nb::slice>(key).compute(self.size());
    if (step != 1)
        throw ArgumentError(ArgumentError::Kind::Value,
                            "the bytes of a part of a Buffer follow each other; got a slice with "
                            "step " +
                                std::to_string(step));
    return self.slice(static_cast<std::size_t>(start), length);
}

// NumPy asks the buffer protocol first, whose error it drops.
nb::object refuse_array(nb::handle_t<Buffer> self, nb::handle, nb::handle) {
    nb::object view = nb::steal(PyMemoryView_FromObject(self.ptr()));
    if (!view.is_valid()) throw nb::python_error();
    return nb::module_::import_("numpy").attr("asarray")(view);
}

Buffer to_device_of(nb::handle array, const StreamArgument& given) {
    HostMemory memory(array, Access::Read, "to_device");
    const std::optional<Stream> stream = stream_of(given);
    if (!stream) {
        GilRelease unlocked;
        return to_device(memory.data(), memory.size());
    }
    Buffer buffer = mem_alloc(memory.size(), *stream);
    buffer.copy_from_async(memory.data(), memory.size(), *stream);
    keep_until_done(std::move(memory), *stream);
    return buffer;
}

void bind_functions(nb::module_& module) {
    module.def(
        "mem_alloc",
        [](const Size& nbytes, const StreamArgument& given) {
            std::size_t bytes = memory_size_of(nbytes, "nbytes");
            const Stream stream = stream_or_current(given);
            GilRelease unlocked;
            return mem_alloc(bytes, stream);
        },
        "nbytes"_a, "stream"_a = nb::none(), "Memory from the current device's pool.");
    module.def("to_device", &to_device_of, "array"_a, "stream"_a = nb::none(),
               "A new Buffer of the current device with a copy of a contiguous host array. Blocks, "
               "unless a stream is given.");
    module.def(
        "mem_alloc_unpooled",
        [](const Size& nbytes, const Device& device) {
            std::size_t bytes = memory_size_of(nbytes, "nbytes");
            GilRelease unlocked;
            return mem_alloc_unpooled(bytes, device);
        },
        "nbytes"_a, "device"_a, "Memory directly from a device, bypassing its pool.");
    module.def(
        "wrap_memory",
        [](std::uint64_t address, const Size& nbytes, const Device* device, nb::handle owner) {
            return wrap_memory(address, size_of(nbytes, "nbytes"),
                               device != nullptr ? *device : Device(), share(owner));
        },
        "address"_a, "nbytes"_a, "device"_a = nb::none(), "owner"_a = nb::none(),
        nb::sig("def wrap_memory(address: int, nbytes: int, device: Device | None = None, "
                "owner: object = None) -> Buffer"),
        "A Buffer over device memory that `owner` owns; it keeps `owner` alive.");
    module.def(
        "open_ipc_memory",
        [](const nb::bytes& handle) { return open_ipc_memory(bytes_of(handle)); }, "handle"_a,
        "Memory of another process, by its Buffer.ipc_handle().");
    module.def(
        "copy_address",
        [](std::uint64_t destination, std::uint64_t source, const Size& nbytes,
           const StreamArgument& given) {
            copy_address(destination, source, size_of(nbytes, "nbytes"), stream_or_current(given));
        },
        "destination"_a, "source"_a, "nbytes"_a, "stream"_a = nb::none(),
        "Copies between raw device addresses, in stream order.");
    HotCall<usual_mem_alloc>::install(module.attr("mem_alloc"));
}

}  // namespace

void bind_buffer(nb::module_& module) {
    static PyType_Slot slots[] = {
        {Py_bf_getbuffer, reinterpret_cast<void*>(export_buffer)},
        {Py_bf_releasebuffer, reinterpret_cast<void*>(release_export)},
        {0, nullptr},
    };
    nb::class_<Buffer> buffer(
        module, "Buffer", nb::type_slots(slots),
        "Device memory without a type. int(buffer) is its address; buffer[a:b] are its bytes from "
        "a to b, in the same memory. Where the host reaches it, as on the CPU device, it exports "
        "its bytes: numpy.frombuffer(buffer, dtype) is an array over them.",
        nb::pooled());
    buffer.def_prop_ro("size", &Buffer::size, "Bytes.")
        .def_prop_ro("nbytes", &Buffer::size, "Bytes.")
        .def_prop_ro("address", &Buffer::address)
        .def_prop_ro("device", &Buffer::device)
        .def_prop_ro("is_freed", &Buffer::is_freed)
        .def("free", &free_unviewed,
             "Releases the memory now, in stream order. Raises BufferError while an array or "
             "memoryview of it exists.")
        .def("copy_from", &copy_from_buffer, "source"_a, "nbytes"_a = nb::none(), "offset"_a = 0,
             "source_offset"_a = 0, "stream"_a = nb::none(),
             "Copies from another buffer, in stream order.")
        .def("copy_from", &copy_from_host, "host"_a, "offset"_a = 0, "stream"_a = nb::none(),
             "Copies a contiguous host array here. Blocks, unless a stream is given.")
        .def("copy_to", &copy_to_host, "host"_a, "offset"_a = 0, "stream"_a = nb::none(),
             "Copies from here into a contiguous host array. Blocks, unless a stream is given.")
        .def("fill", &fill, "value"_a, "dtype"_a = "uint8", "count"_a = nb::none(), "offset"_a = 0,
             "stream"_a = nb::none(),
             "Writes `count` values of a 1-, 2-, 4- or 8-byte dtype from byte `offset` on "
             "(default: to the end).")
        .def(
            "slice",
            [](const Buffer& self, const Size& offset, const Size& nbytes) {
                return self.slice(size_of(offset, "offset"), size_of(nbytes, "nbytes"));
            },
            "offset"_a, "nbytes"_a, "A part of this buffer that shares its memory.")
        .def(
            "ipc_handle", [](const Buffer& self) { return to_python(self.ipc_handle()); },
            "Bytes that identify this memory in another process of the machine: see "
            "open_ipc_memory(). The buffer must outlive its use there.")
        .def_prop_ro(kForeignArray, &description_of,
                     nb::sig("def __cuda_array_interface__(self) -> dict[str, typing.Any]"),
                     "As bytes, for CuPy, Numba and PyTorch. GPUs only.")
        .def("__int__", &Buffer::address)
        .def("__index__", &Buffer::address)
        .def("__len__", &Buffer::size)
        .def("__getitem__", &part_of, "bytes"_a,
             nb::sig("def __getitem__(self, bytes: slice) -> Buffer"),
             "The bytes from `start` to `stop`, as a Buffer that shares the memory.")
        .def("__array__", &refuse_array, "dtype"_a = nb::none(), nb::kw_only(),
             "copy"_a = nb::none(),
             nb::sig("def __array__(self, dtype: typing.Any = None, *, copy: bool | None = None) "
                     "-> typing.Any"),
             "For memory that the host does not reach, which NumPy cannot view: raises.")
        .def("__bool__", [](const Buffer&) { return true; })
        .def("__repr__", &representation);
    HotCall<usual_copy_from>::install(buffer.attr("copy_from"));
    HotCall<usual_copy_to>::install(buffer.attr("copy_to"));
    HotCall<usual_free>::install(buffer.attr("free"));
    bind_functions(module);
}

}  // namespace warpwise::python
