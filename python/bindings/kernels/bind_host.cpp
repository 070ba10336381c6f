// In, Out, InOut and Pointer.
#include <nanobind/stl/string.h>

#include <string>

#include "python/bindings/bindings.hpp"
#include "python/bindings/interpreter/describe.hpp"
#include "python/bindings/interpreter/numpy_types.hpp"
#include "python/bindings/kernels/host_argument.hpp"
#include "warpwise/error.hpp"

namespace warpwise::python {
namespace {

// Objects that export typed memory (array.array, memoryview) are viewed through NumPy, without a
// copy.
nb::object as_array(nb::object object, bool copies_out, const char* role) {
    const bool is_device_memory = nb::isinstance<Buffer>(object);  // which HostMemory refuses
    if (numpy_types().is_array(object) || is_device_memory ||
        PyObject_CheckBuffer(object.ptr()) == 0)
        return object;
    if (copies_out && numpy_types().is_scalar(object)) {
        throw ArgumentError(ArgumentError::Kind::Type,
                            std::string(role) + " got " + value_text(object) +
                                ", a NumPy scalar, which cannot take results; pass an array such "
                                "as numpy.zeros(1)");
    }
    return nb::module_::import_("numpy").attr("asarray")(object);
}

template <class T>
void bind_role(nb::module_& module, const char* name, const char* doc) {
    nb::class_<T, HostArgument>(module, name, doc)
        .def(nb::init<nb::object>(), "array"_a.none(),
             nb::sig("def __init__(self, array: object) -> None"));
}

}  // namespace

HostArgument::HostArgument(nb::object array, bool copies_in, bool copies_out, const char* role)
    : array_(as_array(std::move(array), copies_out, role)),
      memory_(array_, copies_out ? HostMemory::Access::Write : HostMemory::Access::Read, role) {
    nb::object shape = array_.attr("shape");
    std::size_t axes = nb::len(shape);
    host_array_ = {
        .data = memory_.data(),
        .bytes = memory_.size(),
        .dtype = dtype_from_numpy(array_.attr("dtype")),
        .copies_in = copies_in,
        .copies_out = copies_out,
        .inner_extent = axes == 0 ? 1 : nb::cast<std::int64_t>(nb::object(shape[axes - 1]))};
}

void bind_host(nb::module_& module) {
    nb::class_<HostArgument>(module, "HostArgument", "A host array as a kernel argument.")
        .def_prop_ro("array", &HostArgument::array)
        .def("__repr__", [](nb::handle_t<HostArgument> self) {
            return text_of(self.type().attr("__name__")) + "(" + describe(self.attr("array")) + ")";
        });
    bind_role<In>(module, "In", "A host array the kernel reads: copied to the device before.");
    bind_role<Out>(module, "Out", "A host array the kernel writes: copied back after it.");
    bind_role<InOut>(module, "InOut", "A host array the kernel changes: copied there and back.");

    nb::class_<Pointer>(module, "Pointer", "A raw device address as a kernel argument.")
        .def(nb::init<std::uint64_t>(), "address"_a)
        .def_ro("address", &Pointer::address)
        .def("__int__", [](const Pointer& pointer) { return pointer.address; })
        .def("__index__", [](const Pointer& pointer) { return pointer.address; })
        .def("__repr__", [](const Pointer& pointer) {
            nb::object text = nb::module_::import_("builtins").attr("hex")(pointer.address);
            return "Pointer(" + text_of(text) + ")";
        });
}

}  // namespace warpwise::python
