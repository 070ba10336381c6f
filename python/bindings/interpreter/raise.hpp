// Errors on the way to Python, for functions that Python calls without nanobind in between.
#pragma once

#include <nanobind/nanobind.h>

namespace warpwise::python {

// In a catch block: sets the caught exception as Python's error, as nanobind does for its
// functions. Needs the GIL.
void raise_current() noexcept;

// Python's error that is set becomes the one that `translate` gives for it, in a layer of another
// interface. Throws what `translate` raises.
void raise_translated(nanobind::handle translate);

}  // namespace warpwise::python
