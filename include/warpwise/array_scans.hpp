// Cumulative sums, products and the like, segments, and the elements where a mask is true.
//
//   ww::Array totals = ww::cumulative_sum(x, {.axis = 0});
//   ww::Array positive = ww::compact(x, x > 0);
//
// Association. Elements are joined in an order that depends on the extents alone: the same input
// gives the same bits on every device of a kind, for any number of threads.
//
// Running: the functions queue their kernels in the current stream of the device and return. Those
// whose result's shape depends on values (compact, nonzero, flatnonzero, argwhere) wait for the
// count of true elements; they cannot be captured.
// Errors: ArgumentError for axes, types and shapes, at the call; CompileError, LaunchError,
// OutOfMemoryError, DeviceError. Threading: any thread.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "warpwise/array.hpp"

namespace warpwise {

struct Cumulative {
    std::optional<int> axis = std::nullopt;  // unset: the only one
    // Of the sums and the result. Unset: int64 or uint64 for narrower integers and bool, else the
    // array's. float16 and bfloat16 are joined in float32.
    std::optional<DType> dtype = std::nullopt;
    bool include_initial = false;  // a 0 (1) in front: one element more along the axis
    Array* out = nullptr;          // written in place and returned; may be the array itself
};
// The array API's. Throw ArgumentError where no axis is given for an array that has not one.
WARPWISE_API Array cumulative_sum(const Array& array, const Cumulative& options = {});
WARPWISE_API Array cumulative_prod(const Array& array, const Cumulative& options = {});
// NumPy's: without an axis, over the raveled array.
WARPWISE_API Array cumsum(const Array& array, const Cumulative& options = {});
WARPWISE_API Array cumprod(const Array& array, const Cumulative& options = {});

// NumPy's ufunc.accumulate: what the elements up to each are, joined by a function of elements, by
// NumPy's name: add, multiply, maximum, minimum, fmax, fmin, logical_and, logical_or, logical_xor,
// bitwise_and, bitwise_or, bitwise_xor. Types are the function's; of add and multiply as above.
// Throws ArgumentError for another name, and for include_initial.
WARPWISE_API Array accumulate(std::string_view ufunc, const Array& array,
                              const Cumulative& options = {});
// NumPy's ufunc.reduceat: the elements from indices[i] to before indices[i + 1] along an axis (the
// last to its end), joined one after the other by a function that accumulate() takes; where the
// next index is not greater, the element at indices[i]. Throws ArgumentError of kind Index for
// indices outside; of an array they are checked by the kernel.
WARPWISE_API Array reduceat(std::string_view ufunc, const Array& array, const IndexArray& indices,
                            int axis = 0, const std::optional<DType>& dtype = std::nullopt);

// --- Compaction.

// values[mask]: what lies where `mask` is true, in C order. The mask (bool) covers the first axes
// of `values`, which the result has as one; the others stay. Throws ArgumentError for a mask of
// another type, or whose shape is not that of these axes.
WARPWISE_API Array compact(const Array& values, const Array& mask);
// NumPy's compress and extract: numbers count as true where they are not 0. `compress` takes slices
// along the axis, where the condition (1-D, at most as long) is true; without an axis, elements of
// the raveled array. `extract` reads both raveled.
WARPWISE_API Array compress(const Array& condition, const Array& array,
                            std::optional<int> axis = std::nullopt);
WARPWISE_API Array extract(const Array& condition, const Array& array);
// int64 indices of elements that are not 0, in C order: an array for each axis; of the raveled
// array; as rows.
WARPWISE_API std::vector<Array> nonzero(const Array& array);
WARPWISE_API Array flatnonzero(const Array& array);
WARPWISE_API Array argwhere(const Array& array);

}  // namespace warpwise
