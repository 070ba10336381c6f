// Sorting, searching and sets of arrays; histograms.
//
//   ww::Array rising = ww::sort(x);                          // along the last axis
//   ww::Array order = ww::argsort(x, {.descending = true});
//   ww::Array places = ww::searchsorted(rising, y, Side::Right);
//   auto [values, counts] = ww::unique_counts(x);
//
// Order. NaN comes last (first where descending), as NumPy has it. 0.0 and -0.0 are equal: argsort
// keeps their order; sort, which makes elements from keys, puts -0.0 first. Complex numbers are
// ordered by their real, then by their imaginary parts. Every sort is stable.
//
// Running: kernels are queued in the current stream of the device. Functions whose result's shape
// depends on values (unique, bincount) or that must know some first (histogram without a range,
// digitize, a sorter) wait for them, and cannot be captured.
// Errors: ArgumentError for axes, types, shapes and values, at the call; CompileError, LaunchError,
// OutOfMemoryError, DeviceError. Threading: any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "warpwise/array.hpp"

namespace warpwise {

// --- Sorting along an axis; unset: of the raveled array.

struct Sorting {
    std::optional<int> axis = -1;
    bool descending = false;  // equal elements keep their order
};
// Radix sort, least significant digit first: a new array.
WARPWISE_API Array sort(const Array& array, const Sorting& options = {});
// int64 places along the axis.
WARPWISE_API Array argsort(const Array& array, const Sorting& options = {});
// The places along an axis that sort by the last key, of equal ones by the one before it, and so
// on; int64. Throws ArgumentError without a key, and for keys of different shapes or devices.
WARPWISE_API Array lexsort(std::span<const Array* const> keys, int axis = -1);
// The k largest (smallest) elements, in order, and their places. Throws ArgumentError for a k that
// is negative or larger than the extent.
struct TopK {
    Array values;
    Array indices;
};
WARPWISE_API TopK topk(const Array& array, std::int64_t k, int axis = -1, bool largest = true);
// Elements kth[i] are where sort puts them, none greater before and none less behind. Throws
// ArgumentError for a kth outside of the axis.
WARPWISE_API Array partition(const Array& array, std::span<const std::int64_t> kth,
                             std::optional<int> axis = -1);
WARPWISE_API Array argpartition(const Array& array, std::span<const std::int64_t> kth,
                                std::optional<int> axis = -1);

// --- Searching.

enum class Side : std::uint8_t { Left, Right };
// Where `values` belong in `sorted` (1-D): before (Left) or behind (Right) what is equal; int64 of
// the shape of `values`. `sorter` (may be null): the order that sorts it, as argsort gives it.
// Elements are compared as the common type. Throws ArgumentError for a sorter of another length or
// type, or with places outside.
WARPWISE_API Array searchsorted(const Array& sorted, const Operand& values, Side side = Side::Left,
                                const Array* sorter = nullptr);
// Whether each element is among `test`.
WARPWISE_API Array isin(const Array& elements, const Array& test, bool invert = false);

// --- Sets: the elements of the raveled array, or what lies along an axis, each once, sorted.

struct UniqueOptions {
    bool indices = false;  // where each comes first
    bool inverse = false;  // of the array's shape: which of the values each element is
    bool counts = false;
    bool equal_nan = true;  // false: every NaN is a value of its own
    // What lies side by side along this axis, instead of elements: in lexicographic order. The
    // inverse has one axis then.
    std::optional<int> axis = std::nullopt;
};
struct Unique {
    Array values;
    std::optional<Array> indices, inverse, counts;  // int64
};
WARPWISE_API Unique unique(const Array& array, const UniqueOptions& options = {});
// The array API's, for which every NaN is a value of its own.
WARPWISE_API Array unique_values(const Array& array);
WARPWISE_API std::pair<Array, Array> unique_counts(const Array& array);
WARPWISE_API std::pair<Array, Array> unique_inverse(const Array& array);
WARPWISE_API Unique unique_all(const Array& array);

// NumPy's operations on sets: of the common type, the elements of the raveled arrays that are in
// both, in either, in the first alone, in one of the two alone; each once, sorted. With
// `assume_unique` the caller promises that each array has every element once: nothing is looked
// for, and setdiff1d() keeps the order of `x1`.
WARPWISE_API Array intersect1d(const Array& x1, const Array& x2, bool assume_unique = false);
WARPWISE_API Array union1d(const Array& x1, const Array& x2);
WARPWISE_API Array setdiff1d(const Array& x1, const Array& x2, bool assume_unique = false);
WARPWISE_API Array setxor1d(const Array& x1, const Array& x2, bool assume_unique = false);
// intersect1d(), and where each element comes first in the raveled arrays; int64.
struct Intersection {
    Array values;
    Array indices1, indices2;
};
WARPWISE_API Intersection intersection(const Array& x1, const Array& x2,
                                       bool assume_unique = false);

// --- Histograms.

// How often each integer from 0 on occurs in an array of one axis: int64; with weights their sums,
// float64. As many as the largest element plus one, and at least `minlength`. Throws ArgumentError
// for negative elements, other types and weights of another shape.
WARPWISE_API Array bincount(const Array& array, const Array* weights = nullptr,
                            std::int64_t minlength = 0);
// Which bin each element is in: i where bins[i-1] <= x < bins[i] (right: < and <=); for decreasing
// bins the reverse. Throws ArgumentError for bins that are not monotonic.
WARPWISE_API Array digitize(const Array& array, const Array& bins, bool right = false);
struct Histogram {
    Array counts;  // int64; sums of weights in their type; float64 where density is asked for
    Array edges;   // one more than counts
};
struct HistogramOptions {
    std::optional<std::pair<double, double>> range = std::nullopt;  // unset: least and greatest
    const Array* weights = nullptr;                                 // of the array's shape
    bool density = false;  // counts / (their sum * the width of the bin)
};
// In bins of one width; elements outside of the range, and NaN, are in none. The last bin includes
// its upper edge.
WARPWISE_API Histogram histogram(const Array& array, std::int64_t bins = 10,
                                 const HistogramOptions& options = {});
// In bins between increasing edges.
WARPWISE_API Histogram histogram(const Array& array, const Array& edges,
                                 const HistogramOptions& options = {});

}  // namespace warpwise
