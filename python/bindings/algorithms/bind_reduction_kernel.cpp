// The class ww.ReductionKernel.
#include "warpwise/reduction_kernel.hpp"

#include <nanobind/stl/string.h>

#include <string>

#include "python/bindings/algorithms/kernel_operands.hpp"
#include "python/bindings/arrays/array_values.hpp"
#include "python/bindings/bindings.hpp"
#include "python/bindings/interpreter/describe.hpp"
#include "python/bindings/interpreter/interpreter.hpp"
#include "python/bindings/interpreter/stream_argument.hpp"
#include "python/bindings/kernels/compile_options.hpp"

namespace warpwise::python {
namespace {

void construct(ReductionKernel* self, nb::handle dtype_out, const std::string& neutral,
               const std::string& reduce_expr, nb::handle map_expr, nb::handle arguments,
               std::string name, std::string preamble, nb::handle options, nb::handle include_dirs,
               nb::handle headers) {
    const KernelText text{.name = std::move(name),
                          .preamble = std::move(preamble),
                          .options = string_list(options, "options"),
                          .include_dirs = string_list(include_dirs, "include_dirs"),
                          .headers = header_list(headers)};
    const std::string map = map_expr.is_none() ? "" : string_in(map_expr, "map_expr");
    const std::string declared = arguments.is_none() ? "" : declarations_of(arguments);
    // A str is the name of a C++ type.
    if (nb::isinstance<nb::str>(dtype_out)) {
        new (self) ReductionKernel(std::string_view(utf8_of(dtype_out, "dtype_out")), neutral,
                                   reduce_expr, map, declared, text);
    } else {
        new (self) ReductionKernel(dtype_of(dtype_out), neutral, reduce_expr, map, declared, text);
    }
}

nb::object call(const ReductionKernel& self, const nb::args& arguments, nb::handle axis,
                bool keepdims, nb::handle out, nb::handle stream) {
    const KernelCall given(arguments);
    const ReductionCall options{.axes = optional_axes(axis),
                                .keepdims = keepdims,
                                .out = optional_array(out, "out"),
                                .stream = stream_of(stream)};
    return result_or_out(without_gil([&] { return self.call(given.operands(), options); }), out);
}

}  // namespace

void bind_reduction_kernel(nb::module_& module) {
    nb::class_<ReductionKernel>(
        module, "ReductionKernel",
        "A reduction over arrays in one launch: map_expr gives the value of element i, reduce_expr "
        "joins two values a and b, neutral changes nothing. dtype_out is a dtype, or the name of a "
        "C++ type.")
        .def("__init__", &construct, "dtype_out"_a, "neutral"_a, "reduce_expr"_a,
             "map_expr"_a = nb::none(), "arguments"_a = nb::none(), "name"_a = "reduce_kernel",
             nb::kw_only(), "preamble"_a = "", "options"_a = nb::none(),
             "include_dirs"_a = nb::none(), "headers"_a = nb::none(),
             nb::sig("def __init__(self, dtype_out: typing.Any, neutral: str, reduce_expr: str, "
                     "map_expr: str | None = None, arguments: str | "
                     "collections.abc.Sequence[str] | None = None, name: str = 'reduce_kernel', *, "
                     "preamble: str = '', options: collections.abc.Sequence[str] | None = None, "
                     "include_dirs: collections.abc.Sequence[str | os.PathLike[str]] | None = "
                     "None, headers: collections.abc.Mapping[str, str] | None = None) -> None"))
        .def("__call__", &call, "args"_a, nb::kw_only(), "axis"_a = nb::none(),
             "keepdims"_a = false, "out"_a = nb::none(), "stream"_a = nb::none(),
             nb::sig("def __call__(self, *args: typing.Any, axis: int | tuple[int, ...] | None = "
                     "None, keepdims: bool = False, out: Array | None = None, stream: Stream | "
                     "typing.Any = None) -> Array"),
             "Queues the kernel and returns the result: 0-d, or without the axes that were given.")
        .def_prop_ro(
            "name", [](const ReductionKernel& self) { return self.name(); },
            "The kernel's name in messages and profiles.")
        .def_prop_ro(
            "dtype", [](const ReductionKernel& self) { return numpy_dtype(self.dtype()); },
            nb::sig("def dtype(self) -> typing.Any"), "The NumPy dtype of results.")
        .def_prop_ro(
            "parameters",
            [](const ReductionKernel& self) { return shown_parameters(self.parameters()); },
            nb::sig("def parameters(self) -> tuple[str, ...]"),
            "The declarations of the parameters.")
        .def_prop_ro("source", &ReductionKernel::source,
                     "The CUDA C++ that is compiled to reduce contiguous arrays to one value.")
        .def("__repr__", [](const ReductionKernel& self) {
            return "<ReductionKernel " + shown_call(self.name(), self.parameters()) + ">";
        });
}

}  // namespace warpwise::python
