// Words for Python objects in error messages.
#pragma once

#include <nanobind/nanobind.h>

#include <string>

namespace warpwise::python {

// "a NumPy array (float32, shape (3, 4))", "a list", "a torch.Tensor". Raises nothing.
std::string describe(nanobind::handle object);

// str(object). Throws what it raises.
std::string text_of(nanobind::handle object);

}  // namespace warpwise::python
