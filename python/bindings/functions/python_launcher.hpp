// Launches of Python functions as Python types of their own: kernel[grid, block], and its call.
//
// A launcher remembers the kernels that its last calls used. While the values that the function was
// compiled with are what they were, and the arguments are plainly of the types of one of them, a
// call runs no Python; everything else goes to the function's launch_anew(launcher, arguments),
// which adds the kernel that it finds.
#pragma once

#include "python/bindings/bindings.hpp"
#include "warpwise/python_function.hpp"

namespace warpwise::python {

// A Python function with its grid and block.
struct PythonLaunch {
    PythonFunction function;
    LaunchConfig config;
};

// Adds the classes FrozenValues, PythonLauncher and LaunchTable.
void bind_python_launcher(nb::module_& module);

}  // namespace warpwise::python
