// Reductions, as functions and as methods.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <deque>
#include <string>
#include <type_traits>

#include "python/bindings/arrays/array_values.hpp"
#include "python/bindings/arrays/bind_array.hpp"
#include "python/bindings/bindings.hpp"
#include "warpwise/error.hpp"

namespace warpwise::python {
namespace {

using Reduce = Array (*)(const Array&, const Reduction&);
using Spread = Array (*)(const Array&, const Reduction&, double);
using Position = Array (*)(const Array&, std::optional<int>, bool);

const char* kept(std::string text) {
    static std::deque<std::string>& texts = *new std::deque<std::string>;
    return texts.emplace_back(std::move(text)).c_str();
}

// `self` or "x: Array, /": the same function is both.
template <class Scope>
std::string signature(const char* name, const char* rest) {
    constexpr bool is_method = !std::is_same_v<Scope, nb::module_>;
    return std::string("def ") + name + (is_method ? "(self, " : "(x: Array, /, ") + rest +
           ") -> Array";
}

// The array of a method is `self`.
template <class Scope, class Function, class... Extras>
void define(Scope& scope, const char* name, Function&& function, const Extras&... extras) {
    if constexpr (std::is_same_v<Scope, nb::module_>) {
        scope.def(name, function, nb::arg(), extras...);
    } else {
        scope.def(name, function, extras...);
    }
}

#define WARPWISE_AXIS "axis: int | tuple[int, ...] | None = None, "
#define WARPWISE_DTYPE "dtype: typing.Any = None, "
#define WARPWISE_OUT "out: Array | None = None, "
#define WARPWISE_INITIAL ", initial: complex | None = None, where: Array | bool = True"

// With a start and a mask. What stands behind the axis is in NumPy's order.
template <Reduce kFunction, class Scope>
void bind_sum(Scope& scope, const char* name, const char* doc) {
    define(
        scope, name,
        [](const Array& array, nb::handle axis, nb::handle dtype, nb::handle out, bool keepdims,
           nb::handle initial, nb::handle where) {
            return result_or_out(
                kFunction(array, reduction_of(axis, keepdims, dtype, out, initial, where)), out);
        },
        "axis"_a = nb::none(), "dtype"_a = nb::none(), "out"_a = nb::none(), nb::kw_only(),
        "keepdims"_a = false, "initial"_a = nb::none(), "where"_a.none() = true,
        nb::sig(kept(signature<Scope>(name, WARPWISE_AXIS WARPWISE_DTYPE WARPWISE_OUT
                                      "*, keepdims: bool = False" WARPWISE_INITIAL))),
        doc);
}

// The same whose type is named last.
template <Reduce kFunction, class Scope>
void bind_extreme(Scope& scope, const char* name, const char* doc) {
    define(
        scope, name,
        [](const Array& array, nb::handle axis, nb::handle out, nb::handle dtype, bool keepdims,
           nb::handle initial, nb::handle where) {
            return result_or_out(
                kFunction(array, reduction_of(axis, keepdims, dtype, out, initial, where)), out);
        },
        "axis"_a = nb::none(), "out"_a = nb::none(), nb::kw_only(), "dtype"_a = nb::none(),
        "keepdims"_a = false, "initial"_a = nb::none(), "where"_a.none() = true,
        nb::sig(
            kept(signature<Scope>(name, WARPWISE_AXIS WARPWISE_OUT
                                  "*, " WARPWISE_DTYPE "keepdims: bool = False" WARPWISE_INITIAL))),
        doc);
}

// With a mask.
template <Reduce kFunction, class Scope>
void bind_one(Scope& scope, const char* name, const char* doc) {
    define(
        scope, name,
        [](const Array& array, nb::handle axis, nb::handle out, nb::handle dtype, bool keepdims,
           nb::handle where) {
            return result_or_out(
                kFunction(array, reduction_of(axis, keepdims, dtype, out, nb::none(), where)), out);
        },
        "axis"_a = nb::none(), "out"_a = nb::none(), nb::kw_only(), "dtype"_a = nb::none(),
        "keepdims"_a = false, "where"_a.none() = true,
        nb::sig(kept(signature<Scope>(name, WARPWISE_AXIS WARPWISE_OUT
                                      "*, " WARPWISE_DTYPE "keepdims: bool = False, where: Array "
                                      "| bool = True"))),
        doc);
}

template <class Scope>
void bind_mean(Scope& scope) {
    define(
        scope, "mean",
        [](const Array& array, nb::handle axis, nb::handle dtype, nb::handle out, bool keepdims,
           nb::handle where) {
            return result_or_out(
                mean(array, reduction_of(axis, keepdims, dtype, out, nb::none(), where)), out);
        },
        "axis"_a = nb::none(), "dtype"_a = nb::none(), "out"_a = nb::none(), nb::kw_only(),
        "keepdims"_a = false, "where"_a.none() = true,
        nb::sig(kept(signature<Scope>("mean", WARPWISE_AXIS WARPWISE_DTYPE WARPWISE_OUT
                                      "*, keepdims: bool = False, where: Array | bool = True"))),
        "The mean; of integers in float64.");
}

constexpr const char* kSpreadRest = WARPWISE_AXIS WARPWISE_DTYPE WARPWISE_OUT
    "*, correction: float = 0.0, keepdims: bool = False, where: Array | bool = True, ddof: float "
    "| None = None";

// `ddof` is NumPy's older name of it.
double correction_of(double correction, std::optional<double> ddof, const char* name) {
    if (!ddof) return correction;
    if (correction != 0) {
        throw ArgumentError(ArgumentError::Kind::Value,
                            std::string(name) +
                                " got correction= and ddof=, which are one; give "
                                "one of them");
    }
    return *ddof;
}

template <Spread kFunction, class Scope>
void bind_spread(Scope& scope, const char* name, const char* doc) {
    define(
        scope, name,
        [name](const Array& array, nb::handle axis, nb::handle dtype, nb::handle out,
               double correction, bool keepdims, nb::handle where, std::optional<double> ddof) {
            const Reduction options = reduction_of(axis, keepdims, dtype, out, nb::none(), where);
            const double less = correction_of(correction, ddof, name);
            return result_or_out(kFunction(array, options, less), out);
        },
        "axis"_a = nb::none(), "dtype"_a = nb::none(), "out"_a = nb::none(), nb::kw_only(),
        "correction"_a = 0.0, "keepdims"_a = false, "where"_a.none() = true, "ddof"_a = nb::none(),
        nb::sig(kept(signature<Scope>(name, kSpreadRest))), doc);
}

template <Position kFunction, class Scope>
void bind_position(Scope& scope, const char* name, const char* doc) {
    define(
        scope, name,
        [name](const Array& array, std::optional<int> axis, nb::handle out, bool keepdims) {
            return written_or_new(kFunction(array, axis, keepdims), out, name);
        },
        "axis"_a = nb::none(), "out"_a = nb::none(), nb::kw_only(), "keepdims"_a = false,
        nb::sig(kept(signature<Scope>(
            name, "axis: int | None = None, " WARPWISE_OUT "*, keepdims: bool = False"))),
        doc);
}

template <class Scope>
void bind_all(Scope& scope) {
    bind_sum<&sum>(scope, "sum",
                   "The sum; narrow integers as 64-bit ones, 16-bit floats added in float32.");
    bind_sum<&prod>(scope, "prod", "The product; types as those of sum.");
    bind_extreme<&min>(scope, "min", "The least element; NaN where there is one.");
    bind_extreme<&max>(scope, "max", "The greatest element; NaN where there is one.");
    bind_one<&any>(scope, "any", "Whether any element is true.");
    bind_one<&all>(scope, "all", "Whether all elements are true.");
    bind_mean(scope);
    bind_spread<&var>(scope, "var",
                      "The mean squared distance from the mean; divides by count - correction.");
    bind_spread<&std_>(scope, "std", "The root of the variance.");
    bind_position<&argmin>(scope, "argmin",
                           "The index of the first least element, or of the first NaN.");
    bind_position<&argmax>(scope, "argmax",
                           "The index of the first greatest element, or of the first NaN.");
}

#undef WARPWISE_AXIS
#undef WARPWISE_DTYPE
#undef WARPWISE_OUT
#undef WARPWISE_INITIAL

}  // namespace

Reduction reduction_of(nb::handle axis, bool keepdims, nb::handle dtype, nb::handle out,
                       nb::handle initial, nb::handle where) {
    Reduction options{.axes = optional_axes(axis),
                      .keepdims = keepdims,
                      .dtype = optional_dtype(dtype),
                      .out = optional_array(out, "out")};
    if (!initial.is_none()) options.initial = number_of(initial, "initial");
    options.where = optional_mask(where);
    return options;
}

void bind_array_reductions(nb::module_& module, nb::class_<Array>& array) {
    bind_all(module);
    bind_all(array);
    bind_one<&count_nonzero>(module, "count_nonzero", "How many elements are not zero.");
}

}  // namespace warpwise::python
