// Medians, quantiles and interpolation; accumulation through an index.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <string>
#include <vector>

#include "python/bindings/arrays/array_import.hpp"
#include "python/bindings/arrays/array_values.hpp"
#include "python/bindings/arrays/bind_array.hpp"
#include "python/bindings/arrays/index_values.hpp"
#include "python/bindings/bindings.hpp"
#include "python/bindings/interpreter/describe.hpp"
#include "python/bindings/interpreter/numpy_types.hpp"
#include "warpwise/array_accumulation.hpp"
#include "warpwise/array_numeric.hpp"
#include "warpwise/error.hpp"

namespace warpwise::python {
namespace {

double quantile_of(nb::handle object) {
    const auto number = number_in(object);
    if (!number) {
        throw ArgumentError(
            ArgumentError::Kind::Type,
            "q expects a number or a sequence of numbers, got " + value_text(object));
    }
    return number->real();
}

using One = Array (*)(const Array&, double, const std::optional<std::vector<int>>&,
                      std::string_view, bool);
using Several = Array (*)(const Array&, std::span<const double>,
                          const std::optional<std::vector<int>>&, std::string_view, bool);

// A number, or several: a sequence, or an array of any shape, which is fetched.
struct Quantiles {
    explicit Quantiles(nb::handle q)
        : is_one(number_in(q) || (!numpy_types().is_array(q) && !is_list(q) && !array_in(q))) {
        if (is_one) {
            all.push_back(quantile_of(q));
        } else {
            all = doubles_of(q, "q", extents);
        }
    }

    // Of results along a first axis: in the shape of q.
    Array shaped(Array&& results) const {
        if (extents.size() == 1) return std::move(results);
        Shape shape;
        for (const std::int64_t extent : extents) shape.push_back(extent);
        for (int axis = 1; axis < results.ndim(); ++axis) shape.push_back(results.shape()[axis]);
        return results.reshape(shape);
    }

    bool is_one;
    std::vector<double> all;
    std::vector<std::int64_t> extents;
};

// NumPy's overwrite_input= allows to destroy the elements, of which no use is made: they are sorted
// in memory of their own.
template <One kOne, Several kSeveral>
nb::object unweighted(const Array& x, const Quantiles& q, nb::handle axis, nb::handle out,
                      const std::string& method, bool keepdims, const char* name) {
    const std::optional<std::vector<int>> axes = optional_axes(axis);
    return written_or_new(q.is_one ? kOne(x, q.all[0], axes, method, keepdims)
                                   : q.shaped(kSeveral(x, q.all, axes, method, keepdims)),
                          out, name);
}

Array weighted(const Array& x, Quantiles q, nb::handle axis, const std::string& method,
               bool keepdims, nb::handle weights, double whole, const char* name) {
    if (method != "inverted_cdf") {
        throw ArgumentError(ArgumentError::Kind::Value,
                            std::string(name) + " got weights= and method='" + method +
                                "'; weights are for method='inverted_cdf'");
    }
    for (double& one : q.all) one /= whole;
    const Array given = array_beside(weights, x, "weights");
    const std::optional<std::vector<int>> axes = optional_axes(axis);
    return q.is_one ? quantile(x, q.all[0], given, axes, keepdims)
                    : q.shaped(quantile(x, q.all, given, axes, keepdims));
}

// `whole` is the greatest q.
template <One kOne, Several kSeveral>
void bind_weighted_quantile(nb::module_& module, const char* name, double whole, const char* sig,
                            const char* doc) {
    module.def(
        name,
        [name, whole](const Array& x, nb::handle q, nb::handle axis, nb::handle out,
                      [[maybe_unused]] bool overwrite_input, const std::string& method,
                      bool keepdims, nb::handle weights) {
            const Quantiles given(q);
            if (weights.is_none()) {
                return unweighted<kOne, kSeveral>(x, given, axis, out, method, keepdims, name);
            }
            return written_or_new(weighted(x, given, axis, method, keepdims, weights, whole, name),
                                  out, name);
        },
        nb::arg(), "q"_a, "axis"_a = nb::none(), "out"_a = nb::none(), "overwrite_input"_a = false,
        "method"_a = "linear", "keepdims"_a = false, nb::kw_only(), "weights"_a = nb::none(),
        nb::sig(sig), doc);
}

template <One kOne, Several kSeveral>
void bind_quantile(nb::module_& module, const char* name, const char* sig, const char* doc) {
    module.def(
        name,
        [name](const Array& x, nb::handle q, nb::handle axis, nb::handle out,
               [[maybe_unused]] bool overwrite_input, const std::string& method, bool keepdims) {
            return unweighted<kOne, kSeveral>(x, Quantiles(q), axis, out, method, keepdims, name);
        },
        nb::arg(), "q"_a, "axis"_a = nb::none(), "out"_a = nb::none(), "overwrite_input"_a = false,
        "method"_a = "linear", "keepdims"_a = false, nb::sig(sig), doc);
}

#define WARPWISE_QUANTILE_SIG(name, more)                                                   \
    "def " name                                                                             \
    "(x: Array, /, q: typing.Any, axis: int | tuple[int, ...] | None = None, out: Array | " \
    "None = None, overwrite_input: bool = False, method: str = 'linear', keepdims: bool = " \
    "False" more ") -> Array"
#define WARPWISE_WEIGHTS ", *, weights: typing.Any = None"

using Middle = Array (*)(const Array&, const Reduction&);

template <Middle kMiddle>
void bind_median(nb::module_& module, const char* name, const char* sig, const char* doc) {
    module.def(
        name,
        [](const Array& x, nb::handle axis, nb::handle out, [[maybe_unused]] bool overwrite_input,
           bool keepdims) -> nb::object {
            Array result = kMiddle(x, {.axes = optional_axes(axis),
                                       .keepdims = keepdims,
                                       .out = optional_array(out, "out")});
            return result_or_out(std::move(result), out);
        },
        nb::arg(), "axis"_a = nb::none(), "out"_a = nb::none(), "overwrite_input"_a = false,
        "keepdims"_a = false, nb::sig(sig), doc);
}

#define WARPWISE_MEDIAN_SIG(name)                                                         \
    "def " name                                                                           \
    "(x: Array, /, axis: int | tuple[int, ...] | None = None, out: Array | None = None, " \
    "overwrite_input: bool = False, keepdims: bool = False) -> Array"

void bind_statistics(nb::module_& module) {
    bind_median<&median>(module, "median", WARPWISE_MEDIAN_SIG("median"),
                         "The middle of the sorted elements; NaN where there is one.");
    bind_median<&nanmedian>(module, "nanmedian", WARPWISE_MEDIAN_SIG("nanmedian"),
                            "The middle of the elements that are not NaN; NaN where none is left.");
    bind_quantile<&nanquantile, &nanquantile>(
        module, "nanquantile", WARPWISE_QUANTILE_SIG("nanquantile", ""),
        "Between sorted elements that are not NaN, q from 0 to 1.");
    bind_quantile<&nanpercentile, &nanpercentile>(
        module, "nanpercentile", WARPWISE_QUANTILE_SIG("nanpercentile", ""),
        "Between sorted elements that are not NaN, q from 0 to 100.");
    bind_weighted_quantile<&quantile, &quantile>(
        module, "quantile", 1, WARPWISE_QUANTILE_SIG("quantile", WARPWISE_WEIGHTS),
        "Between sorted elements, q from 0 to 1.");
    bind_weighted_quantile<&percentile, &percentile>(
        module, "percentile", 100, WARPWISE_QUANTILE_SIG("percentile", WARPWISE_WEIGHTS),
        "Between sorted elements, q from 0 to 100.");
    module.def(
        "interp",
        [](const Array& x, nb::handle xp, nb::handle fp, std::optional<double> left,
           std::optional<double> right, std::optional<double> period) {
            return interp(x, array_beside(xp, x, "xp"), array_beside(fp, x, "fp"), left, right,
                          period);
        },
        "x"_a, "xp"_a, "fp"_a, "left"_a = nb::none(), "right"_a = nb::none(),
        "period"_a = nb::none(),
        nb::sig("def interp(x: Array, xp: typing.Any, fp: typing.Any, left: float | None = None, "
                "right: float | None = None, period: float | None = None) -> Array"),
        "Linear interpolation between points.");
}

void bind_covariances(nb::module_& module) {
    module.def(
        "cov",
        [](const Array& m, nb::handle y, bool rowvar, bool bias, std::optional<double> ddof,
           nb::handle fweights, nb::handle aweights, nb::handle dtype) {
            return cov(m, {.y = optional_array(y, "y"),
                           .rowvar = rowvar,
                           .bias = bias,
                           .correction = ddof,
                           .fweights = optional_array(fweights, "fweights"),
                           .aweights = optional_array(aweights, "aweights"),
                           .dtype = optional_dtype(dtype)});
        },
        nb::arg(), "y"_a = nb::none(), "rowvar"_a = true, "bias"_a = false, "ddof"_a = nb::none(),
        "fweights"_a = nb::none(), "aweights"_a = nb::none(), nb::kw_only(), "dtype"_a = nb::none(),
        nb::sig("def cov(m: Array, /, y: Array | None = None, rowvar: bool = True, bias: bool = "
                "False, ddof: float | None = None, fweights: Array | None = None, aweights: Array "
                "| None = None, *, dtype: typing.Any = None) -> Array"),
        "The covariances of variables, which are rows of observations; columns without rowvar.");
    module.def(
        "corrcoef",
        [](const Array& x, nb::handle y, bool rowvar, nb::handle dtype) {
            return corrcoef(
                x, {.y = optional_array(y, "y"), .rowvar = rowvar, .dtype = optional_dtype(dtype)});
        },
        nb::arg(), "y"_a = nb::none(), "rowvar"_a = true, nb::kw_only(), "dtype"_a = nb::none(),
        nb::sig("def corrcoef(x: Array, /, y: Array | None = None, rowvar: bool = True, *, dtype: "
                "typing.Any = None) -> Array"),
        "The correlations of variables, from -1 to 1.");
}

using Accumulate = void (*)(Array&, std::span<const IndexItem>, const Operand&);

template <Accumulate kFunction>
void bind_accumulation(nb::module_& module, const char* name, const char* sig, const char* doc) {
    module.def(
        name,
        [](Array& x, nb::handle index, nb::handle values) {
            const std::vector<IndexItem> items = index_items(x, index);
            kFunction(x, items, operand_of(values));
        },
        nb::arg(), nb::arg().none(), nb::arg(), nb::sig(sig), doc);
}

#define WARPWISE_AT_SIG(name) \
    "def " name "(x: Array, indices: typing.Any, values: Array | complex, /) -> None"

}  // namespace

void bind_array_quantiles(nb::module_& module) {
    bind_statistics(module);
    bind_covariances(module);
    bind_accumulation<&add_at>(module, "add_at", WARPWISE_AT_SIG("add_at"),
                               "x[indices] += values, for equal indices one after the other.");
    bind_accumulation<&subtract_at>(module, "subtract_at", WARPWISE_AT_SIG("subtract_at"),
                                    "x[indices] -= values, one after the other.");
    bind_accumulation<&multiply_at>(module, "multiply_at", WARPWISE_AT_SIG("multiply_at"),
                                    "x[indices] *= values, one after the other.");
    bind_accumulation<&minimum_at>(module, "minimum_at", WARPWISE_AT_SIG("minimum_at"),
                                   "The lesser of x[indices] and values.");
    bind_accumulation<&maximum_at>(module, "maximum_at", WARPWISE_AT_SIG("maximum_at"),
                                   "The greater of x[indices] and values.");
}

}  // namespace warpwise::python
