// Calls of a kernel that give grid and block each time, `call(grid, block, *values)`, with a stream
// behind them, or by name, `call(*values, grid=..., block=...)`: what a layer of another interface
// has in the place of `kernel[grid, block]`.
//
// A call like the last one reaches the launch through CPython's vectorcall, without a frame of
// Python. All else, and values that the launch refuses, go to `otherwise`.
#pragma once

#include "python/bindings/bindings.hpp"

namespace warpwise::python {

void bind_prepared_call(nb::module_& module);

}  // namespace warpwise::python
