// Errors on the way to Python, for functions that Python calls without nanobind in between.
#pragma once

namespace warpwise::python {

// In a catch block: sets the caught exception as Python's error, as nanobind does for its
// functions. Needs the GIL.
void raise_current() noexcept;

}  // namespace warpwise::python
