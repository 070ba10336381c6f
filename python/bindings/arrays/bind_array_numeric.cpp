// Differences, comparisons with tolerances, numbers taken apart, filters, products.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <string>
#include <vector>

#include "python/bindings/arrays/array_import.hpp"
#include "python/bindings/arrays/array_values.hpp"
#include "python/bindings/arrays/bind_array.hpp"
#include "python/bindings/bindings.hpp"
#include "python/bindings/interpreter/describe.hpp"
#include "python/bindings/interpreter/interpreter.hpp"
#include "warpwise/array_numeric.hpp"
#include "warpwise/error.hpp"

namespace warpwise::python {
namespace {

nb::object pair_of(std::pair<Array, Array>&& pair) {
    return nb::make_tuple(make_instance(std::move(pair.first)),
                          make_instance(std::move(pair.second)));
}

void bind_differences(nb::module_& module) {
    module.def(
        "diff",
        [](const Array& x, int n, int axis, nb::handle prepend, nb::handle append) {
            if (prepend.is_none() && append.is_none()) return diff(x, axis, n);
            return diff(x, axis, n, optional_operand(prepend), optional_operand(append));
        },
        nb::arg(), "n"_a = 1, "axis"_a = -1, "prepend"_a = nb::none(), "append"_a = nb::none(),
        nb::sig("def diff(x: Array, /, n: int = 1, axis: int = -1, prepend: Array | complex | None "
                "= None, append: Array | complex | None = None) -> Array"),
        "The differences of neighbours, n times.");
    module.def(
        "ediff1d",
        [](const Array& x, nb::handle to_end, nb::handle to_begin) {
            return ediff1d(x, optional_operand(to_end), optional_operand(to_begin));
        },
        nb::arg(), "to_end"_a = nb::none(), "to_begin"_a = nb::none(),
        nb::sig("def ediff1d(x: Array, /, to_end: Array | complex | None = None, to_begin: Array | "
                "complex | None = None) -> Array"),
        "The differences of neighbours of the raveled array.");
    module.def(
        "gradient",
        [](const Array& x, const nb::args& spacing, nb::handle axis, int edge_order) -> nb::object {
            std::vector<Operand> distances;
            for (const nb::handle each : spacing) distances.push_back(operand_of(each));
            auto parts = gradient(x, distances, optional_axes(axis), edge_order);
            const bool is_one = parts.size() == 1;
            nb::list all = list_of(std::move(parts));
            if (is_one) return nb::object(all[0]);
            return all;
        },
        nb::arg(), "spacing"_a, "axis"_a = nb::none(), "edge_order"_a = 1,
        nb::sig("def gradient(x: Array, /, *spacing: Array | float, axis: int | tuple[int, ...] | "
                "None = None, edge_order: int = 1) -> typing.Any"),
        "Central differences: an array, or a list of one for each axis.");
    module.def(
        "trapezoid",
        [](const Array& y, nb::handle x, double dx, int axis) {
            return trapezoid(y, optional_array(x, "x"), dx, axis);
        },
        nb::arg(), "x"_a = nb::none(), "dx"_a = 1.0, "axis"_a = -1,
        nb::sig("def trapezoid(y: Array, /, x: Array | None = None, dx: float = 1.0, axis: int = "
                "-1) -> Array"),
        "The integral by the trapezoidal rule.");
    module.def(
        "unwrap",
        [](const Array& p, std::optional<double> discont, int axis, nb::handle period) {
            return unwrap(p, discont, axis,
                          period.is_none() ? std::nullopt
                                           : std::optional<Scalar>(number_of(period, "period")));
        },
        nb::arg(), "discont"_a = nb::none(), "axis"_a = -1, nb::kw_only(), "period"_a = nb::none(),
        nb::sig("def unwrap(p: Array, /, discont: float | None = None, axis: int = -1, *, period: "
                "float | None = None) -> Array"),
        "Phases without jumps greater than half of the period, which is 2 pi.");
}

void bind_comparisons(nb::module_& module) {
#define WARPWISE_TOLERANCES                                                               \
    "(a: Array | complex, b: Array | complex, rtol: float = 1e-05, atol: float = 1e-08, " \
    "equal_nan: bool = False) -> "
    module.def(
        "isclose",
        [](nb::handle a, nb::handle b, double rtol, double atol, bool equal_nan) {
            return isclose(operand_of(a), operand_of(b), rtol, atol, equal_nan);
        },
        "a"_a, "b"_a, "rtol"_a = 1e-5, "atol"_a = 1e-8, "equal_nan"_a = false,
        nb::sig("def isclose" WARPWISE_TOLERANCES "Array"),
        "Whether |a - b| <= atol + rtol * |b|.");
    module.def(
        "allclose",
        [](nb::handle a, nb::handle b, double rtol, double atol, bool equal_nan) {
            const Operand x = operand_of(a);
            const Operand y = operand_of(b);
            const GilRelease unlocked;
            return allclose(x, y, rtol, atol, equal_nan);
        },
        "a"_a, "b"_a, "rtol"_a = 1e-5, "atol"_a = 1e-8, "equal_nan"_a = false,
        nb::sig("def allclose" WARPWISE_TOLERANCES "bool"), "Whether isclose holds everywhere.");
#undef WARPWISE_TOLERANCES
    module.def(
        "array_equal",
        [](const Array& a, const Array& b, bool equal_nan) {
            const GilRelease unlocked;
            return array_equal(a, b, equal_nan);
        },
        "a1"_a, "a2"_a, "equal_nan"_a = false,
        nb::sig("def array_equal(a1: Array, a2: Array, equal_nan: bool = False) -> bool"),
        "Whether shapes and all elements are equal.");
}

void bind_numbers(nb::module_& module) {
    module.def("angle", &angle, nb::arg(), "deg"_a = false,
               nb::sig("def angle(z: Array, /, deg: bool = False) -> Array"),
               "The angle of complex numbers.");
    module.def("sinc", &sinc, nb::arg(), nb::sig("def sinc(x: Array, /) -> Array"),
               "sin(pi x) / (pi x).");
    module.def("fix", &fix, nb::arg(), nb::sig("def fix(x: Array, /) -> Array"),
               "The integer towards zero, in the same type.");
    module.def(
        "nan_to_num",
        [](const Array& x, bool copy, double nan, std::optional<double> posinf,
           std::optional<double> neginf) {
            Array result = nan_to_num(x, nan, posinf, neginf);
            if (copy) return result;
            Array target = x;
            target.assign(result);
            return target;
        },
        nb::arg(), "copy"_a = true, "nan"_a = 0.0, "posinf"_a = nb::none(), "neginf"_a = nb::none(),
        nb::sig("def nan_to_num(x: Array, /, copy: bool = True, nan: float = 0.0, posinf: float | "
                "None = None, neginf: float | None = None) -> Array"),
        "Finite numbers for NaN and infinities.");
    module.def(
        "modf", [](const Array& x) { return pair_of(modf(x)); }, nb::arg(),
        nb::sig("def modf(x: Array, /) -> tuple[Array, Array]"), "The fraction and the integer.");
    module.def(
        "frexp", [](const Array& x) { return pair_of(frexp(x)); }, nb::arg(),
        nb::sig("def frexp(x: Array, /) -> tuple[Array, Array]"),
        "A mantissa of 0.5 to 1 and the power of 2.");
    module.def(
        "ldexp", [](const Array& x, nb::handle e) { return ldexp(x, operand_of(e)); }, nb::arg(),
        nb::arg(), nb::sig("def ldexp(x: Array, exponents: Array | int, /) -> Array"),
        "x * 2**exponents.");
}

void bind_choices(nb::module_& module) {
    module.def(
        "select",
        [](nb::handle conditions, nb::handle choices, nb::handle otherwise) {
            nb::object first, second;
            return select(arrays_of(conditions, first, "select"),
                          arrays_of(choices, second, "select"), operand_of(otherwise));
        },
        nb::arg(), nb::arg(), "default"_a = 0,
        nb::sig("def select(conditions: typing.Sequence[Array], choices: typing.Sequence[Array], "
                "/, default: Array | complex = 0) -> Array"),
        "The first choice whose condition is true.");
    module.def("choose", &chosen, "a"_a, "choices"_a, "out"_a = nb::none(), "mode"_a = "raise",
               nb::sig("def choose(a: Array, choices: typing.Sequence[Array], out: Array | None = "
                       "None, mode: str = 'raise') -> Array"),
               "choices[a[i]][i].");
}

void bind_filters(nb::module_& module) {
    module.def(
        "polyval", [](nb::handle p, const Array& x) { return polyval(array_beside(p, x, "p"), x); },
        "p"_a, "x"_a, nb::sig("def polyval(p: typing.Any, x: Array) -> Array"),
        "The polynomial with these coefficients, the highest power first.");
    module.def(
        "convolve",
        [](const Array& a, const Array& v, const std::string& mode) {
            return convolve(a, v, mode);
        },
        "a"_a, "v"_a, "mode"_a = "full",
        nb::sig("def convolve(a: Array, v: Array, mode: str = 'full') -> Array"),
        "The convolution of 1-d arrays; mode 'full', 'same' or 'valid'.");
    module.def(
        "correlate",
        [](const Array& a, const Array& v, const std::string& mode) {
            return correlate(a, v, mode);
        },
        "a"_a, "v"_a, "mode"_a = "valid",
        nb::sig("def correlate(a: Array, v: Array, mode: str = 'valid') -> Array"),
        "The correlation of 1-d arrays; mode 'full', 'same' or 'valid'.");
}

void bind_products(nb::module_& module) {
    module.def(
        "dot",
        [](const Array& a, const Array& b, nb::handle out) {
            return written_or_new(dot(a, b), out, "dot");
        },
        "a"_a, "b"_a, "out"_a = nb::none(),
        nb::sig("def dot(a: Array, b: Array, out: Array | None = None) -> Array"),
        "Sums of products over the last axis of a and the last but one of b.");
#define WARPWISE_PRODUCT(name, doc)                \
    module.def(#name, &name, nb::arg(), nb::arg(), \
               nb::sig("def " #name "(a: Array, b: Array, /) -> Array"), doc)
    WARPWISE_PRODUCT(vdot, "The sum of conj(a) * b over the raveled arrays.");
    WARPWISE_PRODUCT(inner, "Sums of products over the last axes.");
#undef WARPWISE_PRODUCT
    module.def("kron", &kron, "a"_a, "b"_a, nb::sig("def kron(a: Array, b: Array) -> Array"),
               "The Kronecker product.");
    module.def(
        "outer",
        [](const Array& a, const Array& b, nb::handle out) {
            return written_or_new(outer(a, b), out, "outer");
        },
        "a"_a, "b"_a, "out"_a = nb::none(),
        nb::sig("def outer(a: Array, b: Array, out: Array | None = None) -> Array"),
        "All products of the raveled arrays.");
    module.def(
        "cross",
        [](const Array& a, const Array& b, int axisa, int axisb, int axisc,
           std::optional<int> axis) {
            return axis ? cross(a, b, *axis, *axis, *axis) : cross(a, b, axisa, axisb, axisc);
        },
        "a"_a, "b"_a, "axisa"_a = -1, "axisb"_a = -1, "axisc"_a = -1, "axis"_a = nb::none(),
        nb::sig("def cross(a: Array, b: Array, axisa: int = -1, axisb: int = -1, axisc: int = "
                "-1, axis: int | None = None) -> Array"),
        "The cross product of vectors of three elements.");
    module.def(
        "einsum",
        [](const std::string& subscripts, const nb::args& operands, nb::handle out,
           [[maybe_unused]] nb::handle optimize) {
            nb::object holder;
            return written_or_new(einsum(subscripts, arrays_of(operands, holder, "einsum")), out,
                                  "einsum");
        },
        "subscripts"_a, "operands"_a, "out"_a = nb::none(), "optimize"_a = false,
        nb::sig("def einsum(subscripts: str, /, *operands: Array, out: Array | None = None, "
                "optimize: typing.Any = False) -> Array"),
        "Sums of products by labels of axes, such as 'ij,jk->ik'; of several operands in an order "
        "of its own, whatever optimize= is.");
}

}  // namespace

nb::object chosen(const Array& index, nb::handle choices, nb::handle out, const std::string& mode) {
    nb::object holder;
    std::vector<Array> rows;  // of one array, which are the choices then
    std::vector<const Array*> arrays;
    if (const Array* const together = array_in(choices)) {
        rows = unstack(*together);
        for (const Array& row : rows) arrays.push_back(&row);
    } else {
        arrays = arrays_of(choices, holder, "choose");
    }
    return written_or_new(choose(index, arrays, mode), out, "choose");
}

void bind_array_numeric(nb::module_& module) {
    bind_differences(module);
    bind_comparisons(module);
    bind_numbers(module);
    bind_choices(module);
    bind_filters(module);
    bind_products(module);
}

}  // namespace warpwise::python
