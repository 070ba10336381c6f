// A kernel with its grid and block, as a Python type of its own.
//
// It is not one of nanobind's classes: CPython's vectorcall reaches the launch directly, without a
// look-up of __call__, a tuple of the arguments and a search among overloads, which together cost
// more than our share of the launch. nanobind offers no such slot.
#pragma once

#include <cstddef>
#include <cstdint>

#include "python/bindings/bindings.hpp"
#include "warpwise/kernel.hpp"
#include "warpwise/repeated_launch.hpp"

namespace warpwise::python {

class ArgumentPack;

// kernel[grid, block, stream, shared] and kernel.forall(n).
struct BoundKernel {
    RepeatedLaunch launch;
    bool is_empty = false;       // forall(0): nothing to launch
    std::uint64_t pointers = 0;  // bits of the first 64 parameters; make_bound() sets them
};

// Adds the type to the module. Before the first make_bound().
void bind_bound_kernel(nb::module_& module);
nb::object make_bound(BoundKernel bound);
// Calls what make_bound() made, or another callable. Integers for pointers are addresses. False
// with an error set.
bool launch_bound(nb::handle bound, PyObject* const* values, std::size_t count) noexcept;

// Needs the GIL; releases it where the launch copies host memory.
void launch(const Kernel& kernel, const LaunchConfig& config, ArgumentPack&& pack);

}  // namespace warpwise::python
