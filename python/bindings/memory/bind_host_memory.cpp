// HostBuffer, RegisteredMemory, managed memory, mapped_buffer, find_memory, mem_alloc_pitch.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "python/bindings/bindings.hpp"
#include "python/bindings/interpreter/describe.hpp"
#include "python/bindings/interpreter/interpreter.hpp"
#include "python/bindings/interpreter/sizes.hpp"
#include "python/bindings/memory/exported_memory.hpp"
#include "python/bindings/memory/host_memory.hpp"
#include "warpwise/error.hpp"
#include "warpwise/host_memory.hpp"

namespace warpwise::python {
namespace {

// Keeps the memory exported while the device may access it; may be released on any thread.
std::shared_ptr<const void> keep(HostMemory memory) {
    const auto release = [](const HostMemory* kept) {
        if (PythonEntry python; python) delete kept;
    };
    return {new HostMemory(std::move(memory)), release};
}

std::string representation(const HostBuffer& self) {
    if (self.is_freed()) return "HostBuffer(freed)";
    return "HostBuffer(" + std::to_string(self.size()) + " bytes" +
           (self.is_managed() ? ", managed)" : ")");
}

void bind_host_buffer(nb::module_& module) {
    static PyType_Slot slots[] = {
        {Py_bf_getbuffer, reinterpret_cast<void*>(export_host_buffer)},
        {Py_bf_releasebuffer, reinterpret_cast<void*>(release_export)},
        {0, nullptr},
    };
    nb::class_<HostBuffer>(module, "HostBuffer", nb::type_slots(slots),
                           "Host memory that kernels can access: page-locked, so that devices copy "
                           "it at full speed, or managed. Exports its bytes through the buffer "
                           "protocol; as a kernel's argument it is a pointer.")
        .def(
            "__init__",
            [](HostBuffer* self, const Size& nbytes, bool write_combined, bool pooled,
               bool managed) {
                std::size_t bytes = memory_size_of(nbytes, "nbytes");
                GilRelease unlocked;
                new (self) HostBuffer(
                    bytes,
                    {.write_combined = write_combined, .pooled = pooled, .managed = managed});
            },
            "nbytes"_a, nb::kw_only(), "write_combined"_a = false, "pooled"_a = false,
            "managed"_a = false)
        .def_prop_ro("nbytes", &HostBuffer::size)
        .def_prop_ro("buffer", &HostBuffer::buffer, "The same memory as a Buffer.")
        .def_prop_ro("is_managed", &HostBuffer::is_managed)
        .def_prop_ro("is_freed", &HostBuffer::is_freed)
        .def(
            "free",
            [](HostBuffer& self) {
                refuse_while_viewed(self.buffer());
                self.free();
            },
            "Releases the memory now, in stream order. Raises BufferError while an array or "
            "memoryview of it exists.")
        .def("__len__", &HostBuffer::size)
        .def("__repr__", &representation);
}

void bind_registered(nb::module_& module) {
    nb::class_<RegisteredMemory>(
        module, "RegisteredMemory",
        "Memory allocated by the program, page-locked while this object lives. "
        "As a kernel's argument it is a pointer.")
        .def_prop_ro("nbytes", &RegisteredMemory::size)
        .def_prop_ro("buffer", &RegisteredMemory::buffer, "The same memory as a Buffer.")
        .def_prop_ro("is_registered", &RegisteredMemory::is_registered)
        .def(
            "unregister",
            [](RegisteredMemory& self) {
                refuse_while_viewed(self.buffer());
                self.unregister();
            },
            "Unregisters it after the work queued on it; does not wait.")
        .def("__len__", &RegisteredMemory::size)
        .def("__repr__", [](const RegisteredMemory& self) {
            return "RegisteredMemory(" + (self.is_registered()
                                              ? std::to_string(self.size()) + " bytes)"
                                              : std::string("unregistered)"));
        });
    module.def(
        "register_host_memory",
        [](nb::handle array, bool read_only) {
            auto access = read_only ? HostMemory::Access::Read : HostMemory::Access::Write;
            HostMemory memory(array, access, "register_host_memory");
            void* data = memory.data();
            std::size_t bytes = memory.size();
            auto owner = keep(std::move(memory));
            GilRelease unlocked;
            return RegisteredMemory(data, bytes, {.read_only = read_only}, std::move(owner));
        },
        "array"_a, "read_only"_a = false,
        "Page-locks the memory of a contiguous array and maps it for kernels, until unregister() "
        "or "
        "the destruction of the result, and until the work queued on it has ended.");
}

constexpr const char* kAdvices[] = {"set_read_mostly",        "unset_read_mostly",
                                    "set_preferred_location", "unset_preferred_location",
                                    "set_accessed_by",        "unset_accessed_by"};
constexpr const char* kAccesses[] = {"global", "host", "single"};

// The index of `word` in a list. Throws ArgumentError with the valid words.
template <std::size_t Count>
unsigned place_of(nb::handle word, const char* const (&words)[Count], const char* what) {
    std::string list;
    for (std::size_t i = 0; i < Count; ++i) {
        if (PyUnicode_Check(word.ptr()) != 0 && text_of(word) == words[i])
            return static_cast<unsigned>(i);
        list += (list.empty() ? "'" : ", '") + std::string(words[i]) + "'";
    }
    throw ArgumentError(ArgumentError::Kind::Value,
                        std::string(what) + " is one of " + list + ", not " + value_text(word));
}

void bind_managed(nb::module_& module) {
    module.def(
        "managed_alloc",
        [](const Size& nbytes) {
            std::size_t bytes = memory_size_of(nbytes, "nbytes");
            GilRelease unlocked;
            return managed_alloc(bytes);
        },
        "nbytes"_a, "Memory that migrates between host and device.");
    module.def(
        "advise",
        [](const HostBuffer& memory, nb::handle advice, const std::optional<Device>& location) {
            const unsigned place = place_of(advice, kAdvices, "an advice");
            advise(memory.buffer(), static_cast<MemoryAdvice>(place + 1), location);
        },
        "memory"_a, "advice"_a, "location"_a = nb::none(),
        nb::sig("def advise(memory: HostBuffer, advice: str, location: Device | None = None) "
                "-> None"),
        "Advises how managed memory will be used: 'set_read_mostly', 'set_preferred_location', "
        "'set_accessed_by' or one of these with 'unset_'. `location`: a device; None: the host.");
    module.def(
        "prefetch",
        [](const HostBuffer& memory, const std::optional<Device>& location, const Stream* stream) {
            prefetch(memory.buffer(), location, stream != nullptr ? *stream : Stream::current());
        },
        "memory"_a, "location"_a = nb::none(), "stream"_a = nb::none(),
        "Moves managed memory to a device, or (None) to the host, in stream order.");
    module.def(
        "attach",
        [](const HostBuffer& memory, nb::handle access, const Stream* stream) {
            const unsigned place = place_of(access, kAccesses, "an access");
            attach(memory.buffer(), static_cast<ManagedAccess>(1U << place),
                   stream != nullptr ? *stream : Stream::current());
        },
        "memory"_a, "access"_a, "stream"_a = nb::none(),
        nb::sig("def attach(memory: HostBuffer, access: str, stream: Stream | None = None) "
                "-> None"),
        "Sets who may use managed memory from this point of a stream's work: 'global', 'host' or "
        "'single' (that stream alone).");
}

}  // namespace

void bind_host_memory(nb::module_& module) {
    bind_host_buffer(module);
    bind_registered(module);
    bind_managed(module);
    module.def("count_view", &count_view, "array"_a, "memory"_a,
               nb::sig("def count_view(array: object, memory: HostBuffer) -> None"),
               "Counts an array over `memory` as a view of it, for the array's life.");
    module.def(
        "mapped_buffer",
        [](nb::handle array) {
            HostMemory memory(array, HostMemory::Access::Read, "mapped_buffer");
            return mapped_buffer(memory.data(), memory.size());
        },
        "array"_a,
        "The page-locked, registered or managed memory of a contiguous array, or of a part of "
        "one, as a Buffer that kernels accept.");
    module.def(
        "find_memory",
        [](std::uint64_t address, const Device* device) {
            return find_memory(address, device != nullptr ? *device : Device());
        },
        "address"_a, "device"_a = nb::none(),
        nb::sig("def find_memory(address: int, device: Device | None = None) -> Buffer | None"),
        "The allocation in use that an address of a device lies in, whole; None for other memory.");
    module.def(
        "is_freed_memory",
        [](std::uint64_t address, const Device* device) {
            return is_freed_memory(address, device != nullptr ? *device : Device());
        },
        "address"_a, "device"_a = nb::none(),
        nb::sig("def is_freed_memory(address: int, device: Device | None = None) -> bool"),
        "Whether an address of a device lies in memory that was freed and that its pool keeps for "
        "other allocations.");
    module.def(
        "mem_alloc_pitch",
        [](const Size& width_bytes, const Size& height, const Size& access_bytes) {
            std::size_t width = memory_size_of(width_bytes, "width_bytes");
            std::size_t rows = memory_size_of(height, "height");
            std::size_t access = size_of(access_bytes, "access_bytes");
            GilRelease unlocked;
            PitchedBuffer made = mem_alloc_pitch(width, rows, access);
            return std::pair(std::move(made.buffer), made.pitch);
        },
        "width_bytes"_a, "height"_a, "access_bytes"_a = 4,
        "Device memory for rows that begin at multiples of the pitch: (buffer, pitch in bytes).");
}

}  // namespace warpwise::python
