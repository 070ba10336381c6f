// Functions of arrays' shapes that NumPy has and array_functions.hpp has not: splitting, stacking,
// padding, rotation, diagonals, and index arithmetic.
//
//   std::vector<ww::Array> parts = ww::array_split(x, 3);
//   ww::Array framed = ww::pad(image, {{1, 1}, {1, 1}}, {.mode = "reflect"});
//
// Names, signatures and results are NumPy's. Everything is recorded, nothing runs, except where a
// line says so; what is said to copy gives new arrays, the rest views.
//
// Errors: ArgumentError at the call. Threading: any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "warpwise/array.hpp"

namespace warpwise {

// --- Splitting. `sections` equal parts: throws ArgumentError where the extent is no multiple;
// array_split() makes the first ones longer by one. `at`: where parts begin, as slices do.
WARPWISE_API std::vector<Array> split(const Array& array, std::int64_t sections, int axis = 0);
WARPWISE_API std::vector<Array> split(const Array& array, std::span<const std::int64_t> at,
                                      int axis = 0);
WARPWISE_API std::vector<Array> array_split(const Array& array, std::int64_t sections,
                                            int axis = 0);
// split() along the second axis (of 1-d arrays the first), the first, and the third.
WARPWISE_API std::vector<Array> hsplit(const Array& array, std::int64_t sections);
WARPWISE_API std::vector<Array> hsplit(const Array& array, std::span<const std::int64_t> at);
WARPWISE_API std::vector<Array> vsplit(const Array& array, std::int64_t sections);
WARPWISE_API std::vector<Array> vsplit(const Array& array, std::span<const std::int64_t> at);
WARPWISE_API std::vector<Array> dsplit(const Array& array, std::int64_t sections);
WARPWISE_API std::vector<Array> dsplit(const Array& array, std::span<const std::int64_t> at);

// --- Stacking: copies.
WARPWISE_API Array vstack(std::span<const Array* const> arrays);  // along the first of two axes
WARPWISE_API Array hstack(std::span<const Array* const> arrays);  // the second; of 1-d the first
WARPWISE_API Array dstack(std::span<const Array* const> arrays);  // along the third
// 1-d arrays as columns of a matrix, 2-d ones as they are.
WARPWISE_API Array column_stack(std::span<const Array* const> arrays);
// concat() of the raveled arrays, or along an axis.
WARPWISE_API Array append(const Array& array, const Array& values,
                          std::optional<int> axis = std::nullopt);
// Without the elements at these indices along an axis; without an axis, of the raveled array.
// Negative indices count from the end; outside of the axis they throw ArgumentError.
// NOLINTNEXTLINE(readability-identifier-naming): delete is a keyword
WARPWISE_API Array delete_(const Array& array, const Indices& indices,
                           std::optional<int> axis = std::nullopt);
// With `values` in front of the elements at these indices (of which one may be the extent: behind
// the last). They are converted to the array's type and broadcast; one index takes as many as
// there are.
WARPWISE_API Array insert(const Array& array, const Indices& indices, const Operand& values,
                          std::optional<int> axis = std::nullopt);

// --- Axes.
WARPWISE_API Array atleast_1d(const Array& array);
WARPWISE_API Array atleast_2d(const Array& array);
WARPWISE_API Array atleast_3d(const Array& array);
WARPWISE_API Array rollaxis(const Array& array, int axis, int start = 0);
WARPWISE_API Array fliplr(const Array& array);
WARPWISE_API Array flipud(const Array& array);
// By 90 degrees, `times` times, from the first axis towards the second.
WARPWISE_API Array rot90(const Array& array, int times = 1, std::pair<int, int> axes = {0, 1});

// --- Diagonals of the plane of two axes; the diagonal is the last axis of a read-only view.
WARPWISE_API Array diagonal(const Array& array, std::int64_t offset = 0, int axis1 = 0,
                            int axis2 = 1);
WARPWISE_API Array trace(const Array& array, std::int64_t offset = 0, int axis1 = 0, int axis2 = 1,
                         const std::optional<DType>& dtype = std::nullopt);
// The diagonal of a matrix, or the matrix with this diagonal: copies.
WARPWISE_API Array diag(const Array& array, std::int64_t offset = 0);
WARPWISE_API Array diagflat(const Array& array, std::int64_t offset = 0);

// --- Padding: copies.
struct Padding {
    // constant, edge, reflect, symmetric, wrap, linear_ramp, maximum, minimum, mean, median or
    // empty
    std::string_view mode = "constant";
    // Of constant, and the ends of linear_ramp: {before, after} for each axis, one pair for all, or
    // none (0).
    std::vector<std::pair<Scalar, Scalar>> values = {};
    // Of maximum, minimum, mean and median: of how many elements at either end, {before, after} as
    // above; none: of the whole axis.
    std::vector<std::pair<std::int64_t, std::int64_t>> stat_lengths = {};
    // Of reflect and symmetric: twice the element at the end less what is reflected.
    bool is_odd = false;
};
// widths: {before, after} for each axis, or one pair for all.
WARPWISE_API Array pad(const Array& array,
                       std::span<const std::pair<std::int64_t, std::int64_t>> widths,
                       const Padding& padding = {});

// --- Repetition: copies. A count for each element along the axis (of the raveled array without
// one), or one for all; in an Array they are fetched first.
WARPWISE_API Array repeat(const Array& array, const IndexArray& counts,
                          std::optional<int> axis = std::nullopt);

// --- Index arithmetic.
// The coordinates of a grid: shape (rank, ...dimensions), or, sparse, arrays that broadcast to it.
WARPWISE_API Array indices(const Shape& dimensions, const DType& dtype = int64,
                           const std::optional<Device>& device = std::nullopt);
WARPWISE_API std::vector<Array> sparse_indices(const Shape& dimensions, const DType& dtype = int64,
                                               const std::optional<Device>& device = std::nullopt);
// Positions in an array of `shape` as coordinates, one array an axis, and back. Order::F counts
// with the first axis fastest. Positions and coordinates out of range are reported when the kernel
// has run, as Array::at() says; `mode` as in take().
WARPWISE_API std::vector<Array> unravel_index(const IndexArray& positions, const Shape& shape,
                                              Order order = Order::C);
WARPWISE_API Array ravel_multi_index(std::span<const Array* const> coordinates, const Shape& shape,
                                     std::string_view mode = "raise", Order order = Order::C);

}  // namespace warpwise
