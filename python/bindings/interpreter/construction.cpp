// See construction.hpp. One row a class: what makes its objects, as a path from the package. The
// tests follow these paths.
#include "python/bindings/interpreter/construction.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "python/bindings/interpreter/describe.hpp"
#include "python/bindings/interpreter/raise.hpp"
#include "warpwise/error.hpp"

namespace warpwise::python {
namespace {

struct Row {
    const char* name;
    const char* source;
};

constexpr auto kRows = std::to_array<Row>({
    {"ArrayFlags", "ww.Array.flags"},
    {"BoundKernel", "ww.Kernel[grid, block]"},
    {"Buffer", "ww.mem_alloc(nbytes) or ww.to_device(array)"},
    {"CacheInfo", "ww.cache_info()"},
    {"Capture", "ww.Stream.capture()"},
    {"CudaDriver", "ww.cuda_driver()"},
    {"CudaLibrary", "ww.cuda_library(name)"},
    {"DeviceInfo", "ww.Device.info"},
    {"Graph", "ww.Stream.capture()"},
    {"GraphKernel", "ww.Graph.kernels"},
    {"HostArgument", "ww.In(array), ww.Out(array) or ww.InOut(array)"},
    {"IncompleteLU", "ww.sparse.linalg.ilu0(A)"},
    {"Kernel", "ww.SourceModule.get_function(name)"},
    {"KernelForm", "ww.KernelReport.forms"},
    {"KernelReport", "ww.Kernel.report()"},
    {"KernelSignature", "ww.Kernel.signature"},
    {"LineReport", "ww.KernelForm.lines"},
    {"MemoryInfo", "ww.Device.memory()"},
    {"Module", "ww.SourceModule(source), ww.Module.from_bytes(data) or ww.Module.from_file(path)"},
    {"PacketedArray", "ww.sparse.pkt_array(arg)"},
    {"Parameter", "ww.KernelSignature.parameters"},
    {"Pool", "ww.Device.pool"},
    {"PoolStatistics", "ww.Pool.statistics()"},
    {"Profile", "ww.profile()"},
    {"ProfileRecord", "ww.Profile.records"},
    {"PythonKernel", "a ww.cuda.Dispatcher"},
    {"PythonLaunch", "a ww.cuda.Dispatcher"},
    {"RegisteredMemory", "ww.register_host_memory(array)"},
    {"SettingRow", "ww.setting_rows()"},
    {"SparseArray", "ww.sparse.csr_array(arg), or another function of ww.sparse"},
    {"SurfaceReference", "ww.SourceModule.get_surfref(name)"},
    {"TextureReference", "ww.SourceModule.get_texref(name)"},
    {"_HostExport", "a ww.Array"},
});

[[noreturn]] void refuse(const Row& row) {
    throw ArgumentError(ArgumentError::Kind::Type,
                        std::string(row.name) + " has no constructor; get one from " + row.source);
}

}  // namespace

void refuse_construction(nb::module_& module) {
    for (const Row& row : kRows) {
        nb::object type = module.attr(row.name);
        if (!nb::type_check(type)) continue;  // its slot is refused_new()
        // No call fits what type checkers see.
        nb::cpp_function_def([&row](nb::handle /*self*/, const nb::args& /*args*/,
                                    const nb::kwargs& /*kwargs*/) { refuse(row); },
                             nb::scope(type), nb::name("__init__"), nb::is_method(),
                             nb::sig("def __init__(self, no: typing.NoReturn, /) -> None"));
    }
}

PyObject* refused_new(PyTypeObject* type, PyObject* /*args*/, PyObject* /*kwargs*/) noexcept {
    try {
        const nb::object name = nb::handle(reinterpret_cast<PyObject*>(type)).attr("__name__");
        const std::string text = text_of(name);
        refuse(*std::ranges::find(kRows, text, [](const Row& row) { return row.name; }));
    } catch (...) {
        raise_current();
    }
    return nullptr;
}

}  // namespace warpwise::python
