// The class LaunchTable: what kernel[grid, block] finds.
#pragma once

#include "python/bindings/bindings.hpp"

namespace warpwise::python {

// Adds the class to the module.
void bind_launch_table(nb::module_& module);

}  // namespace warpwise::python
