// What writes through selections share: where elements lie, and values ready to be read.
//
// Threading: any thread.
#pragma once

#include "src/array/index/selection.hpp"

namespace warpwise::array {

// The bytes of its memory that an array lies in, and in what units elements can be written.
struct Lie {
    std::int64_t begin = 0;
    std::int64_t bytes = 0;
    std::int64_t unit = 1;  // 1, 2, 4 or 8
};
Lie lie_of(const Array& array);
// Bytes from the array's first byte to each selected element, in C order.
Array places_of(const Selection& selection, const Lie& lie, runtime::Context& context);
// In C order over `shape`, or one element for all; memory of its own where the target shares it.
Array settled(const Array& value, const Shape& shape, const Array& target);
// Where a block is best one thread: blocks that share a target, each of which takes all `count`
// values in order and keeps those for its own part.
std::int64_t owners(std::int64_t count, const runtime::Context& context);

}  // namespace warpwise::array
