// Products of matrices by the library of the device (runtime/blas.hpp).
#pragma once

#include <optional>

#include "warpwise/array.hpp"

namespace warpwise::array {

// Of (..., n, k) and (..., k, m), whose other axes broadcast. Empty where the device has no library
// for the kind, and where a factor is a vector, nothing is summed or the stream is captured.
std::optional<Array> library_product(const Array& left, const Array& right);

}  // namespace warpwise::array
