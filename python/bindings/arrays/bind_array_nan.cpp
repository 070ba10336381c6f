// Reductions that leave NaN out, ranges and weighted means.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <string>

#include "python/bindings/arrays/array_import.hpp"
#include "python/bindings/arrays/array_values.hpp"
#include "python/bindings/arrays/bind_array.hpp"
#include "python/bindings/bindings.hpp"
#include "warpwise/array_numeric.hpp"

namespace warpwise::python {
namespace {

using Reduce = Array (*)(const Array&, const Reduction&);
using Spread = Array (*)(const Array&, const Reduction&, double);
using Position = Array (*)(const Array&, std::optional<int>, bool);

#define WARPWISE_AXIS "axis: int | tuple[int, ...] | None = None, "
#define WARPWISE_OUT "out: Array | None = None, "
#define WARPWISE_INITIAL "initial: complex | None = None, "
#define WARPWISE_WHERE "where: Array | bool = True"

// NumPy's order of parameters: with dtype and a start.
template <Reduce kFunction>
void bind_sum(nb::module_& module, const char* name, const char* sig, const char* doc) {
    module.def(
        name,
        [](const Array& x, nb::handle axis, nb::handle dtype, nb::handle out, bool keepdims,
           nb::handle initial, nb::handle where) {
            return result_or_out(
                kFunction(x, reduction_of(axis, keepdims, dtype, out, initial, where)), out);
        },
        nb::arg(), "axis"_a = nb::none(), "dtype"_a = nb::none(), "out"_a = nb::none(),
        "keepdims"_a = false, "initial"_a = nb::none(), "where"_a.none() = true, nb::sig(sig), doc);
}

// With dtype alone.
template <Reduce kFunction>
void bind_mean(nb::module_& module, const char* name, const char* sig, const char* doc) {
    module.def(
        name,
        [](const Array& x, nb::handle axis, nb::handle dtype, nb::handle out, bool keepdims,
           nb::handle where) {
            return result_or_out(
                kFunction(x, reduction_of(axis, keepdims, dtype, out, nb::none(), where)), out);
        },
        nb::arg(), "axis"_a = nb::none(), "dtype"_a = nb::none(), "out"_a = nb::none(),
        "keepdims"_a = false, nb::kw_only(), "where"_a.none() = true, nb::sig(sig), doc);
}

// With a start alone.
template <Reduce kFunction>
void bind_limit(nb::module_& module, const char* name, const char* sig, const char* doc) {
    module.def(
        name,
        [](const Array& x, nb::handle axis, nb::handle out, bool keepdims, nb::handle initial,
           nb::handle where) {
            return result_or_out(
                kFunction(x, reduction_of(axis, keepdims, nb::none(), out, initial, where)), out);
        },
        nb::arg(), "axis"_a = nb::none(), "out"_a = nb::none(), "keepdims"_a = false,
        "initial"_a = nb::none(), "where"_a.none() = true, nb::sig(sig), doc);
}

template <Spread kFunction>
void bind_spread(nb::module_& module, const char* name, const char* sig, const char* doc) {
    module.def(
        name,
        [](const Array& x, nb::handle axis, nb::handle dtype, nb::handle out, double ddof,
           bool keepdims, nb::handle where) {
            return result_or_out(
                kFunction(x, reduction_of(axis, keepdims, dtype, out, nb::none(), where), ddof),
                out);
        },
        nb::arg(), "axis"_a = nb::none(), "dtype"_a = nb::none(), "out"_a = nb::none(),
        "ddof"_a = 0.0, "keepdims"_a = false, nb::kw_only(), "where"_a.none() = true, nb::sig(sig),
        doc);
}

template <Position kFunction>
void bind_position(nb::module_& module, const char* name, const char* sig, const char* doc) {
    module.def(
        name,
        [name](const Array& x, std::optional<int> axis, nb::handle out, bool keepdims) {
            return written_or_new(kFunction(x, axis, keepdims), out, name);
        },
        nb::arg(), "axis"_a = nb::none(), "out"_a = nb::none(), nb::kw_only(), "keepdims"_a = false,
        nb::sig(sig), doc);
}

#define WARPWISE_SUM_SIG(name)                                                           \
    "def " name "(x: Array, /, " WARPWISE_AXIS "dtype: typing.Any = None, " WARPWISE_OUT \
    "keepdims: bool = False, " WARPWISE_INITIAL WARPWISE_WHERE ") -> Array"
#define WARPWISE_MEAN_SIG(name)                                                          \
    "def " name "(x: Array, /, " WARPWISE_AXIS "dtype: typing.Any = None, " WARPWISE_OUT \
    "keepdims: bool = False, *, " WARPWISE_WHERE ") -> Array"
#define WARPWISE_LIMIT_SIG(name)                            \
    "def " name "(x: Array, /, " WARPWISE_AXIS WARPWISE_OUT \
    "keepdims: bool = False, " WARPWISE_INITIAL WARPWISE_WHERE ") -> Array"
#define WARPWISE_SPREAD_SIG(name)                                                        \
    "def " name "(x: Array, /, " WARPWISE_AXIS "dtype: typing.Any = None, " WARPWISE_OUT \
    "ddof: float = 0.0, keepdims: bool = False, *, " WARPWISE_WHERE ") -> Array"
#define WARPWISE_POSITION_SIG(name)                                        \
    "def " name                                                            \
    "(x: Array, /, axis: int | None = None, out: Array | None = None, *, " \
    "keepdims: bool = False) -> Array"

void bind_averages(nb::module_& module) {
    module.def(
        "ptp",
        [](const Array& x, nb::handle axis, nb::handle out, bool keepdims) {
            return result_or_out(
                ptp(x, reduction_of(axis, keepdims, nb::none(), out, nb::none(), nb::none())), out);
        },
        nb::arg(), "axis"_a = nb::none(), "out"_a = nb::none(), "keepdims"_a = false,
        nb::sig("def ptp(x: Array, /, " WARPWISE_AXIS WARPWISE_OUT
                "keepdims: bool = False) -> Array"),
        "max - min.");
    module.def(
        "average",
        [](const Array& x, nb::handle axis, nb::handle weights, bool returned,
           bool keepdims) -> nb::object {
            std::optional<Array> given;
            if (!weights.is_none()) given = array_beside(weights, x, "weights");
            auto [mean, total] =
                average(x, optional_axes(axis), given ? &*given : nullptr, keepdims);
            if (!returned) return nb::steal(new_array(std::move(mean)));
            return nb::make_tuple(make_instance(std::move(mean)), make_instance(std::move(total)));
        },
        nb::arg(), "axis"_a = nb::none(), "weights"_a = nb::none(), "returned"_a = false,
        nb::kw_only(), "keepdims"_a = false,
        nb::sig("def average(x: Array, /, " WARPWISE_AXIS
                "weights: typing.Any = None, returned: bool = False, *, keepdims: bool = False) "
                "-> typing.Any"),
        "The weighted mean; returned: also the sum of the weights.");
}

template <Array (*kFunction)(const Array&, const Cumulative&)>
void bind_running(nb::module_& module, const char* name, const char* sig, const char* doc) {
    module.def(
        name,
        [](const Array& x, std::optional<int> axis, nb::handle dtype, nb::handle out) {
            return result_or_out(kFunction(x, {.axis = axis,
                                               .dtype = optional_dtype(dtype),
                                               .out = optional_array(out, "out")}),
                                 out);
        },
        nb::arg(), "axis"_a = nb::none(), "dtype"_a = nb::none(), "out"_a = nb::none(),
        nb::sig(sig), doc);
}

#define WARPWISE_RUNNING_SIG(name)                                      \
    "def " name                                                         \
    "(x: Array, /, axis: int | None = None, dtype: typing.Any = None, " \
    "out: Array | None = None) -> Array"

}  // namespace

void bind_array_nan(nb::module_& module) {
    bind_sum<&nansum>(module, "nansum", WARPWISE_SUM_SIG("nansum"), "The sum, NaN counted as 0.");
    bind_sum<&nanprod>(module, "nanprod", WARPWISE_SUM_SIG("nanprod"),
                       "The product, NaN counted as 1.");
    bind_mean<&nanmean>(module, "nanmean", WARPWISE_MEAN_SIG("nanmean"),
                        "The mean of what is not NaN.");
    bind_limit<&nanmin>(module, "nanmin", WARPWISE_LIMIT_SIG("nanmin"),
                        "The least element that is not NaN.");
    bind_limit<&nanmax>(module, "nanmax", WARPWISE_LIMIT_SIG("nanmax"),
                        "The greatest element that is not NaN.");
    bind_spread<&nanvar>(module, "nanvar", WARPWISE_SPREAD_SIG("nanvar"),
                         "The variance of what is not NaN; divides by count - ddof.");
    bind_spread<&nanstd>(module, "nanstd", WARPWISE_SPREAD_SIG("nanstd"),
                         "The root of the variance of what is not NaN.");
    bind_position<&nanargmin>(module, "nanargmin", WARPWISE_POSITION_SIG("nanargmin"),
                              "The index of the first least element that is not NaN.");
    bind_position<&nanargmax>(module, "nanargmax", WARPWISE_POSITION_SIG("nanargmax"),
                              "The index of the first greatest element that is not NaN.");
    bind_running<&nancumsum>(module, "nancumsum", WARPWISE_RUNNING_SIG("nancumsum"),
                             "cumsum, NaN counted as 0.");
    bind_running<&nancumprod>(module, "nancumprod", WARPWISE_RUNNING_SIG("nancumprod"),
                              "cumprod, NaN counted as 1.");
    bind_averages(module);
}

}  // namespace warpwise::python
