// Whether memory of one element type fits a pointer to another. Pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "warpwise/dtype.hpp"

namespace warpwise::runtime {

// Whether values of `host` have the bytes of `device`: the same type, a record with the layout of
// the struct, a complex number or a record of equal fields for a vector type.
bool same_bytes(const DType& host, const DType& device);

// How the elements of an array lie; 0 where that is not known.
struct ElementShape {
    std::int64_t inner_extent = 0;  // length of the last axis
    std::size_t count = 0;          // of all elements
};

// Empty when memory of `host` elements fits a pointer to `device`, else what is wrong: "it holds
// float64", or the struct's first field that differs. Vectors, and structs of one number type
// without padding, also take plain numbers: with one vector to the last axis, or in a single row
// of whole vectors.
std::string element_mismatch(const DType& host, const ElementShape& shape, const DType& device);

}  // namespace warpwise::runtime
