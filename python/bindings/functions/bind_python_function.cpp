// The classes PythonFunction and PythonKernel, and their launches.
#include "warpwise/python_function.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <string_view>
#include <utility>

#include "python/bindings/algorithms/kernel_operands.hpp"
#include "python/bindings/bindings.hpp"
#include "python/bindings/functions/python_launcher.hpp"
#include "python/bindings/interpreter/fast_call.hpp"
#include "python/bindings/interpreter/interpreter.hpp"
#include "python/bindings/kernels/compile_options.hpp"
#include "python/bindings/kernels/launch_config.hpp"
#include "python/bindings/kernels/prepared_call.hpp"

namespace warpwise::python {
namespace {

void construct(PythonFunction* self, std::string_view program, bool zero_unset, bool debug,
               bool fast_math, bool line_info, int max_registers, nb::handle options,
               std::vector<std::uint32_t> launch_bounds, std::string preamble) {
    PythonFunctionOptions given{.zero_unset = zero_unset,
                                .debug = debug,
                                .fast_math = fast_math,
                                .line_info = line_info,
                                .max_registers = max_registers,
                                .compiler_options = string_list(options, "options"),
                                .launch_bounds = std::move(launch_bounds),
                                .preamble = std::move(preamble)};
    new (self) PythonFunction(program, std::move(given));
}

PythonLaunch configure(const PythonFunction& self, nb::handle grid, nb::handle block,
                       nb::handle stream, nb::handle shared, bool cooperative) {
    LaunchConfig config{.grid = dimensions(grid, "grid"),
                        .block = dimensions(block, "block"),
                        .shared = extent(shared, "shared"),
                        .cooperative = cooperative};
    set_stream(config, stream);
    return {self, std::move(config)};
}

void call(const PythonLaunch& self, const nb::args& arguments) {
    const KernelCall given(arguments);
    GilRelease unlocked;
    self.function.launch(self.config, given.operands());
}

// One thread for each of n elements, which are not none.
PythonLaunch configure_for_all(const PythonFunction& self, const PythonKernel& kernel,
                               std::int64_t n, nb::handle stream, std::int64_t shared,
                               std::int64_t block) {
    LaunchConfig cover = kernel.kernel().cover(n, static_cast<std::uint32_t>(shared));
    if (block > 0) {
        cover.block = Dim3(block);
        cover.grid = Dim3((n + block - 1) / block);
    }
    cover.shared = shared;
    set_stream(cover, stream);
    return {self, std::move(cover)};
}

PythonKernel compile(const PythonFunction& self, std::string_view signature, const Device* device) {
    GilRelease unlocked;
    return device == nullptr ? self.compile(signature) : self.compile(signature, *device);
}

PythonKernel kernel_for(const PythonFunction& self, const nb::args& arguments) {
    const KernelCall given(arguments);
    GilRelease unlocked;
    return self.kernel_for(given.operands());
}

void bind_kernel_class(nb::module_& module) {
    nb::class_<PythonKernel>(module, "PythonKernel",
                             "A Python function compiled for types of arguments, on a device.")
        .def_prop_ro("source", &PythonKernel::source, "The CUDA C++ that was compiled.")
        .def_prop_ro("types", &PythonKernel::types, "Of the arguments, as signatures name them.")
        .def_prop_ro("kernel", &PythonKernel::kernel, nb::rv_policy::copy,
                     "Its attributes, occupancy and device.")
        .def("writes", &PythonKernel::writes, "argument"_a,
             "Whether it writes the memory of this argument, an array.")
        .def("__repr__", [](const PythonKernel& self) {
            return "<PythonKernel " + self.kernel().name() + "(" + self.types() + ") on '" +
                   self.kernel().device().name() + "'>";
        });
}

// What a kernel raises, for _script.py to make an exception of.
void translate_exception(const std::exception_ptr& pointer, void*) {
    try {
        std::rethrow_exception(pointer);
    } catch (const PythonException& error) {
        const PythonException::Origin& origin = error.origin();
        const auto tuple = [](const LaunchError::Index& index) {
            return nb::make_tuple(index[0], index[1], index[2]);
        };
        const nb::object type = nb::module_::import_("warpwise._errors").attr("RaisedInKernel");
        const nb::object value = type(error.what(), error.kernel(), tuple(*error.block()),
                                      tuple(*error.thread()), origin.exception, origin.message,
                                      origin.function, origin.file, origin.line, origin.column);
        PyErr_SetObject(type.ptr(), value.ptr());
    }
}

}  // namespace

void bind_python_function(nb::module_& module) {
    nb::register_exception_translator(translate_exception);
    bind_kernel_class(module);
    nb::class_<PythonLaunch>(module, "PythonLaunch", "A Python function with its grid and block.")
        .def("__call__", &call, "args"_a, nb::sig("def __call__(self, *args: typing.Any) -> None"));
    nb::class_<PythonFunction>(
        module, "PythonFunction",
        "Kernels from the syntax tree of a Python function, compiled for the types of arguments.")
        .def(
            "__init__", &construct, "program"_a, nb::kw_only(), "zero_unset"_a = false,
            "debug"_a = false, "fast_math"_a = false, "line_info"_a = false, "max_registers"_a = 0,
            "options"_a = nb::none(), "launch_bounds"_a = std::vector<std::uint32_t>(),
            "preamble"_a = "",
            nb::sig("def __init__(self, program: str, *, zero_unset: bool = False, debug: bool = "
                    "False, fast_math: bool = False, line_info: bool = False, max_registers: int = "
                    "0, options: collections.abc.Sequence[str] | None = None, launch_bounds: "
                    "collections.abc.Sequence[int] = [], "
                    "preamble: str = '') "
                    "-> None"))
        .def_prop_ro("name", &PythonFunction::name)
        .def_static(
            "types_of",
            [](const nb::args& arguments) {
                const KernelCall given(arguments);
                return PythonFunction::types_of(given.operands());
            },
            "args"_a, nb::sig("def types_of(*args: typing.Any) -> str"),
            "The types of arguments, as signatures name them.")
        .def(
            "source",
            [](const PythonFunction& self, std::string_view signature) {
                GilRelease unlocked;
                return self.source(signature);
            },
            "signature"_a, "The CUDA C++ for these types.")
        .def(
            "device_source",
            [](const PythonFunction& self, std::string_view signature, const std::string& name,
               bool returns_status, std::string_view result) {
                GilRelease unlocked;
                return self.device_source(signature, name, returns_status, result);
            },
            "signature"_a, "name"_a, "returns_status"_a, "result"_a = "",
            "The CUDA C++ for these types, of a function that is no kernel, as extern \"C\" of "
            "that name; its result is returned, or stored at the first argument.")
        .def("written", &PythonFunction::written, "signature"_a,
             "Which arguments are arrays that the function writes.")
        .def("compile", &compile, "signature"_a, "device"_a = nb::none(),
             nb::sig("def compile(self, signature: str, device: Device | None = None) -> "
                     "PythonKernel"),
             "The kernel for these types; compiled where it is new.")
        .def("kernels", &PythonFunction::kernels, "What was compiled so far.")
        .def(
            "result_of",
            [](const PythonFunction& self, std::string_view signature) {
                GilRelease unlocked;
                return self.result_of(signature);
            },
            "signature"_a, "The type that the function returns for arguments of these types.")
        .def("kernel_for", &kernel_for, "args"_a,
             nb::sig("def kernel_for(self, *args: typing.Any) -> PythonKernel"),
             "The kernel for these arguments; compiled where it is new.")
        .def("configure", &configure, "grid"_a, "block"_a, "stream"_a = nb::none(), "shared"_a = 0,
             "cooperative"_a = false,
             nb::sig("def configure(self, grid: int | collections.abc.Sequence[int], block: int | "
                     "collections.abc.Sequence[int], stream: Stream | typing.Any = None, shared: "
                     "int = 0, cooperative: bool = False) -> PythonLaunch"),
             "A launch of that grid and block.")
        .def("configure_for_all", &configure_for_all, "kernel"_a, "n"_a, "stream"_a.none(),
             "shared"_a, "block"_a,
             nb::sig("def configure_for_all(self, kernel: PythonKernel, n: int, stream: Stream | "
                     "typing.Any, shared: int, block: int) -> PythonLaunch"),
             "One thread for each of n elements, above 0; block 0: as occupancy suggests.");
    bind_python_launcher(module);
    bind_prepared_call(module);
    bind_fast_call(module);
}

}  // namespace warpwise::python
