// Python's and NumPy's numbers as launch arguments.
#pragma once

#include <complex>

#include "python/bindings/bindings.hpp"
#include "warpwise/kernel.hpp"

namespace warpwise::python {

// Of what has a value as a float; throws what Python raised.
double real_value(nb::handle object);
std::complex<double> complex_value(nb::handle object);

// Of an instance of NumPy's scalar class of that kind.
Argument numpy_scalar_argument(nb::handle object, Kind kind);

}  // namespace warpwise::python
