// Launches of Python functions as Python types of their own: kernel[grid, block], and its call.
//
// A launcher remembers the kernel that its last call used. While the values that the function was
// compiled with are what they were, and the arguments are plainly of that kernel's types, a call
// runs no Python; everything else goes to the function's launch_anew(launcher, arguments), which
// sets the launcher up again.
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
