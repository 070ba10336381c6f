// What messages advise instead of an object that a parameter refuses; empty where nothing helps.
#pragma once

#include <string>

#include "python/bindings/bindings.hpp"
#include "warpwise/dtype.hpp"

namespace warpwise::python {

// Where a pointer, a struct or a vector is expected.
const char* instead_of_pointer(nb::handle object);
const char* instead_of_struct(nb::handle object);
std::string instead_of_vector(const DType& vector);

}  // namespace warpwise::python
