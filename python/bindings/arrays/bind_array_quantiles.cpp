// Medians, quantiles and interpolation; accumulation through an index.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <string>
#include <vector>

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

template <One kOne, Several kSeveral>
void bind_quantile(nb::module_& module, const char* name, const char* sig, const char* doc) {
    module.def(
        name,
        [](const Array& x, nb::handle q, nb::handle axis, nb::handle out, const std::string& method,
           bool keepdims) -> nb::object {
            const auto compute = [&] {
                const bool is_host =
                    numpy_types().is_array(q) || PyList_Check(q.ptr()) || PyTuple_Check(q.ptr());
                if (!is_host) return kOne(x, quantile_of(q), optional_axes(axis), method, keepdims);
                std::vector<double> all;
                for (const nb::handle each : q) all.push_back(quantile_of(each));
                return kSeveral(x, all, optional_axes(axis), method, keepdims);
            };
            Array result = compute();
            if (out.is_none()) return nb::steal(new_array(std::move(result)));
            array_of(out, "out").assign(result);
            return nb::borrow(out);
        },
        nb::arg(), nb::arg(), "axis"_a = nb::none(), "out"_a = nb::none(), nb::kw_only(),
        "method"_a = "linear", "keepdims"_a = false, nb::sig(sig), doc);
}

#define WARPWISE_QUANTILE_SIG(name)                                                          \
    "def " name                                                                              \
    "(x: Array, q: float | typing.Sequence[float], /, axis: int | tuple[int, ...] | None = " \
    "None, out: Array | None = None, *, method: str = 'linear', keepdims: bool = False) -> Array"

using Middle = Array (*)(const Array&, const Reduction&);

template <Middle kMiddle>
void bind_median(nb::module_& module, const char* name, const char* sig, const char* doc) {
    module.def(
        name,
        [](const Array& x, nb::handle axis, nb::handle out, bool keepdims) -> nb::object {
            Array result = kMiddle(x, {.axes = optional_axes(axis),
                                       .keepdims = keepdims,
                                       .out = optional_array(out, "out")});
            return result_or_out(std::move(result), out);
        },
        nb::arg(), "axis"_a = nb::none(), "out"_a = nb::none(), nb::kw_only(), "keepdims"_a = false,
        nb::sig(sig), doc);
}

#define WARPWISE_MEDIAN_SIG(name)                                                            \
    "def " name                                                                              \
    "(x: Array, /, axis: int | tuple[int, ...] | None = None, out: Array | None = None, *, " \
    "keepdims: bool = False) -> Array"

void bind_statistics(nb::module_& module) {
    bind_median<&median>(module, "median", WARPWISE_MEDIAN_SIG("median"),
                         "The middle of the sorted elements; NaN where there is one.");
    bind_median<&nanmedian>(module, "nanmedian", WARPWISE_MEDIAN_SIG("nanmedian"),
                            "The middle of the elements that are not NaN; NaN where none is left.");
    bind_quantile<&nanquantile, &nanquantile>(
        module, "nanquantile", WARPWISE_QUANTILE_SIG("nanquantile"),
        "Between sorted elements that are not NaN, q from 0 to 1.");
    bind_quantile<&nanpercentile, &nanpercentile>(
        module, "nanpercentile", WARPWISE_QUANTILE_SIG("nanpercentile"),
        "Between sorted elements that are not NaN, q from 0 to 100.");
    bind_quantile<&quantile, &quantile>(module, "quantile", WARPWISE_QUANTILE_SIG("quantile"),
                                        "Between sorted elements, q from 0 to 1.");
    bind_quantile<&percentile, &percentile>(module, "percentile",
                                            WARPWISE_QUANTILE_SIG("percentile"),
                                            "Between sorted elements, q from 0 to 100.");
    module.def(
        "interp",
        [](const Array& x, const Array& xp, const Array& fp, std::optional<double> left,
           std::optional<double> right,
           std::optional<double> period) { return interp(x, xp, fp, left, right, period); },
        nb::arg(), nb::arg(), nb::arg(), "left"_a = nb::none(), "right"_a = nb::none(),
        "period"_a = nb::none(),
        nb::sig("def interp(x: Array, xp: Array, fp: Array, /, left: float | None = None, right: "
                "float | None = None, period: float | None = None) -> Array"),
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
