// Descriptions of Python objects in error messages.
#pragma once

#include <nanobind/nanobind.h>

#include <initializer_list>
#include <string>

namespace warpwise::python {

// "a NumPy array (float32, shape (3, 4))", "a list", "a torch.Tensor". Raises nothing.
std::string describe(nanobind::handle object);

// The text after "got": numbers and strings as they are, everything else described. Raises
// nothing.
std::string value_text(nanobind::handle object);

// str(object). Throws what it raises.
std::string text_of(nanobind::handle object);

// "MemoryInfo(free=1, total=2)": the repr of an object that is a bag of values.
std::string fields_text(nanobind::handle object, std::initializer_list<const char*> fields);

}  // namespace warpwise::python
