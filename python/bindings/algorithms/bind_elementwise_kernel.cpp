// The class ww.ElementwiseKernel, and register_dtype().
#include "warpwise/elementwise_kernel.hpp"

#include <nanobind/stl/string.h>

#include <string>
#include <vector>

#include "python/bindings/algorithms/kernel_operands.hpp"
#include "python/bindings/arrays/array_values.hpp"
#include "python/bindings/bindings.hpp"
#include "python/bindings/interpreter/describe.hpp"
#include "python/bindings/interpreter/interpreter.hpp"
#include "python/bindings/interpreter/stream_argument.hpp"
#include "python/bindings/kernels/compile_options.hpp"
#include "warpwise/error.hpp"

namespace warpwise::python {
namespace {

void construct(ElementwiseKernel* self, nb::handle arguments, const std::string& operation,
               std::string name, std::string preamble, nb::handle options, nb::handle include_dirs,
               nb::handle headers, std::string loop_prep, std::string after_loop) {
    KernelText text{.name = std::move(name),
                    .preamble = std::move(preamble),
                    .options = string_list(options, "options"),
                    .include_dirs = string_list(include_dirs, "include_dirs"),
                    .headers = header_list(headers),
                    .loop_prep = std::move(loop_prep),
                    .after_loop = std::move(after_loop)};
    new (self) ElementwiseKernel(declarations_of(arguments), operation, text);
}

std::optional<std::int64_t> bound_of(nb::handle object, const char* name, const char* role) {
    const nb::object value = object.attr(name);
    if (value.is_none()) return std::nullopt;
    return integer_of(value, role);
}

// A range or a slice.
Slice slice_of(nb::handle object, const char* role) {
    const bool is_range = PyRange_Check(object.ptr()) != 0;
    if (!is_range && PySlice_Check(object.ptr()) == 0) {
        throw ArgumentError(
            ArgumentError::Kind::Type,
            std::string(role) + " expects a slice or a range, got " + value_text(object));
    }
    return {bound_of(object, "start", role), bound_of(object, "stop", role),
            bound_of(object, "step", role)};
}

ElementwiseCall options_of(nb::handle range, nb::handle slice, nb::handle stream) {
    if (!range.is_none() && !slice.is_none()) {
        throw ArgumentError(ArgumentError::Kind::Type,
                            "a kernel got range= and slice=; give one of them");
    }
    ElementwiseCall options{.stream = stream_of(stream)};
    if (!range.is_none()) {
        options.elements = slice_of(range, "range");
        options.clips = false;
    } else if (!slice.is_none()) {
        options.elements = slice_of(slice, "slice");
    }
    return options;
}

nb::object call(const ElementwiseKernel& self, const nb::args& arguments, nb::handle range,
                nb::handle slice, nb::handle stream) {
    const KernelCall given(arguments);
    const ElementwiseCall options = options_of(range, slice, stream);
    std::vector<Array> outputs;
    {
        GilRelease unlocked;
        outputs = self.call(given.operands(), options);
    }
    // What was passed is returned as the same object.
    nb::list results;
    const auto& parameters = self.parameters();
    const bool are_given = arguments.size() == parameters.size();
    std::size_t next = 0;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        if (!parameters[i].is_array || parameters[i].is_const) continue;
        Array& output = outputs[next++];
        results.append(are_given ? nb::borrow(arguments[i])
                                 : nb::steal(new_array(std::move(output))));
    }
    if (results.empty()) return nb::none();
    return results.size() == 1 ? nb::object(results[0]) : nb::object(nb::tuple(results));
}

}  // namespace

void bind_elementwise_kernel(nb::module_& module) {
    nb::class_<ElementwiseKernel>(
        module, "ElementwiseKernel",
        "A kernel over arrays from the CUDA C++ of one element. x[i] is the element of number i in "
        "C order, n is how many there are; pointers to const are inputs, other pointers outputs.")
        .def("__init__", &construct, "arguments"_a, "operation"_a, "name"_a = "kernel",
             nb::kw_only(), "preamble"_a = "", "options"_a = nb::none(),
             "include_dirs"_a = nb::none(), "headers"_a = nb::none(), "loop_prep"_a = "",
             "after_loop"_a = "",
             nb::sig("def __init__(self, arguments: str | collections.abc.Sequence[str], "
                     "operation: str, name: str = 'kernel', *, preamble: str = '', options: "
                     "collections.abc.Sequence[str] | None = None, include_dirs: "
                     "collections.abc.Sequence[str | os.PathLike[str]] | None = None, headers: "
                     "collections.abc.Mapping[str, str] | None = None, loop_prep: str = '', "
                     "after_loop: str = '') -> None"))
        .def("__call__", &call, "args"_a, nb::kw_only(), "range"_a = nb::none(),
             "slice"_a = nb::none(), "stream"_a = nb::none(),
             nb::sig("def __call__(self, *args: typing.Any, range: typing.Any = None, slice: "
                     "typing.Any = None, stream: Stream | typing.Any = None) -> typing.Any"),
             "Queues the kernel and returns the output, or a tuple of several. The only output may "
             "be left out; then it is a new array.")
        .def_prop_ro(
            "name", [](const ElementwiseKernel& self) { return self.name(); },
            "The kernel's name in messages and profiles.")
        .def_prop_ro(
            "parameters",
            [](const ElementwiseKernel& self) { return shown_parameters(self.parameters()); },
            nb::sig("def parameters(self) -> tuple[str, ...]"),
            "The declarations of the parameters.")
        .def_prop_ro("source", &ElementwiseKernel::source,
                     "The CUDA C++ that is compiled for contiguous arrays.")
        .def("__repr__", [](const ElementwiseKernel& self) {
            return "<ElementwiseKernel " + shown_call(self.name(), self.parameters()) + ">";
        });
    module.def(
        "register_dtype",
        [](const std::string& name, nb::handle dtype) { register_dtype(name, dtype_of(dtype)); },
        "name"_a, "dtype"_a, nb::sig("def register_dtype(name: str, dtype: typing.Any) -> None"),
        "Makes `name` a C++ type for the parameters of kernels over arrays, whose values are "
        "`dtype`. A preamble defines it.");
}

}  // namespace warpwise::python
