// Numerical functions that NumPy has and the array API has not: reductions that leave NaN out,
// differences and integrals, comparisons with tolerances, polynomials, filters, products.
//
//   ww::Array level = ww::nanmean(x, {.axes = std::vector{0}});
//   ww::Array smooth = ww::convolve(signal, window, "same");
//
// Names, signatures and results are NumPy's; array.hpp has the rules about laziness, types and
// errors. Everything is recorded, nothing runs, except where a line says so.
//
// Threading: any thread.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "warpwise/array_functions.hpp"
#include "warpwise/array_scans.hpp"

namespace warpwise {

// --- Reductions over the elements that are not NaN. Over none of them sums are 0, products 1, and
// the others NaN. Integers have no NaN: the plain reductions.
WARPWISE_API Array nansum(const Array& array, const Reduction& options = {});
WARPWISE_API Array nanprod(const Array& array, const Reduction& options = {});
WARPWISE_API Array nanmin(const Array& array, const Reduction& options = {});
WARPWISE_API Array nanmax(const Array& array, const Reduction& options = {});
WARPWISE_API Array nanmean(const Array& array, const Reduction& options = {});
// Divide by count - correction; NaN where that is not positive.
WARPWISE_API Array nanvar(const Array& array, const Reduction& options = {}, double correction = 0);
WARPWISE_API Array nanstd(const Array& array, const Reduction& options = {}, double correction = 0);
// Evaluate, and throw ArgumentError where all elements are NaN.
WARPWISE_API Array nanargmin(const Array& array, std::optional<int> axis = std::nullopt,
                             bool keepdims = false);
WARPWISE_API Array nanargmax(const Array& array, std::optional<int> axis = std::nullopt,
                             bool keepdims = false);

// Sums and products up to each element, of what is not NaN: as cumsum() and cumprod().
WARPWISE_API Array nancumsum(const Array& array, const Cumulative& options = {});
WARPWISE_API Array nancumprod(const Array& array, const Cumulative& options = {});

// --- Statistics.
WARPWISE_API Array ptp(const Array& array, const Reduction& options = {});  // max - min
// The weighted mean and the sum of the weights, which have the array's shape or that of the one
// axis. Null: equal weights. A sum of weights of 0 gives NaN or infinity.
WARPWISE_API std::pair<Array, Array> average(
    const Array& array, const std::optional<std::vector<int>>& axes = std::nullopt,
    const Array* weights = nullptr, bool keepdims = false);

// Of variables, which are rows of observations, or columns where `rowvar` is false; one axis is one
// variable. The result has a row and a column for each variable; of one it has no axes.
struct Covariance {
    const Array* y = nullptr;  // more variables
    bool rowvar = true;
    bool bias = false;                                // divide by the count instead of count - 1
    std::optional<double> correction = std::nullopt;  // divide by count - correction
    const Array* fweights = nullptr;            // integers: how often each observation was made
    const Array* aweights = nullptr;            // how much each counts
    std::optional<DType> dtype = std::nullopt;  // unset: float64, or what is wider
};
// Evaluates weights, which throw ArgumentError where one is negative.
WARPWISE_API Array cov(const Array& array, const Covariance& options = {});
// cov(i, j) / sqrt(cov(i, i) cov(j, j)).
WARPWISE_API Array corrcoef(const Array& array, const Covariance& options = {});

// Between sorted elements; NaN where there is one, and of none. Integers in float64. Complex
// numbers by real parts, then by imaginary ones.
WARPWISE_API Array median(const Array& array, const Reduction& options = {});
// Of q, from 0 to 1 (percentile(): to 100). `method`: NumPy's names (linear, lower, higher,
// midpoint, nearest, and the nine of Hyndman and Fan such as hazen and median_unbiased). Of bool:
// an element, by one of the methods that give one.
WARPWISE_API Array quantile(const Array& array, double q,
                            const std::optional<std::vector<int>>& axes = std::nullopt,
                            std::string_view method = "linear", bool keepdims = false);
WARPWISE_API Array percentile(const Array& array, double q,
                              const std::optional<std::vector<int>>& axes = std::nullopt,
                              std::string_view method = "linear", bool keepdims = false);
// Several: along a first axis of the result, in float64.
WARPWISE_API Array quantile(const Array& array, std::span<const double> q,
                            const std::optional<std::vector<int>>& axes = std::nullopt,
                            std::string_view method = "linear", bool keepdims = false);
WARPWISE_API Array percentile(const Array& array, std::span<const double> q,
                              const std::optional<std::vector<int>>& axes = std::nullopt,
                              std::string_view method = "linear", bool keepdims = false);

// The same where each element counts as much as its weight: `weights` have the array's shape, or
// one axis as long as the only one of `axes`. Method 'inverted_cdf': the first element up to which
// the weights are at least q of their sum. Evaluates them; throws ArgumentError where one is
// negative or a sum is 0 or not finite. Parts of the sum are float64; for one q, of the type of
// floats.
WARPWISE_API Array quantile(const Array& array, double q, const Array& weights,
                            const std::optional<std::vector<int>>& axes = std::nullopt,
                            bool keepdims = false);
WARPWISE_API Array quantile(const Array& array, std::span<const double> q, const Array& weights,
                            const std::optional<std::vector<int>>& axes = std::nullopt,
                            bool keepdims = false);

// Among the elements that are not NaN; NaN where there are none.
WARPWISE_API Array nanmedian(const Array& array, const Reduction& options = {});
WARPWISE_API Array nanquantile(const Array& array, double q,
                               const std::optional<std::vector<int>>& axes = std::nullopt,
                               std::string_view method = "linear", bool keepdims = false);
WARPWISE_API Array nanpercentile(const Array& array, double q,
                                 const std::optional<std::vector<int>>& axes = std::nullopt,
                                 std::string_view method = "linear", bool keepdims = false);
WARPWISE_API Array nanquantile(const Array& array, std::span<const double> q,
                               const std::optional<std::vector<int>>& axes = std::nullopt,
                               std::string_view method = "linear", bool keepdims = false);
WARPWISE_API Array nanpercentile(const Array& array, std::span<const double> q,
                                 const std::optional<std::vector<int>>& axes = std::nullopt,
                                 std::string_view method = "linear", bool keepdims = false);

// --- Differences and integrals.
// As diff() of array_functions.hpp, with values in front and behind; numbers stand for one element.
WARPWISE_API Array diff(const Array& array, int axis, int n, const std::optional<Operand>& prepend,
                        const std::optional<Operand>& append);
// Of the raveled array.
WARPWISE_API Array ediff1d(const Array& array, const std::optional<Operand>& to_end = std::nullopt,
                           const std::optional<Operand>& to_begin = std::nullopt);
// Central differences, one array for each axis. `spacing`: nothing (1), one distance for all, or
// for each axis a distance or the coordinates along it. `edge_order` 1 or 2: of the differences at
// the ends.
WARPWISE_API std::vector<Array> gradient(const Array& array, std::span<const Operand> spacing = {},
                                         const std::optional<std::vector<int>>& axes = std::nullopt,
                                         int edge_order = 1);
// By the trapezoidal rule over the coordinates `x` (of the axis, or of the array's shape), or over
// points at distance `dx`.
WARPWISE_API Array trapezoid(const Array& y, const Array* x = nullptr, double dx = 1.0,
                             int axis = -1);
// Phases without jumps greater than half of the period.
WARPWISE_API Array unwrap(const Array& phases, std::optional<double> discontinuity = std::nullopt,
                          int axis = -1, std::optional<Scalar> period = std::nullopt);

// --- Comparison. |a - b| <= absolute + relative * |b|.
WARPWISE_API Array isclose(const Operand& a, const Operand& b, double relative = 1e-5,
                           double absolute = 1e-8, bool equal_nan = false);
// Evaluate.
WARPWISE_API bool allclose(const Operand& a, const Operand& b, double relative = 1e-5,
                           double absolute = 1e-8, bool equal_nan = false);
// Shapes too.
WARPWISE_API bool array_equal(const Array& a, const Array& b, bool equal_nan = false);

// --- Elementwise.
// Of a complex number, in radians or degrees; 0 or pi of a real one.
WARPWISE_API Array angle(const Array& array, bool degrees = false);
WARPWISE_API Array sinc(const Array& array);  // sin(pi x) / (pi x)
// Finite numbers for NaN and infinities: 0 and the type's limits, where none are given.
WARPWISE_API Array nan_to_num(const Array& array, double nan = 0.0,
                              std::optional<double> positive = std::nullopt,
                              std::optional<double> negative = std::nullopt);
// To this many decimal places, halves to the even digit; negative: to tens, hundreds...
WARPWISE_API Array round(const Array& array, int decimals);
WARPWISE_API Array fix(const Array& array);  // towards zero
// {fraction, whole}, both with the number's sign.
WARPWISE_API std::pair<Array, Array> modf(const Array& array);
// {mantissa, exponent}: mantissa * 2**exponent, with a mantissa of 0.5 to 1; int32 exponents.
WARPWISE_API std::pair<Array, Array> frexp(const Array& array);
// array * 2**exponents, rounded once. The exponents are integers.
WARPWISE_API Array ldexp(const Array& array, const Operand& exponents);
// The first choice whose condition (bool) is true, else `otherwise`.
WARPWISE_API Array select(std::span<const Array* const> conditions,
                          std::span<const Array* const> choices, const Operand& otherwise);
// choices[index[i]][i]: of arrays that broadcast with the index. `mode` as in take().
WARPWISE_API Array choose(const Array& index, std::span<const Array* const> choices,
                          std::string_view mode = "raise");

// --- Polynomials, filters, interpolation.
WARPWISE_API Array polyval(const Array& coefficients, const Array& x);  // the highest power first
// Of 1-d arrays; mode "full", "same" or "valid". Sums of products, in one kernel.
WARPWISE_API Array convolve(const Array& a, const Array& v, std::string_view mode = "full");
WARPWISE_API Array correlate(const Array& a, const Array& v, std::string_view mode = "valid");
// Linear interpolation between the points (xp, fp), whose xp rise; beyond them `left` and `right`,
// or the first and last fp. With a period, xp are taken modulo it and sorted.
WARPWISE_API Array interp(const Array& x, const Array& xp, const Array& fp,
                          std::optional<double> left = std::nullopt,
                          std::optional<double> right = std::nullopt,
                          std::optional<double> period = std::nullopt);

// --- Products.
WARPWISE_API Array dot(const Array& a, const Array& b);
WARPWISE_API Array vdot(const Array& a,
                        const Array& b);  // of the raveled arrays; conj of the first
WARPWISE_API Array inner(const Array& a, const Array& b);  // over the last axes
WARPWISE_API Array outer(const Array& a, const Array& b);  // of the raveled arrays
WARPWISE_API Array kron(const Array& a, const Array& b);
// Of vectors of three elements along these axes.
WARPWISE_API Array cross(const Array& a, const Array& b, int axis_a = -1, int axis_b = -1,
                         int axis_c = -1);
// Sums of products over the labels that the result does not have: "ij,jk->ik". "..." stands for
// axes without labels, which broadcast. Several operands are multiplied from the left, and summed
// as soon as no later one needs a label.
WARPWISE_API Array einsum(std::string_view subscripts, std::span<const Array* const> operands);

}  // namespace warpwise
