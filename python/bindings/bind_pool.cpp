// Pool: a device's stream-ordered memory pool.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <string>

#include "python/bindings/bindings.hpp"
#include "warpwise/pool.hpp"

namespace warpwise::python {

void bind_pool(nb::module_& module) {
    nb::class_<Pool>(module, "Pool", "A device's memory pool: freed blocks are kept and reused.")
        .def_prop_ro("held_bytes", &Pool::held_bytes, "Taken from the device, in use or kept.")
        .def_prop_ro("active_bytes", &Pool::active_bytes, "In use.")
        .def_prop_ro("held_blocks", &Pool::held_blocks)
        .def_prop_ro("active_blocks", &Pool::active_blocks)
        .def_prop_rw("limit", &Pool::limit, &Pool::set_limit, "limit"_a.none(),
                     nb::for_setter(nb::sig("def limit(self, limit: int | None, /) -> None")),
                     "At most this many bytes are held; None: no limit.")
        .def("free_held", &Pool::free_held, nb::call_guard<nb::gil_scoped_release>(),
             "Gives kept blocks back to the device.")
        .def("__repr__", [](const Pool& pool) {
            return "Pool(held_bytes=" + std::to_string(pool.held_bytes()) +
                   ", active_bytes=" + std::to_string(pool.active_bytes()) + ")";
        });
}

}  // namespace warpwise::python
