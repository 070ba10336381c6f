// The layout of a new array after that of another one.
//
// Threading: any thread.
#pragma once

#include <cstdint>

#include "src/graph/view.hpp"
#include "warpwise/array.hpp"

namespace warpwise::array {

// Strides without gaps in the order of memory of `array`, whose rank the shape has.
inline Strides strides_like(const Array& array, const Shape& shape, const DType& dtype) {
    return graph::memory_order(shape, static_cast<std::int64_t>(dtype.size()), array.strides());
}

}  // namespace warpwise::array
