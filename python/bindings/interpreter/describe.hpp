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

// str(object), lone surrogates escaped, which UTF-8 has no bytes for. Throws what it raises.
std::string text_of(nanobind::handle object);

// A str that is used, not shown: one with a lone surrogate is an ArgumentError naming `role`.
std::string utf8_of(nanobind::handle text, const std::string& role);

// The exception with its traceback, as Python prints them.
std::string raised_text(const nanobind::python_error& error);

// "MemoryInfo(free=1, total=2)": the repr of an object that is a bag of values.
std::string fields_text(nanobind::handle object, std::initializer_list<const char*> fields);

}  // namespace warpwise::python
