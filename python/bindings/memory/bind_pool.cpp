// Pool: a device's stream-ordered memory pool.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <string>
#include <string_view>

#include "python/bindings/bindings.hpp"
#include "python/bindings/interpreter/interpreter.hpp"
#include "warpwise/error.hpp"
#include "warpwise/pool.hpp"

namespace warpwise::python {

namespace {

void bind_statistics(nb::module_& module) {
    nb::class_<PoolStatistics>(module, "PoolStatistics", "A snapshot of a pool's statistics.")
        .def_ro("held_bytes", &PoolStatistics::held_bytes,
                "Allocated from the device, in use or cached.")
        .def_ro("active_bytes", &PoolStatistics::active_bytes,
                "In use, each allocation rounded up to its block.")
        .def_ro("peak_bytes", &PoolStatistics::peak_bytes,
                "The most that was in use since the start or reset_peak().")
        .def_ro("held_blocks", &PoolStatistics::held_blocks, "Pieces, in use or cached.")
        .def_ro("active_blocks", &PoolStatistics::active_blocks, "Pieces in use.")
        .def_ro("segments", &PoolStatistics::segments,
                "Allocations of the device that contain the pieces; in reserved addresses every "
                "chunk is one.")
        .def_ro("largest_free_bytes", &PoolStatistics::largest_free_bytes,
                "The largest cached piece.")
        .def("__repr__", [](const PoolStatistics& now) {
            return "PoolStatistics(held_bytes=" + std::to_string(now.held_bytes) +
                   ", active_bytes=" + std::to_string(now.active_bytes) +
                   ", peak_bytes=" + std::to_string(now.peak_bytes) +
                   ", held_blocks=" + std::to_string(now.held_blocks) +
                   ", active_blocks=" + std::to_string(now.active_blocks) +
                   ", segments=" + std::to_string(now.segments) +
                   ", largest_free_bytes=" + std::to_string(now.largest_free_bytes) + ")";
        });
}

constexpr std::string_view kSegments = "segments", kReserved = "reserved";

std::string_view growth(const Pool& pool) {
    return pool.growth() == PoolGrowth::Reserved ? kReserved : kSegments;
}

void set_growth(Pool& pool, std::string_view word) {
    if (word != kSegments && word != kReserved) {
        throw ArgumentError(
            ArgumentError::Kind::Value,
            "growth expects 'segments' or 'reserved', got '" + std::string(word) + "'");
    }
    const GilRelease unlocked;
    pool.set_growth(word == kReserved ? PoolGrowth::Reserved : PoolGrowth::Segments);
}

}  // namespace

void bind_pool(nb::module_& module) {
    bind_statistics(module);
    nb::class_<Pool>(module, "Pool", "A device's memory pool: freed blocks are cached and reused.")
        .def_prop_ro("held_bytes", &Pool::held_bytes,
                     "Allocated from the device, in use or cached.")
        .def_prop_ro("active_bytes", &Pool::active_bytes, "In use.")
        .def_prop_ro("held_blocks", &Pool::held_blocks)
        .def_prop_ro("active_blocks", &Pool::active_blocks)
        .def_prop_rw("limit", &Pool::limit, &Pool::set_limit, "limit"_a.none(),
                     nb::for_setter(nb::sig("def limit(self, limit: int | None, /) -> None")),
                     "At most this many bytes are held; None: no limit.")
        .def_prop_rw(
            "growth", &growth, &set_growth,
            nb::for_getter(nb::sig("def growth(self) -> typing.Literal['segments', 'reserved']")),
            nb::for_setter(nb::sig(
                "def growth(self, growth: typing.Literal['segments', 'reserved'], /) -> None")),
            "How it grows from now on: 'segments', by the driver's allocations; or 'reserved', in "
            "reserved addresses with memory mapped in chunks, so that free memory serves a request "
            "of any size, but on GPUs cannot be shared by ipc_handle(). The default is "
            "WARPWISE_POOL.")
        .def("statistics", &Pool::statistics, "A snapshot of all statistics.")
        .def("reset_peak", &Pool::reset_peak, "statistics().peak_bytes counts from now on.")
        .def("report", &Pool::report,
             "A readable report: live allocations by size, largest first, and what is "
             "kept.")
        .def("free_held", &Pool::free_held, nb::call_guard<GilRelease>(),
             "Returns cached blocks to the device.")
        .def("__repr__", [](const Pool& pool) {
            return "Pool(held_bytes=" + std::to_string(pool.held_bytes()) +
                   ", active_bytes=" + std::to_string(pool.active_bytes()) + ")";
        });
}

}  // namespace warpwise::python
