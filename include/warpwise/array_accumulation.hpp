// Accumulating through an index: NumPy's ufunc.at.
//
//   ww::add_at(histogram, {bins}, 1);               // counts equal indices as often as they come
//
// array[index] = op(array[index], value) for one index after the other, in C order over the index:
// the results are NumPy's bit for bit, and the same each time. The indices are sorted for that.
//
// Errors: ArgumentError as for Array::assign(index, value), and where the result is not converted
// to the array's type by NumPy's same_kind rule. Threading: any thread.
#pragma once

#include <initializer_list>
#include <span>

#include "warpwise/array.hpp"

namespace warpwise {

#define WARPWISE_ACCUMULATION(name)                                                                \
    WARPWISE_API void name(Array& array, std::span<const IndexItem> index, const Operand& value);  \
    inline void name(Array& array, std::initializer_list<IndexItem> index, const Operand& value) { \
        name(array, std::span<const IndexItem>(index.begin(), index.size()), value);               \
    }
WARPWISE_ACCUMULATION(add_at)
WARPWISE_ACCUMULATION(subtract_at)
WARPWISE_ACCUMULATION(multiply_at)
WARPWISE_ACCUMULATION(minimum_at)
WARPWISE_ACCUMULATION(maximum_at)
#undef WARPWISE_ACCUMULATION

}  // namespace warpwise
