// Formats, shapes, the order of entries and dense forms of ww.sparse.SparseArray.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <string>

#include "python/bindings/arrays/array_values.hpp"
#include "python/bindings/arrays/bind_array.hpp"
#include "python/bindings/bindings.hpp"
#include "python/bindings/interpreter/describe.hpp"
#include "python/bindings/sparse/sparse_values.hpp"
#include "warpwise/error.hpp"
#include "warpwise/sparse.hpp"

namespace warpwise::python {
namespace {

using sparse::Format;
using sparse::Matrix;

Matrix copied(const Matrix& matrix) {
    return matrix.with_data(copy(matrix.data()));
}

template <Format kFormat>
void bind_conversion(nb::class_<Matrix>& scope, const char* name, const char* doc) {
    const std::string signature =
        std::string("def ") + name + "(self, copy: bool = False) -> SparseArray";
    scope.def(
        name,
        [](const Matrix& self, bool copy) {
            const Matrix result = self.to(kFormat);
            return copy ? copied(result) : result;
        },
        "copy"_a = false, nb::sig(signature.c_str()), doc);
}

void bind_formats(nb::class_<Matrix>& scope) {
    bind_conversion<Format::Csr>(scope, "tocsr", "In compressed rows.");
    bind_conversion<Format::Csc>(scope, "tocsc", "In compressed columns.");
    bind_conversion<Format::Coo>(scope, "tocoo", "As coordinates and values.");
    scope
        .def(
            "tobsr",
            [](const Matrix& self, nb::handle blocksize) {
                return in_blocks(self, block_size_of(blocksize));
            },
            "blocksize"_a = nb::none(),
            nb::sig("def tobsr(self, blocksize: tuple[int, int] | None = None) -> SparseArray"),
            "In dense blocks; of None the largest square ones (to 6) that are 70 % full.")
        .def(
            "asformat",
            [](const Matrix& self, nb::handle format) { return self.to(format_of(format)); },
            "format"_a, nb::sig("def asformat(self, format: str) -> SparseArray"),
            "In that format; itself where it has it.")
        .def("get", &to_scipy, nb::sig("def get(self) -> typing.Any"),
             "SciPy's array of the same format, on the host.")
        .def(
            "astype",
            [](const Matrix& self, nb::handle dtype) { return self.astype(dtype_of(dtype)); },
            "dtype"_a, nb::sig("def astype(self, dtype: typing.Any) -> SparseArray"),
            "The same with values of another type.")
        .def("copy", &copied, "The same structure with values of its own.");
}

nb::object dense_of(const Matrix& self, nb::handle order, nb::handle out) {
    Array dense = self.to_dense();
    const bool is_by_columns = order_of(order, &dense) == Order::F;
    if (is_by_columns && out.is_none()) dense = copy(dense, Order::F);
    return written_or_new(std::move(dense), out, "toarray");
}

// Two ints, or a tuple of them.
Matrix reshaped(const Matrix& self, const nb::args& given, nb::handle order, bool copy) {
    const nb::object shape = given.size() == 1 ? nb::object(given[0]) : nb::object(given);
    const Shape extents = shape_of(shape);
    if (extents.size() != 2) {
        throw ArgumentError(
            ArgumentError::Kind::Value,
            "reshape of a sparse matrix expects two extents, got " + value_text(shape));
    }
    const Matrix result = self.reshape(extents[0], extents[1], order_of(order).value_or(Order::C));
    return copy ? copied(result) : result;
}

void bind_shapes(nb::class_<Matrix>& scope) {
    scope
        .def(
            "transpose",
            [](const Matrix& self, nb::handle axes, bool copy) {
                if (!axes.is_none()) {
                    throw ArgumentError(ArgumentError::Kind::Value,
                                        "transpose of a sparse matrix got axes=" +
                                            value_text(axes) + "; it has two axes, leave them out");
                }
                return copy ? copied(self.transpose()) : self.transpose();
            },
            "axes"_a = nb::none(), "copy"_a = false,
            nb::sig("def transpose(self, axes: None = None, copy: bool = False) -> SparseArray"),
            "The transpose; shares all memory, unless it is to be copied.")
        .def("reshape", &reshaped, "shape"_a, "order"_a.none() = "C", "copy"_a = false,
             nb::sig("def reshape(self, *shape: typing.Any, order: str | None = 'C', copy: bool = "
                     "False) -> SparseArray"),
             "The same elements in rows of another length, in the order of C or of Fortran.")
        .def("diagonal", &Matrix::diagonal, "k"_a = 0, "The elements (i, i + k).");
    for (const char* const name : {"toarray", "todense"}) {
        const std::string signature = std::string("def ") + name +
                                      "(self, order: str | None = None, out: Array | None = None) "
                                      "-> Array";
        scope.def(name, &dense_of, "order"_a = nb::none(), "out"_a = nb::none(),
                  nb::sig(signature.c_str()), "The dense array.");
    }
}

// What SciPy is told about the order of entries is found here by looking at them: True is refused
// where it is not so, False changes nothing.
template <bool (Matrix::*find)() const>
auto told(const char* name, const char* remedy) {
    return [name, remedy](const Matrix& self, bool value) {
        if (!value || (self.*find)()) return;
        throw ArgumentError(ArgumentError::Kind::Value,
                            std::string(name) +
                                " got True for a sparse matrix whose entries lie "
                                "otherwise; call " +
                                remedy + "()");
    };
}

// In place, as SciPy's: the object is another matrix from then on.
void bind_entries(nb::class_<Matrix>& scope) {
    scope
        .def_prop_rw("has_sorted_indices", &Matrix::has_sorted_indices,
                     told<&Matrix::has_sorted_indices>("has_sorted_indices", "sort_indices"),
                     "Whether the entries of each row (csc: column) are by their indices.")
        .def_prop_rw("has_canonical_format", &Matrix::has_canonical_format,
                     told<&Matrix::has_canonical_format>("has_canonical_format", "sum_duplicates"),
                     "Whether they are, and none is at the place of another one.")
        .def("sorted_indices", &Matrix::sorted, "The same with entries by their indices.")
        .def(
            "sort_indices", [](Matrix& self) { self = self.sorted(); },
            "Sorts the entries of each row (csc: column) by their indices, in place.")
        .def(
            "sum_duplicates", [](Matrix& self) { self = self.summed().sorted(); },
            "Adds entries at one place, in place, and sorts them.")
        .def(
            "eliminate_zeros", [](Matrix& self) { self = self.without_zeros(); },
            "Removes entries that are 0, in place.");
}

// With a sparse matrix one; with an array, which is dense, an array; with the number 0 itself.
nb::object added(const Matrix& self, nb::handle other) {
    if (nb::isinstance<Matrix>(other)) {
        return nb::cast(sparse::add(self, nb::cast<const Matrix&>(other)));
    }
    if (const Array* const dense = array_in(other)) return nb::cast(sparse::add(self, *dense));
    const std::optional<Scalar> number = number_in(other);
    if (number && !number->as_bool()) return nb::cast(self);
    return nb::borrow(Py_NotImplemented);
}

nb::object less(const Matrix& self, nb::handle other) {
    if (nb::isinstance<Matrix>(other)) {
        return nb::cast(sparse::subtract(self, nb::cast<const Matrix&>(other)));
    }
    if (const Array* const dense = array_in(other)) return nb::cast(sparse::subtract(self, *dense));
    return added(self, other);
}

nb::object less_from_left(const Matrix& self, nb::handle other) {
    if (const Array* const dense = array_in(other)) return nb::cast(sparse::subtract(*dense, self));
    const std::optional<Scalar> number = number_in(other);
    if (number && !number->as_bool()) return nb::cast(self.with_data(negative(self.data())));
    return nb::borrow(Py_NotImplemented);
}

void bind_sums(nb::class_<Matrix>& scope) {
    scope
        .def("__add__", &added, nb::arg(),
             nb::sig("def __add__(self, other: SparseArray | Array | complex, /) -> typing.Any"))
        .def("__radd__", &added, nb::arg(),
             nb::sig("def __radd__(self, other: Array | complex, /) -> typing.Any"))
        .def("__sub__", &less, nb::arg(),
             nb::sig("def __sub__(self, other: SparseArray | Array | complex, /) -> typing.Any"))
        .def("__rsub__", &less_from_left, nb::arg(),
             nb::sig("def __rsub__(self, other: Array | complex, /) -> typing.Any"));
}

}  // namespace

void bind_sparse_structure(nb::class_<Matrix>& scope) {
    bind_formats(scope);
    bind_shapes(scope);
    bind_entries(scope);
    bind_sums(scope);
}

}  // namespace warpwise::python
