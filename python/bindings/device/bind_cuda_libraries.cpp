// NVIDIA's software on this machine.
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "python/bindings/bindings.hpp"
#include "python/bindings/interpreter/describe.hpp"
#include "python/bindings/interpreter/interpreter.hpp"
#include "warpwise/cuda_libraries.hpp"

namespace warpwise::python {

void bind_cuda_libraries(nb::module_& module) {
    nb::class_<CudaDriver>(module, "CudaDriver", "NVIDIA's driver.")
        .def_ro("is_usable", &CudaDriver::is_usable)
        .def_ro("reason", &CudaDriver::reason, "Why it is not usable.")
        .def_ro("version", &CudaDriver::version,
                "NVIDIA's own: \"580.95.05\"; empty where unknown.")
        .def_ro("cuda", &CudaDriver::cuda, "The newest CUDA version it supports: \"13.0\".")
        .def_ro("path", &CudaDriver::path, "Of the library.")
        .def("__repr__", [](nb::handle_t<CudaDriver> self) {
            return fields_text(self, {"is_usable", "reason", "version", "cuda", "path"});
        });
    nb::class_<CudaLibrary>(module, "CudaLibrary", "A library of the CUDA toolkit.")
        .def_ro("name", &CudaLibrary::name, "\"cublas\".")
        .def_ro("title", &CudaLibrary::title, "\"cuBLAS\".")
        .def_ro("version", &CudaLibrary::version, "Empty when it is not usable.")
        .def_ro("path", &CudaLibrary::path, "Empty when it is not found.")
        .def_ro("reason", &CudaLibrary::reason, "Why it is not usable, and what to install.")
        .def("__repr__", [](nb::handle_t<CudaLibrary> self) {
            return fields_text(self, {"name", "version", "path", "reason"});
        });
    module.def("cuda_driver", &cuda_driver, nb::call_guard<GilRelease>(),
               "NVIDIA's driver: its versions, or why it is not usable.");
    module.def("cuda_libraries", &cuda_libraries, nb::call_guard<GilRelease>(),
               "The libraries of the CUDA toolkit that Warpwise supports, each with its version "
               "and path, or why it is not usable. Opens those it finds.");
    module.def("cuda_library", &cuda_library, "name"_a, nb::call_guard<GilRelease>(),
               "One of them by name: \"cublas\". Raises DeviceError with what to install when it "
               "is missing, ArgumentError for an unknown name.");
}

}  // namespace warpwise::python
