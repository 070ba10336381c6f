// Products of matrices by a kernel of ours, for kinds that the device's library lacks and for
// devices without one.
#pragma once

#include <optional>

#include "warpwise/array.hpp"

namespace warpwise::array {

// Of (..., n, k) and (..., k, m), whose other axes broadcast. Empty for bools, and where a fused
// reduction does as well: a factor is a vector, or there is little to multiply.
std::optional<Array> tiled_product(const Array& left, const Array& right);

}  // namespace warpwise::array
