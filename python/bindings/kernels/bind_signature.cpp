// KernelSignature and Parameter.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>

#include "python/bindings/bindings.hpp"
#include "python/bindings/interpreter/numpy_types.hpp"
#include "warpwise/signature.hpp"

namespace warpwise::python {
namespace {

const char* passing_name(const Parameter& parameter) {
    switch (parameter.passing) {
        case Parameter::Passing::Pointer:
            return "pointer";
        case Parameter::Passing::Scalar:
            return "scalar";
        case Parameter::Passing::Struct:
            return "struct";
        case Parameter::Passing::Opaque:
            return "opaque";
        case Parameter::Passing::Sized:
            return "sized";
    }
    return "";
}

}  // namespace

void bind_signature(nb::module_& module) {
    nb::class_<Parameter>(module, "Parameter", "One parameter of a kernel.")
        .def_ro("name", &Parameter::name, "Empty when the source omits it.")
        .def_ro("type", &Parameter::type, "As the source spells it.")
        .def_prop_ro(
            "passing", &passing_name,
            "\"pointer\", \"scalar\", \"struct\", \"opaque\", or \"sized\" where a loaded binary "
            "has the size only.")
        .def_prop_ro(
            "dtype", [](const Parameter& self) { return numpy_from_dtype(self.dtype); },
            nb::sig("def dtype(self) -> typing.Any"),
            "NumPy dtype of the value or of what the pointer points to; None for void.")
        .def_ro("is_const", &Parameter::is_const, "Whether what a pointer points to is const.")
        .def_ro("offset", &Parameter::offset)
        .def_ro("size", &Parameter::size)
        .def_ro("alignment", &Parameter::alignment)
        .def("__repr__", [](const Parameter& self) {
            return "Parameter(" + self.type + " " + self.name + ")";
        });
    nb::class_<KernelSignature>(module, "KernelSignature", "The parameters of a kernel.")
        .def_ro("name", &KernelSignature::name)
        .def_ro("symbol", &KernelSignature::symbol, "The (mangled) name in the binary.")
        .def_ro("parameters", &KernelSignature::parameters)
        .def_ro("max_threads_per_block", &KernelSignature::max_threads_per_block,
                "From __launch_bounds__; 0 when the source sets none.")
        .def_prop_ro("declaration", &KernelSignature::declaration)
        .def("__len__", [](const KernelSignature& self) { return self.parameters.size(); })
        .def("__str__", &KernelSignature::declaration)
        .def("__repr__", [](const KernelSignature& self) {
            return "<KernelSignature " + self.declaration() + ">";
        });
}

}  // namespace warpwise::python
