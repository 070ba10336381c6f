// Buffer, mem_alloc, wrap_memory, copy_address.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>

#include "python/bindings/bindings.hpp"
#include "python/bindings/describe.hpp"
#include "python/bindings/foreign_array.hpp"
#include "python/bindings/host_memory.hpp"
#include "python/bindings/hot_call.hpp"
#include "python/bindings/instances.hpp"
#include "python/bindings/interpreter.hpp"
#include "python/bindings/raw_bytes.hpp"
#include "python/bindings/sizes.hpp"
#include "python/bindings/stream_argument.hpp"
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
        nb::gil_scoped_release unlocked;
        self.copy_from(memory.data(), memory.size(), start);
        return;
    }
    self.copy_from_async(memory.data(), memory.size(), *stream, start);
    keep_until_done(std::move(memory), *stream);
}

void copy_to_host_of(const Buffer& self, nb::handle host, std::size_t start, const Stream* stream) {
    HostMemory memory(host, Access::Write, "copy_to");
    if (stream == nullptr) {
        nb::gil_scoped_release unlocked;
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

PyObject* usual_free(const HotArguments& given) {
    Buffer* const self = given.count == 1 ? exactly<Buffer>(given.values[0]) : nullptr;
    if (self == nullptr || given.named() != 0) return unusual();
    self->free();
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
    nb::gil_scoped_release unlocked;  // between devices it may go through the host
    self.copy_from(source, bytes, stream, to, start);
}

// Whether an integer dtype has lost part of the value: 1.5 as uint8.
bool is_cut(nb::handle value, nb::handle element) {
    const std::string kind = text_of(element.attr("dtype").attr("kind"));
    return (kind == "i" || kind == "u" || kind == "b") && PyFloat_Check(value.ptr()) != 0 &&
           !element.equal(value);
}

nb::object element_of(nb::handle value, nb::handle dtype) {
    try {
        nb::object element = nb::module_::import_("numpy").attr("asarray")(value, dtype);
        if (is_cut(value, element)) {
            throw ArgumentError(ArgumentError::Kind::Value,
                                "fill got " + value_text(value) + ", which is no " +
                                    text_of(element.attr("dtype")) +
                                    "; say what to fill with, dtype='float32' for one");
        }
        return element;
    } catch (nb::python_error& error) {
        if (!error.matches(PyExc_Exception)) throw;
        throw ArgumentError(ArgumentError::Kind::Value,
                            "fill expects a number and a dtype that holds it, got " +
                                value_text(value) + " and " + value_text(dtype) + ": " +
                                text_of(error.value()));
    }
}

// The pattern is the value converted to `dtype`, of 1, 2, 4 or 8 bytes.
void fill(Buffer& self, nb::handle value, nb::handle dtype, std::optional<Size> count,
          const Size& offset, const StreamArgument& given) {
    HostMemory memory(element_of(value, dtype), Access::Read, "fill");
    std::uint64_t pattern = 0;
    if (memory.size() != 1 && memory.size() != 2 && memory.size() != 4 && memory.size() != 8)
        throw ArgumentError(ArgumentError::Kind::Value,
                            "fill expects one value of 1, 2, 4 or 8 bytes, got " +
                                std::to_string(memory.size()) + " bytes");
    std::memcpy(&pattern, memory.data(), memory.size());
    std::size_t start = size_of(offset, "offset");
    std::size_t room = (self.size() - std::min(self.size(), start)) / memory.size();
    self.fill(pattern, memory.size(), count ? size_of(*count, "count") : room,
              stream_or_current(given), start);
}

std::string representation(const Buffer& self) {
    if (self.is_freed()) return "Buffer(freed)";
    if (self.state() == nullptr) return "Buffer(0 bytes)";
    return "Buffer(" + std::to_string(self.size()) + " bytes, device='" + self.device().name() +
           "')";
}

void bind_functions(nb::module_& module) {
    module.def(
        "mem_alloc",
        [](const Size& nbytes, const StreamArgument& given) {
            std::size_t bytes = memory_size_of(nbytes, "nbytes");
            const Stream stream = stream_or_current(given);
            nb::gil_scoped_release unlocked;
            return mem_alloc(bytes, stream);
        },
        "nbytes"_a, "stream"_a = nb::none(), "Memory from the current device's pool.");
    module.def(
        "mem_alloc_unpooled",
        [](const Size& nbytes, const Device& device) {
            std::size_t bytes = memory_size_of(nbytes, "nbytes");
            nb::gil_scoped_release unlocked;
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
    nb::class_<Buffer> buffer(module, "Buffer",
                              "Device memory without a type. int(buffer) is its address.",
                              nb::pooled());
    buffer.def_prop_ro("size", &Buffer::size, "Bytes.")
        .def_prop_ro("nbytes", &Buffer::size, "Bytes.")
        .def_prop_ro("address", &Buffer::address)
        .def_prop_ro("device", &Buffer::device)
        .def_prop_ro("is_freed", &Buffer::is_freed)
        .def("free", &Buffer::free, "Releases the memory now, in stream order.")
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
            "open_ipc_memory(). The buffer must outlive its use there. GPUs only.")
        .def_prop_ro(kForeignArray, &description_of,
                     nb::sig("def __cuda_array_interface__(self) -> dict[str, typing.Any]"),
                     "As bytes, for CuPy, Numba and PyTorch. GPUs only.")
        .def("__int__", &Buffer::address)
        .def("__index__", &Buffer::address)
        .def("__len__", &Buffer::size)
        .def("__bool__", [](const Buffer&) { return true; })
        .def("__repr__", &representation);
    HotCall<usual_copy_from>::install(buffer.attr("copy_from"));
    HotCall<usual_copy_to>::install(buffer.attr("copy_to"));
    HotCall<usual_free>::install(buffer.attr("free"));
    bind_functions(module);
}

}  // namespace warpwise::python
