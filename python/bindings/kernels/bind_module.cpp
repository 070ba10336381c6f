// SourceModule and compile().
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "python/bindings/arrays/array_values.hpp"
#include "python/bindings/bindings.hpp"
#include "python/bindings/interpreter/describe.hpp"
#include "python/bindings/interpreter/interpreter.hpp"
#include "python/bindings/kernels/compile_options.hpp"
#include "warpwise/error.hpp"
#include "warpwise/module.hpp"

namespace warpwise::python {
namespace {

constexpr const char* kGlobalArrayText =
    "An array over a __device__ or __constant__ variable, without a copy. Raises ArgumentError "
    "where the variable has fewer bytes.";

template <class AnyModule>
Array global_array(const AnyModule& self, std::string_view name, nb::handle dtype,
                   nb::handle shape) {
    const DType type = dtype_of(dtype);
    const Shape extents = shape_of(shape);
    GilRelease unlocked;
    return from_buffer(self.get_global(name), extents, type);
}

// No source is a line that ends like a file of one.
void refuse_file_name(const std::string& source) {
    if (source.find_first_of("\n;{") != source.npos) return;
    for (const char* const suffix : {".cu", ".cuh", ".ptx", ".cubin", ".fatbin"}) {
        if (!source.ends_with(suffix)) continue;
        const bool is_source = source.ends_with(".cu") || source.ends_with(".cuh");
        throw ArgumentError(ArgumentError::Kind::Value,
                            "SourceModule got '" + source +
                                "' as its source, which is the name of a file; use " +
                                (is_source ? "SourceModule" : "Module") + ".from_file");
    }
}

void construct(SourceModule* self, std::string source, nb::handle options, nb::handle include_dirs,
               std::string name, nb::handle headers, const Device* device) {
    refuse_file_name(source);
    CompileOptions given = compile_options(options, include_dirs, std::move(name), headers);
    GilRelease unlocked;
    new (self)
        SourceModule(std::move(source), std::move(given), device != nullptr ? *device : Device());
}

// Quoted includes of the file are found beside it, as compilers do.
SourceModule source_module_from_file(nb::handle path, nb::handle options, nb::handle include_dirs,
                                     nb::handle headers, const Device* device) {
    const std::string file = path_text(path, "from_file");
    CompileOptions given = compile_options(options, include_dirs, file, headers);
    const std::size_t folder = file.rfind('/');
    given.include_dirs.insert(given.include_dirs.begin(),
                              folder == file.npos ? "." : file.substr(0, folder + 1));
    GilRelease unlocked;
    return {LinkInput::file(file).data, std::move(given), device != nullptr ? *device : Device()};
}

// Text formats give str, binary ones bytes.
nb::object compile_source(const std::string& source, std::string_view target,
                          std::string_view format, nb::handle options, nb::handle include_dirs,
                          std::string name, nb::handle headers) {
    CompileOptions given = compile_options(options, include_dirs, std::move(name), headers);
    std::string result;
    {
        GilRelease unlocked;
        result = compile(source, given, target, format);
    }
    const bool is_binary = format == "object" || format == "cubin";
    if (!is_binary) return nb::str(result.data(), result.size());
    return nb::bytes(result.data(), result.size());
}

// bytes, bytearray, memoryview ...; a str is PTX.
std::string image_of(nb::handle data, const char* role) {
    if (PyUnicode_Check(data.ptr()) != 0) return utf8_of(data, role);
    Py_buffer view;
    if (PyObject_GetBuffer(data.ptr(), &view, PyBUF_SIMPLE) != 0) {
        PyErr_Clear();
        throw ArgumentError(ArgumentError::Kind::Type,
                            std::string(role) + " expects bytes, got " + value_text(data));
    }
    std::string image(static_cast<const char*>(view.buf), static_cast<std::size_t>(view.len));
    PyBuffer_Release(&view);
    return image;
}

Module module_from_bytes(nb::handle data, const std::string& name, const Device* device) {
    const std::string image = image_of(data, "from_bytes");
    GilRelease unlocked;
    return Module::from_bytes(image, name, device != nullptr ? *device : Device());
}

Module module_from_file(nb::handle path, const Device* device) {
    const std::string file = path_text(path, "from_file");
    GilRelease unlocked;
    return Module::from_file(file, device != nullptr ? *device : Device());
}

// Whether a text begins with PTX's ".version", comments and blank lines aside. No C++ does.
bool is_ptx(std::string_view text) {
    for (;;) {
        const std::size_t begin = std::min(text.find_first_not_of(" \t\r\n"), text.size());
        text.remove_prefix(begin);
        if (!text.starts_with("//")) return text.starts_with(".version");
        text.remove_prefix(std::min(text.find('\n'), text.size()));
    }
}

// A str is source or PTX, bytes are an image, a path is a file of either.
LinkInput link_input(nb::handle value, std::size_t number) {
    const std::string name = "part" + std::to_string(number);
    if (PyUnicode_Check(value.ptr()) != 0) {
        auto text = utf8_of(value, "link");
        if (is_ptx(text)) return LinkInput::bytes(std::move(text), name + ".ptx");
        return LinkInput::source(std::move(text), name + ".cu");
    }
    if (PyObject_CheckBuffer(value.ptr()) != 0) {
        return LinkInput::bytes(image_of(value, "link"), name);
    }
    return LinkInput::file(path_text(value, "link"));
}

Module link_parts(nb::handle parts, nb::handle options, nb::handle include_dirs, nb::handle headers,
                  const Device* device) {
    if (PyUnicode_Check(parts.ptr()) != 0 || PySequence_Check(parts.ptr()) == 0)
        throw ArgumentError(
            ArgumentError::Kind::Type,
            "link expects a list of sources (str), images (bytes) and files (paths), got " +
                value_text(parts));
    std::vector<LinkInput> inputs;
    const Py_ssize_t count = PySequence_Size(parts.ptr());
    if (count < 0) {  // an array without dimensions
        PyErr_Clear();
        throw ArgumentError(ArgumentError::Kind::Type,
                            "link expects a list of parts, got " + value_text(parts));
    }
    for (nb::handle part : parts) inputs.push_back(link_input(part, inputs.size() + 1));
    CompileOptions given = compile_options(options, include_dirs, "kernel.cu", headers);
    GilRelease unlocked;
    return link(inputs, std::move(given), device != nullptr ? *device : Device());
}

void bind_loaded(nb::module_& module) {
    using Unlocked = nb::call_guard<GilRelease>;
    nb::class_<Module>(module, "Module",
                       "Machine code for GPUs compiled elsewhere (PTX, a cubin, a fatbin), or "
                       "linked by link(). Arguments are checked by size, and by type where the "
                       "kernel's symbol or a source has it.")
        .def_static(
            "from_bytes", &module_from_bytes, "data"_a, "name"_a = "image", "device"_a = nb::none(),
            nb::sig("def from_bytes(data: bytes | bytearray | memoryview | str, name: str = "
                    "..., device: Device | None = None) -> Module"),
            "Loads PTX (a str, too), a cubin or a fatbin.")
        .def_static("from_file", &module_from_file, "path"_a, "device"_a = nb::none(),
                    nb::sig("def from_file(path: str | os.PathLike[str], device: Device | None = "
                            "None) -> Module"),
                    "Loads a file of the same kinds.")
        .def("get_function", &Module::get_function, "name"_a, Unlocked(),
             "A kernel by its symbol, or by its plain name.")
        .def("__getitem__", &Module::get_function, "name"_a, Unlocked(),
             "The same as get_function.")
        .def("get_global", &Module::get_global, "name"_a, Unlocked(),
             "A __device__ or __constant__ variable, as a Buffer.")
        .def("global_array", &global_array<Module>, "name"_a, "dtype"_a, "shape"_a,
             nb::sig("def global_array(self, name: str, dtype: typing.Any, shape: int | "
                     "tuple[int, ...]) -> Array"),
             kGlobalArrayText)
        .def_prop_ro("functions", &Module::functions, "Names of kernels.")
        .def_prop_ro("globals", &Module::globals, "Names of variables.")
        .def_prop_ro("log", &Module::log, "Messages of compiler and linker; empty when none.")
        .def_prop_ro("device", &Module::device)
        .def("__repr__", [](const Module& self) {
            std::string names;
            for (const std::string& name : self.functions())
                names += (names.empty() ? "" : ", ") + name;
            return "<Module on '" + self.device().name() + "': " + names + ">";
        });
    module.def(
        "link", &link_parts, "parts"_a, "options"_a = nb::none(), "include_dirs"_a = nb::none(),
        "headers"_a = nb::none(), "device"_a = nb::none(),
        nb::sig("def link(parts: collections.abc.Sequence[str | bytes | os.PathLike[str]], "
                "options: collections.abc.Sequence[str] | None = None, include_dirs: "
                "collections.abc.Sequence[str | os.PathLike[str]] | None = None, headers: "
                "collections.abc.Mapping[str, str] | None = None, device: Device | None = "
                "None) -> Module"),
        "One program of several parts: sources and PTX (str), cubins, LTO IR, fatbins, objects "
        "and libraries (bytes), files of any of them (paths). \"-dlto\" among the options "
        "optimises them together. Needs nvJitLink and a GPU; the CPU device accepts sources, "
        "as one translation unit.");
}

}  // namespace

void bind_module(nb::module_& module) {
    using Unlocked = nb::call_guard<GilRelease>;
    nb::class_<SourceModule>(module, "SourceModule",
                             "CUDA C++ source, compiled now and loaded on a device.")
        .def("__init__", &construct, "source"_a, "options"_a = nb::none(),
             "include_dirs"_a = nb::none(), "name"_a = "kernel.cu", "headers"_a = nb::none(),
             "device"_a = nb::none(),
             nb::sig("def __init__(self, source: str, options: collections.abc.Sequence[str] | "
                     "None = None, "
                     "include_dirs: collections.abc.Sequence[str | os.PathLike[str]] | None = "
                     "None, name: str = "
                     "..., headers: collections.abc.Mapping[str, str] | None = None, device: "
                     "Device | None "
                     "= None) -> None"))
        .def_static(
            "from_file", &source_module_from_file, "path"_a, "options"_a = nb::none(),
            "include_dirs"_a = nb::none(), "headers"_a = nb::none(), "device"_a = nb::none(),
            nb::sig("def from_file(path: str | os.PathLike[str], options: "
                    "collections.abc.Sequence[str] | None = None, include_dirs: "
                    "collections.abc.Sequence[str | os.PathLike[str]] | None = None, headers: "
                    "collections.abc.Mapping[str, str] | None = None, device: Device | None = "
                    "None) -> SourceModule"),
            "Compiles a file of CUDA C++, whose folder is searched for its quoted includes.")
        .def(
            "get_function", &SourceModule::get_function, "name"_a, Unlocked(),
            "A kernel by name (\"k\", \"ns::k\"), template instance (\"scale<float>\") or overload "
            "(\"k(float *, int)\").")
        .def("__getitem__", &SourceModule::get_function, "name"_a, Unlocked(),
             "The same as get_function.")
        .def("get_global", &SourceModule::get_global, "name"_a, Unlocked(),
             "A __device__ or __constant__ variable, as a Buffer.")
        .def("get_texref", &SourceModule::get_texref, "name"_a, Unlocked(),
             "A texture reference of the source, to bind memory to.")
        .def("get_surfref", &SourceModule::get_surfref, "name"_a, Unlocked(),
             "A surface reference of the source, to bind an array to.")
        .def("global_array", &global_array<SourceModule>, "name"_a, "dtype"_a, "shape"_a,
             nb::sig("def global_array(self, name: str, dtype: typing.Any, shape: int | "
                     "tuple[int, ...]) -> Array"),
             kGlobalArrayText)
        .def_prop_ro("functions", &SourceModule::functions, "Names of kernels and templates.")
        .def_prop_ro("globals", &SourceModule::globals, "Names of variables.")
        .def_prop_ro("log", &SourceModule::log, "The compiler's warnings; empty when none.")
        .def_prop_ro("device", &SourceModule::device)
        .def("__repr__", [](const SourceModule& self) {
            std::string names;
            for (const std::string& name : self.functions())
                names += (names.empty() ? "" : ", ") + name;
            return "<SourceModule on '" + self.device().name() + "': " + names + ">";
        });
    bind_loaded(module);
    module.def(
        "compile", &compile_source, "source"_a, "target"_a = "cpu", "format"_a = "asm",
        "options"_a = nb::none(), "include_dirs"_a = nb::none(), "name"_a = "kernel.cu",
        "headers"_a = nb::none(),
        nb::sig("def compile(source: str, target: str = 'cpu', format: str = 'asm', options: "
                "collections.abc.Sequence[str] | None = None, include_dirs: "
                "collections.abc.Sequence[str | os.PathLike[str]] | "
                "None = None, name: str = ..., headers: collections.abc.Mapping[str, str] | None = "
                "None) -> str | bytes"),
        "Compiles without loading; needs no device of the target. The formats \"asm\" and "
        "\"llvm\", \"ptx\" for a GPU, and \"preprocessed\", the source with its macros expanded "
        "and headers in place of #includes, give a str; \"object\", and \"cubin\" for a GPU, "
        "give bytes.");
}

}  // namespace warpwise::python
