// Device, DeviceInfo, MemoryInfo, devices().
#include <nanobind/operators.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <functional>
#include <string>

#include "python/bindings/bindings.hpp"
#include "python/bindings/device/scope.hpp"
#include "python/bindings/interpreter/describe.hpp"
#include "python/bindings/interpreter/interpreter.hpp"
#include "warpwise/device.hpp"
#include "warpwise/error.hpp"
#include "warpwise/pool.hpp"
#include "warpwise/stream.hpp"

namespace warpwise::python {
namespace {

// CUDA's numbers name no device: there are GPUs and CPUs.
std::string device_name(nb::handle given) {
    if (PyUnicode_Check(given.ptr()) != 0) return text_of(given);
    std::string words = "Device() expects a str for 'name', got " + value_text(given);
    int is_beyond = 0;
    const long long number =
        PyLong_Check(given.ptr()) != 0 ? PyLong_AsLongLongAndOverflow(given.ptr(), &is_beyond) : -1;
    if (number >= 0 && is_beyond == 0)
        words += "; write \"cuda:" + std::to_string(number) + "\" for that GPU, or \"cpu\"";
    throw ArgumentError(ArgumentError::Kind::Type, words);
}

void bind_info(nb::module_& module) {
    nb::class_<DeviceInfo>(module, "DeviceInfo", "What a device is and what it can do.")
        .def_ro("name", &DeviceInfo::name, "The processor's own name.")
        .def_ro("architecture", &DeviceInfo::architecture, "What programs are compiled for.")
        .def_ro("multiprocessors", &DeviceInfo::multiprocessors)
        .def_ro("clock_khz", &DeviceInfo::clock_khz, "0 where unknown.")
        .def_ro("total_memory", &DeviceInfo::total_memory, "Bytes that can be allocated.")
        .def_ro("l2_cache_bytes", &DeviceInfo::l2_cache_bytes, "0 where unknown.")
        .def_ro("memory_clock_khz", &DeviceInfo::memory_clock_khz, "0 where unknown.")
        .def_ro("memory_bus_bits", &DeviceInfo::memory_bus_bits, "0 where unknown.")
        .def_ro("max_threads_per_multiprocessor", &DeviceInfo::max_threads_per_multiprocessor,
                "0 where unknown.")
        .def_ro("max_blocks_per_multiprocessor", &DeviceInfo::max_blocks_per_multiprocessor,
                "0 where unknown.")
        .def_ro("shared_bytes_per_multiprocessor", &DeviceInfo::shared_bytes_per_multiprocessor,
                "0 where unknown.")
        .def_ro("registers_per_multiprocessor", &DeviceInfo::registers_per_multiprocessor,
                "0 where unknown.")
        .def_prop_ro(
            "max_cluster_blocks",
            [](const DeviceInfo& info) { return info.limits.max_cluster_blocks; },
            "Blocks of a thread block cluster; 0 where there are no clusters.")
        .def_ro("executes_kernels", &DeviceInfo::executes_kernels)
        .def_ro("survives_faults", &DeviceInfo::survives_faults,
                "Whether it works after a kernel's fault; a GPU is lost to the process then.")
        .def_ro("shares_host_memory", &DeviceInfo::shares_host_memory)
        .def_prop_ro(
            "compute_capability",
            [](const DeviceInfo& info) {
                return nb::make_tuple(info.compute_capability[0], info.compute_capability[1]);
            },
            nb::sig("def compute_capability(self) -> tuple[int, int]"))
        .def_prop_ro("max_threads_per_block",
                     [](const DeviceInfo& info) { return info.limits.max_threads_per_block; })
        .def_prop_ro(
            "max_block_dim",
            [](const DeviceInfo& info) {
                auto& dim = info.limits.max_block_dim;
                return nb::make_tuple(dim[0], dim[1], dim[2]);
            },
            nb::sig("def max_block_dim(self) -> tuple[int, int, int]"))
        .def_prop_ro(
            "max_grid_dim",
            [](const DeviceInfo& info) {
                auto& dim = info.limits.max_grid_dim;
                return nb::make_tuple(dim[0], dim[1], dim[2]);
            },
            nb::sig("def max_grid_dim(self) -> tuple[int, int, int]"))
        .def_prop_ro("max_shared_bytes_per_block",
                     [](const DeviceInfo& info) { return info.limits.max_shared_bytes_per_block; })
        .def_prop_ro("warp_size", [](const DeviceInfo& info) { return info.limits.warp_size; })
        .def("__repr__", [](nb::handle_t<DeviceInfo> self) {
            return fields_text(self, {"name", "architecture", "multiprocessors", "total_memory",
                                      "compute_capability"});
        });
    nb::class_<MemoryInfo>(module, "MemoryInfo", "A device's memory, in bytes.")
        .def_ro("free", &MemoryInfo::free, "Bytes that can still be allocated.")
        .def_ro("total", &MemoryInfo::total)
        .def("__repr__",
             [](nb::handle_t<MemoryInfo> self) { return fields_text(self, {"free", "total"}); });
}

std::string representation(const Device& device) {
    return "Device('" + device.name() + "', " + device.info().name + ")";
}

}  // namespace

void bind_device(nb::module_& module) {
    bind_info(module);
    nb::class_<Device>(module, "Device",
                       "A processor that runs kernels. `with device:` makes it current for this "
                       "thread; Device() is the current one.")
        .def(nb::init<>())
        .def(
            "__init__", [](Device* self, nb::handle name) { new (self) Device(device_name(name)); },
            "name"_a, nb::sig("def __init__(self, name: str) -> None"),
            "By name: \"cpu\", \"cuda\", \"cuda:1\".")
        .def(
            "__reduce__",
            [](const Device& self) {
                return nb::make_tuple(nb::type<Device>(), nb::make_tuple(self.name()));
            },
            nb::sig("def __reduce__(self) -> tuple[typing.Any, ...]"))
        .def_prop_ro("name", &Device::name)
        .def_prop_ro("kind", &Device::kind)
        .def_prop_ro("ordinal", &Device::ordinal)
        .def_prop_ro("info", &Device::info, nb::rv_policy::reference_internal)
        .def("attribute", &Device::attribute, "name"_a,
             "By CUDA's name in lower case: \"max_shared_memory_per_block_optin\".")
        .def_prop_ro(
            "attributes",
            [](const Device& self) {
                nb::dict result;
                for (const auto& [name, value] : self.attributes()) result[name.c_str()] = value;
                return result;
            },
            nb::sig("def attributes(self) -> dict[str, int]"),
            "All attributes of the device, by CUDA's names in lower case.")
        .def("memory", &Device::memory, nb::call_guard<GilRelease>(), "Free and total memory.")
        .def_prop_ro("pool", &Device::pool, "Its memory pool.")
        .def_prop_ro("host_pool", &Device::host_pool,
                     "The pool of page-locked memory for this device.")
        .def_prop_ro("default_stream", &Device::default_stream)
        .def_prop_ro(
            "stream_priorities",
            [](const Device& device) {
                const PriorityRange range = device.stream_priorities();
                return nb::make_tuple(range.least, range.greatest);
            },
            nb::sig("def stream_priorities(self) -> tuple[int, int]"),
            "Of streams: the lowest and the highest priority, which is the lower number; (0, 0) "
            "where they are ignored.")
        .def("prepare", &Device::prepare,
             "Begins, in the background, what the first kernel needs: loading the compiler and, on "
             "a GPU, making the context, a tenth of a second each. Returns at once; a failure is "
             "reported by the call that meets it.")
        .def(
            "synchronize", &Device::synchronize, nb::call_guard<GilRelease>(),
            "Waits for all work of the device; raises the first error of its launches, once. Those "
            "of other streams are reported on stderr.")
        .def("can_access_peer", &Device::can_access_peer, "peer"_a,
             "Whether kernels of this device can be given access to memory of another.")
        .def("enable_peer_access", &Device::enable_peer_access, "peer"_a,
             nb::call_guard<GilRelease>(),
             "Lets kernels of this device use memory of `peer`, by address (ww.Pointer), and "
             "makes copies between the two direct.")
        .def("disable_peer_access", &Device::disable_peer_access, "peer"_a,
             nb::call_guard<GilRelease>(), "Waits for the device, then disables the access.")
        .def(
            "__enter__",
            [](nb::handle_t<Device> self) {
                enter_scope(self.ptr(), nb::cast<const Device&>(self));
                return nb::borrow(self);
            },
            nb::sig("def __enter__(self) -> Device"))
        .def(
            "__exit__", [](nb::handle_t<Device> self, const nb::args&) { leave_scope(self.ptr()); },
            nb::sig("def __exit__(self, *args: object) -> None"))
        .def(nb::self == nb::self, nb::sig("def __eq__(self, arg: object, /) -> bool"))
        .def("__hash__",
             [](const Device& device) { return std::hash<std::string>()(device.name()); })
        .def("__repr__", &representation);
    module.def("devices", &devices, nb::call_guard<GilRelease>(),
               "Every device of this machine, GPUs first, then the CPU.");
}

}  // namespace warpwise::python
