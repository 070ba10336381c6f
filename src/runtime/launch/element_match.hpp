// Whether memory of one element type fits a pointer to another. Pure functions.
#pragma once

#include <cstdint>
#include <string>

#include "warpwise/dtype.hpp"

namespace warpwise::runtime {

// Whether values of `host` have the bytes of `device`: the same type, a record with the layout of
// the struct, a complex number or a record of equal fields for a vector type.
bool same_bytes(const DType& host, const DType& device);

// Empty when memory of `host` elements fits a pointer to `device`, else what is wrong: "it holds
// float64", or the struct's first field that differs. `inner_extent`: length of the last axis, 0 if
// unknown.
std::string element_mismatch(const DType& host, std::int64_t inner_extent, const DType& device);

}  // namespace warpwise::runtime
