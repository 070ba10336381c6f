// The extension module warpwise._core. Importing it starts no thread and touches no device.
#include "python/bindings/bindings.hpp"
#include "python/bindings/holders/array_holder.hpp"
#include "python/bindings/interpreter/construction.hpp"
#include "warpwise/version.hpp"

namespace warpwise::python {

NB_MODULE(_core, module) {
    // Objects of queued work are leaked at interpreter shutdown, so a leak report would be noise.
    nb::set_leak_warnings(false);
    module.doc() = "The C++ core of Warpwise. Use it through the package warpwise.";
    module.def("version", &version, "The version of the loaded library.");
    bind_error(module);
    bind_output(module);
    bind_settings(module);
    bind_device(module);
    bind_pool(module);
    bind_allocator(module);
    bind_stream(module);
    bind_graph(module);
    bind_buffer(module);
    bind_array(module);
    bind_array_holder(module);
    bind_cuda_array(module);
    bind_texture(module);
    bind_host(module);
    bind_host_memory(module);
    bind_signature(module);
    bind_kernel_report(module);
    bind_kernel(module);
    bind_module(module);
    bind_elementwise_kernel(module);
    bind_reduction_kernel(module);
    bind_scan_kernel(module);
    bind_random(module);
    bind_xorwow(module);
    bind_generator(module);
    bind_sobol(module);
    bind_python_function(module);
    bind_sparse(module);
    bind_sparse_solvers(module);
    bind_sparse_factors(module);
    bind_sparse_packets(module);
    bind_profile(module);
    bind_cuda_libraries(module);
    refuse_construction(module);
}

}  // namespace warpwise::python
