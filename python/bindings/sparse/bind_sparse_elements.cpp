// Arithmetic on the elements of ww.sparse.SparseArray, and its reductions.
#include <nanobind/stl/optional.h>

#include <string>
#include <utility>

#include "python/bindings/arrays/array_values.hpp"
#include "python/bindings/arrays/bind_array.hpp"
#include "python/bindings/bindings.hpp"
#include "python/bindings/interpreter/describe.hpp"
#include "python/bindings/sparse/sparse_values.hpp"
#include "warpwise/array_numeric.hpp"
#include "warpwise/error.hpp"
#include "warpwise/sparse.hpp"

namespace warpwise::python {
namespace {

using sparse::Matrix;

// The product, element by element, with a number, a sparse matrix or a dense array.
nb::object multiplied(const Matrix& self, nb::handle other) {
    if (nb::isinstance<Matrix>(other)) {
        return nb::cast(sparse::multiply(self, nb::cast<const Matrix&>(other)));
    }
    if (const Array* const dense = array_in(other)) {
        return nb::cast(sparse::multiply(self, *dense));
    }
    if (const std::optional<Scalar> number = number_in(other)) {
        return nb::cast(sparse::multiply(self, *number));
    }
    return nb::borrow(Py_NotImplemented);
}

Matrix multiply(const Matrix& self, nb::handle other) {
    const nb::object result = multiplied(self, other);
    if (nb::isinstance<Matrix>(result)) return nb::cast<Matrix>(result);
    throw ArgumentError(
        ArgumentError::Kind::Type,
        "multiply expects a number, a sparse matrix or an array, got " + value_text(other));
}

nb::object divided(const Matrix& self, nb::handle other) {
    if (const Array* const dense = array_in(other)) return nb::cast(sparse::divide(self, *dense));
    if (const std::optional<Scalar> number = number_in(other)) {
        return nb::cast(sparse::divide(self, *number));
    }
    return nb::borrow(Py_NotImplemented);
}

nb::object raised(const Matrix& self, nb::handle exponent) {
    const std::optional<Scalar> number = number_in(exponent);
    if (!number) return nb::borrow(Py_NotImplemented);
    return nb::cast(sparse::power(self, *number));
}

// Python answers what is not defined by identity, which is False for equal matrices.
nb::object refuse_comparison(const Matrix&, nb::handle) {
    throw ArgumentError(ArgumentError::Kind::Type,
                        "sparse matrices are not compared; compare values, as in A.data > 0, or "
                        "dense arrays, as in A.toarray() == B.toarray()");
}

void bind_arithmetic(nb::class_<Matrix>& scope) {
    scope
        .def("multiply", &multiply, "other"_a,
             nb::sig("def multiply(self, other: SparseArray | Array | complex) -> SparseArray"),
             "The product element by element; a dense array broadcasts to the matrix.")
        .def(
            "power",
            [](const Matrix& self, nb::handle n, nb::handle dtype) {
                const Scalar exponent = number_of(n, "power");
                return sparse::power(dtype.is_none() ? self : self.astype(dtype_of(dtype)),
                                     exponent);
            },
            "n"_a, "dtype"_a = nb::none(),
            nb::sig("def power(self, n: complex, dtype: typing.Any = None) -> SparseArray"),
            "Each element to a power that is not 0.")
        .def("__mul__", &multiplied, nb::arg(),
             nb::sig("def __mul__(self, other: SparseArray | Array | complex, /) -> SparseArray"))
        .def("__rmul__", &multiplied, nb::arg(),
             nb::sig("def __rmul__(self, other: Array | complex, /) -> SparseArray"))
        .def("__truediv__", &divided, nb::arg(),
             nb::sig("def __truediv__(self, divisor: Array | complex, /) -> SparseArray"))
        .def("__pow__", &raised, nb::arg(),
             nb::sig("def __pow__(self, exponent: complex, /) -> SparseArray"))
        .def("__neg__", [](const Matrix& self) { return self.with_data(negative(self.data())); })
        .def("__abs__", [](const Matrix& self) {
            return sparse::map(self, [](const Array& values) { return abs(values); });
        });
    for (const char* const name : {"__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__"}) {
        const std::string signature =
            std::string("def ") + name + "(self, other: typing.Any, /) -> typing.NoReturn";
        scope.def(name, &refuse_comparison, nb::arg(), nb::sig(signature.c_str()));
    }
}

using Function = Array (*)(const Operand&, const Elementwise&);

void bind_functions(nb::class_<Matrix>& scope) {
    constexpr std::pair<const char*, Function> kOfElements[] = {
        {"arcsin", &asin}, {"arcsinh", &asinh},   {"arctan", &atan}, {"arctanh", &atanh},
        {"ceil", &ceil},   {"deg2rad", &deg2rad}, {"expm1", &expm1}, {"floor", &floor},
        {"log1p", &log1p}, {"rad2deg", &rad2deg}, {"rint", &round},  {"sign", &sign},
        {"sin", &sin},     {"sinh", &sinh},       {"sqrt", &sqrt},   {"tan", &tan},
        {"tanh", &tanh},   {"trunc", &trunc},
    };
    for (const auto& [name, function] : kOfElements) {
        const auto of_values = [function](const Array& values) { return function(values, {}); };
        const std::string doc = std::string("numpy.") + name + " of each element.";
        scope.def(
            name, [of_values](const Matrix& self) { return sparse::map(self, of_values); },
            doc.c_str());
    }
    const auto conjugate = [](const Matrix& self) { return self.with_data(conj(self.data())); };
    scope.def("conj", conjugate, "The complex conjugate.")
        .def("conjugate", conjugate, "The complex conjugate.")
        .def_prop_ro(
            "real", [](const Matrix& self) { return self.with_data(self.data().real()); },
            "The real parts.")
        .def_prop_ro(
            "imag", [](const Matrix& self) { return self.with_data(imaginary_parts(self.data())); },
            "The imaginary parts; zeros for real types.");
}

void bind_reductions(nb::class_<Matrix>& scope) {
    const auto reduction = [&](const char* name,
                               Array (*function)(const Matrix&, std::optional<int>),
                               const char* doc) {
        const std::string signature =
            std::string("def ") + name + "(self, axis: int | None = None) -> Array";
        scope.def(
            name,
            [function](const Matrix& self, std::optional<int> axis) {
                return function(self, axis);
            },
            "axis"_a = nb::none(), nb::sig(signature.c_str()), doc);
    };
    const auto summing = [&](const char* name,
                             Array (*function)(const Matrix&, std::optional<int>,
                                               const std::optional<DType>&),
                             const char* doc) {
        const std::string signature = std::string("def ") + name +
                                      "(self, axis: int | None = None, dtype: typing.Any = None, "
                                      "out: Array | None = None) -> Array";
        scope.def(
            name,
            [name, function](const Matrix& self, std::optional<int> axis, nb::handle dtype,
                             nb::handle out) {
                return written_or_new(function(self, axis, optional_dtype(dtype)), out, name);
            },
            "axis"_a = nb::none(), "dtype"_a = nb::none(), "out"_a = nb::none(),
            nb::sig(signature.c_str()), doc);
    };
    summing("sum", &sparse::sum, "The sum of all elements, or along an axis.");
    summing("mean", &sparse::mean, "The mean of all elements, or along an axis.");
    reduction("max", &sparse::max, "The greatest element, or those along an axis.");
    reduction("min", &sparse::min, "The least element, or those along an axis.");
    reduction("count_nonzero", &sparse::count_nonzero, "How many elements are not 0.");
    scope.def(
        "trace",
        [](const Matrix& self, std::int64_t offset) { return sparse::trace(self, offset); },
        "offset"_a = 0, "The sum of the elements (i, i + offset).");
}

}  // namespace

void bind_sparse_elements(nb::class_<Matrix>& scope) {
    bind_arithmetic(scope);
    bind_functions(scope);
    bind_reductions(scope);
}

}  // namespace warpwise::python
