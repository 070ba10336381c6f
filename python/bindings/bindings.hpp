// One function per file: each adds its classes and functions to the extension module.
//
// Invariant of the whole folder: bindings convert, release the GIL where a call may wait, and make
// one call. The GIL is the outermost lock, so it is never held while waiting for a device.
#pragma once

#include <nanobind/nanobind.h>

namespace warpwise::python {

namespace nb = nanobind;
using namespace nb::literals;

void bind_error(nb::module_& module);
void bind_output(nb::module_& module);
void bind_settings(nb::module_& module);
void bind_device(nb::module_& module);
void bind_pool(nb::module_& module);
void bind_allocator(nb::module_& module);  // after Buffer
void bind_stream(nb::module_& module);
void bind_graph(nb::module_& module);
void bind_buffer(nb::module_& module);
void bind_array(nb::module_& module);
void bind_cuda_array(nb::module_& module);
void bind_texture(nb::module_& module);
void bind_host(nb::module_& module);
void bind_host_memory(nb::module_& module);
void bind_signature(nb::module_& module);
void bind_kernel(nb::module_& module);
void bind_kernel_report(nb::module_& module);
void bind_module(nb::module_& module);
void bind_elementwise_kernel(nb::module_& module);
void bind_reduction_kernel(nb::module_& module);
void bind_scan_kernel(nb::module_& module);
void bind_random(nb::module_& module);
void bind_xorwow(nb::module_& module);
void bind_generator(nb::module_& module);
void bind_sobol(nb::module_& module);
void bind_python_function(nb::module_& module);
void bind_sparse(nb::module_& module);
void bind_sparse_factors(nb::module_& module);
void bind_sparse_packets(nb::module_& module);
void bind_sparse_solvers(nb::module_& module);
void bind_profile(nb::module_& module);
void bind_cuda_libraries(nb::module_& module);

}  // namespace warpwise::python
