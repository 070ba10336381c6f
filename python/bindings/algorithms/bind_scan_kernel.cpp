// The classes ww.InclusiveScanKernel, ww.ExclusiveScanKernel and ww.GenericScanKernel.
#include "warpwise/scan_kernel.hpp"

#include <nanobind/stl/optional.h>
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

KernelText text_of_kernel(std::string name, std::string preamble, nb::handle options,
                          nb::handle include_dirs, nb::handle headers) {
    return {.name = std::move(name),
            .preamble = std::move(preamble),
            .options = string_list(options, "options"),
            .include_dirs = string_list(include_dirs, "include_dirs"),
            .headers = header_list(headers)};
}

// The name of a C++ type: a str is one.
template <class Kernel, class... Texts>
void construct(Kernel* self, nb::handle dtype, const KernelText& text, const Texts&... texts) {
    if (nb::isinstance<nb::str>(dtype)) {
        new (self) Kernel(std::string_view(utf8_of(dtype, "dtype")), texts..., text);
    } else {
        new (self) Kernel(dtype_of(dtype), texts..., text);
    }
}

std::string optional_text(nb::handle object, const char* role) {
    return object.is_none() ? std::string() : string_in(object, role);
}

template <class Kernel>
nb::object call_plain(const Kernel& self, nb::handle input, nb::handle out, nb::handle stream) {
    const Array& array = array_of(input, "x");
    const ScanCall options{.out = optional_array(out, "out"), .stream = stream_of(stream)};
    return result_or_out(without_gil([&] { return self.call(array, options); }), out);
}

void call_generic(const GenericScanKernel& self, const nb::args& arguments,
                  std::optional<std::int64_t> size, nb::handle stream) {
    const KernelCall given(arguments);
    const GenericScanCall options{.size = size, .stream = stream_of(stream)};
    GilRelease unlocked;
    self.call(given.operands(), options);
}

constexpr const char* kCall =
    "def __call__(self, x: Array, /, out: Array | None = None, *, stream: Stream | typing.Any = "
    "None) -> Array";
#define WARPWISE_TEXT_SIGNATURE                                                                   \
    "name_prefix: str = 'scan', *, preamble: str = '', options: collections.abc.Sequence[str] | " \
    "None = None, include_dirs: collections.abc.Sequence[str | os.PathLike[str]] | None = None, " \
    "headers: collections.abc.Mapping[str, str] | None = None) -> None"

template <class Kernel>
void bind_shared(nb::class_<Kernel>& scan) {
    scan.def("__call__", &call_plain<Kernel>, nb::arg(), "out"_a = nb::none(), nb::kw_only(),
             "stream"_a = nb::none(), nb::sig(kCall),
             "Queues the kernel; a new array, or `out`, which may be the array itself.")
        .def_prop_ro(
            "name", [](const Kernel& self) { return self.name(); },
            "The kernel's name in messages and profiles.")
        .def_prop_ro(
            "dtype", [](const Kernel& self) { return numpy_dtype(self.dtype()); },
            nb::sig("def dtype(self) -> typing.Any"), "The NumPy dtype of the values.")
        .def_prop_ro(
            "source", [](const Kernel& self) { return self.source(); },
            "The CUDA C++ that is compiled for the current device.");
}

void bind_inclusive(nb::module_& module) {
    nb::class_<InclusiveScanKernel> scan(
        module, "InclusiveScanKernel",
        "A scan in one launch: element i of the result joins the elements 0 to i by scan_expr, an "
        "associative expression of a and b. dtype is a dtype, or the name of a C++ type.");
    scan.def(
        "__init__",
        [](InclusiveScanKernel* self, nb::handle dtype, const std::string& scan_expr,
           nb::handle neutral, std::string name, std::string preamble, nb::handle options,
           nb::handle include_dirs, nb::handle headers) {
            optional_text(neutral, "neutral");  // an inclusive scan needs none
            construct(self, dtype,
                      text_of_kernel(std::move(name), std::move(preamble), options, include_dirs,
                                     headers),
                      scan_expr);
        },
        "dtype"_a, "scan_expr"_a, "neutral"_a = nb::none(), "name_prefix"_a = "scan", nb::kw_only(),
        "preamble"_a = "", "options"_a = nb::none(), "include_dirs"_a = nb::none(),
        "headers"_a = nb::none(),
        nb::sig("def __init__(self, dtype: typing.Any, scan_expr: str, neutral: str | None = "
                "None, " WARPWISE_TEXT_SIGNATURE));
    bind_shared(scan);
    scan.def("__repr__", [](const InclusiveScanKernel& self) {
        return "<InclusiveScanKernel " + self.name() + " of " + self.dtype().name() + ">";
    });
}

void bind_exclusive(nb::module_& module) {
    nb::class_<ExclusiveScanKernel> scan(
        module, "ExclusiveScanKernel",
        "A scan in one launch: element i of the result joins the elements before i; the first is "
        "the neutral value.");
    scan.def(
        "__init__",
        [](ExclusiveScanKernel* self, nb::handle dtype, const std::string& scan_expr,
           const std::string& neutral, std::string name, std::string preamble, nb::handle options,
           nb::handle include_dirs, nb::handle headers) {
            construct(self, dtype,
                      text_of_kernel(std::move(name), std::move(preamble), options, include_dirs,
                                     headers),
                      scan_expr, neutral);
        },
        "dtype"_a, "scan_expr"_a, "neutral"_a, "name_prefix"_a = "scan", nb::kw_only(),
        "preamble"_a = "", "options"_a = nb::none(), "include_dirs"_a = nb::none(),
        "headers"_a = nb::none(),
        nb::sig("def __init__(self, dtype: typing.Any, scan_expr: str, neutral: "
                "str, " WARPWISE_TEXT_SIGNATURE));
    bind_shared(scan);
    scan.def("__repr__", [](const ExclusiveScanKernel& self) {
        return "<ExclusiveScanKernel " + self.name() + " of " + self.dtype().name() + ">";
    });
}

void bind_generic(nb::module_& module) {
    nb::class_<GenericScanKernel>(
        module, "GenericScanKernel",
        "A scan with expressions for what is scanned (input_expr: the value of element i) and for "
        "what becomes of it (output_statement: item, prev_item, i, n), in segments where "
        "is_segment_start_expr is given.")
        .def(
            "__init__",
            [](GenericScanKernel* self, nb::handle dtype, nb::handle arguments,
               const std::string& input_expr, const std::string& scan_expr, nb::handle neutral,
               const std::string& output_statement, nb::handle is_segment_start_expr,
               std::string name, std::string preamble, nb::handle options, nb::handle include_dirs,
               nb::handle headers) {
                construct(self, dtype,
                          text_of_kernel(std::move(name), std::move(preamble), options,
                                         include_dirs, headers),
                          declarations_of(arguments), input_expr, scan_expr,
                          optional_text(neutral, "neutral"), output_statement,
                          optional_text(is_segment_start_expr, "is_segment_start_expr"));
            },
            "dtype"_a, "arguments"_a, "input_expr"_a, "scan_expr"_a, "neutral"_a.none(),
            "output_statement"_a, "is_segment_start_expr"_a = nb::none(), "name_prefix"_a = "scan",
            nb::kw_only(), "preamble"_a = "", "options"_a = nb::none(),
            "include_dirs"_a = nb::none(), "headers"_a = nb::none(),
            nb::sig("def __init__(self, dtype: typing.Any, arguments: str | "
                    "collections.abc.Sequence[str], input_expr: str, scan_expr: str, neutral: str "
                    "| None, output_statement: str, is_segment_start_expr: str | None = "
                    "None, " WARPWISE_TEXT_SIGNATURE))
        .def("__call__", &call_generic, "args"_a, nb::kw_only(), "size"_a = nb::none(),
             "stream"_a = nb::none(),
             nb::sig("def __call__(self, *args: typing.Any, size: int | None = None, stream: "
                     "Stream | typing.Any = None) -> None"),
             "Queues the kernel. size is n; without it, how many elements arrays have that are "
             "used as x[i].")
        .def_prop_ro(
            "name", [](const GenericScanKernel& self) { return self.name(); },
            "The kernel's name in messages and profiles.")
        .def_prop_ro(
            "parameters",
            [](const GenericScanKernel& self) { return shown_parameters(self.parameters()); },
            nb::sig("def parameters(self) -> tuple[str, ...]"),
            "The declarations of the parameters.")
        .def_prop_ro("source", &GenericScanKernel::source,
                     "The CUDA C++ that is compiled for the current device.")
        .def("__repr__", [](const GenericScanKernel& self) {
            return "<GenericScanKernel " + shown_call(self.name(), self.parameters()) + ">";
        });
}

}  // namespace

void bind_scan_kernel(nb::module_& module) {
    bind_inclusive(module);
    bind_exclusive(module);
    bind_generic(module);
}

}  // namespace warpwise::python
