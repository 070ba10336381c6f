// The class ww.sparse.SparseArray, and the functions that make one.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <string>

#include "python/bindings/arrays/array_values.hpp"
#include "python/bindings/bindings.hpp"
#include "python/bindings/interpreter/describe.hpp"
#include "python/bindings/sparse/sparse_values.hpp"
#include "warpwise/error.hpp"
#include "warpwise/sparse.hpp"

namespace warpwise::python {
namespace {

using sparse::Format;
using sparse::Matrix;

template <Format kFormat>
void bind_maker(nb::module_& module, const char* name, const char* signature, const char* doc) {
    module.def(
        name,
        [](nb::handle object, nb::handle shape, nb::handle dtype, nb::handle device) {
            return matrix_of(object, kFormat, shape, dtype, device);
        },
        nb::arg(), "shape"_a = nb::none(), "dtype"_a = nb::none(), nb::kw_only(),
        "device"_a = nb::none(), nb::sig(signature), doc);
}

void bind_makers(nb::module_& module) {
    bind_maker<Format::Csr>(
        module, "csr_array",
        "def csr_array(arg: typing.Any, /, shape: tuple[int, int] | None = None, dtype: typing.Any "
        "= None, *, device: Device | str | None = None) -> SparseArray",
        "A matrix in compressed rows, of (data, indices, indptr), (data, (row, col)), a shape, a "
        "sparse matrix (SciPy's too) or a dense array.");
    bind_maker<Format::Csc>(
        module, "csc_array",
        "def csc_array(arg: typing.Any, /, shape: tuple[int, int] | None = None, dtype: typing.Any "
        "= None, *, device: Device | str | None = None) -> SparseArray",
        "A matrix in compressed columns, of what csr_array takes.");
    bind_maker<Format::Coo>(
        module, "coo_array",
        "def coo_array(arg: typing.Any, /, shape: tuple[int, int] | None = None, dtype: typing.Any "
        "= None, *, device: Device | str | None = None) -> SparseArray",
        "A matrix of coordinates and values, of what csr_array takes.");
    module.def(
        "bsr_array",
        [](nb::handle object, nb::handle shape, nb::handle dtype, nb::handle blocksize,
           nb::handle device) {
            return blocks_of(object, shape, dtype, block_size_of(blocksize), device);
        },
        nb::arg(), "shape"_a = nb::none(), "dtype"_a = nb::none(), "blocksize"_a = nb::none(),
        nb::kw_only(), "device"_a = nb::none(),
        nb::sig("def bsr_array(arg: typing.Any, /, shape: tuple[int, int] | None = None, dtype: "
                "typing.Any = None, blocksize: tuple[int, int] | None = None, *, device: Device | "
                "str | None = None) -> SparseArray"),
        "A matrix of dense blocks in compressed rows, of (data, indices, indptr) with data of "
        "three axes, or of what csr_array takes else.");
}

nb::object product(const Matrix& self, nb::handle x) {
    if (nb::isinstance<Matrix>(x)) return nb::cast(self.dot(nb::cast<Matrix>(x)));
    return nb::cast(self.dot(array_of(x, "a sparse product")));
}

nb::object product_or_scaled(const Matrix& self, nb::handle x) {
    const std::optional<Scalar> number = number_in(x);
    return number ? nb::cast(sparse::multiply(self, *number)) : product(self, x);
}

// x @ self.
Array product_from_left(const Matrix& self, nb::handle x) {
    const Array& left = array_of(x, "a sparse product");
    const Matrix transposed = self.transpose();
    return left.ndim() == 2 ? transposed.dot(left.transpose()).transpose() : transposed.dot(left);
}

[[noreturn]] void refuse_index(const std::string& text) {
    throw ArgumentError(ArgumentError::Kind::Index, text);
}

// Rows, or columns, by name.
struct Axis {
    const char* name;
    std::int64_t extent;
    Matrix (Matrix::*take)(const Array&) const;
};

// An integer from 0 on.
std::int64_t place_of(nb::handle key, const Axis& axis) {
    const std::int64_t place = integer_of(key, axis.name);
    if (place < -axis.extent || place >= axis.extent) {
        refuse_index(std::string(axis.name) + " " + std::to_string(place) +
                     " of a sparse matrix that has " + std::to_string(axis.extent));
    }
    return place < 0 ? place + axis.extent : place;
}

bool is_integer(nb::handle key) {
    return PyIndex_Check(key.ptr()) != 0 && PyBool_Check(key.ptr()) == 0 &&
           array_in(key) == nullptr;
}

bool is_full_slice(nb::handle key) {
    return PySlice_Check(key.ptr()) && key.attr("start").is_none() && key.attr("stop").is_none() &&
           key.attr("step").is_none();
}

// An integer, a slice, integers or a mask.
Matrix chosen(const Matrix& self, nb::handle key, const Axis& axis) {
    const bool is_row = axis.take == &Matrix::take_rows;
    if (is_integer(key)) {
        const std::int64_t place = place_of(key, axis);
        if (is_row) return self.slice_rows(place, place + 1);
        return self.take_columns(arange(place, place + 1));
    }
    if (PySlice_Check(key.ptr())) {
        Py_ssize_t start = 0;
        Py_ssize_t stop = 0;
        Py_ssize_t step = 0;
        if (PySlice_Unpack(key.ptr(), &start, &stop, &step) < 0) nb::raise_python_error();
        const Py_ssize_t count =
            PySlice_AdjustIndices(static_cast<Py_ssize_t>(axis.extent), &start, &stop, step);
        if (is_row && step == 1) return self.slice_rows(start, std::max(start, stop));
        return (self.*axis.take)(arange(start, start + count * step, step));
    }
    if (const Array* const places = array_in(key)) return (self.*axis.take)(*places);
    if (nb::isinstance<nb::list>(key)) return (self.*axis.take)(rows_of_list(key));
    refuse_index(std::string("a sparse matrix is indexed by ") + axis.name +
                 "s: an integer, a slice, a list or array of integers, or a mask of bools; got " +
                 value_text(key));
}

Matrix rows_at(const Matrix& self, nb::handle key) {
    return chosen(self, key, {"row", self.rows(), &Matrix::take_rows});
}

// A[rows, columns], each what rows_at() takes; of two integers an element.
nb::object elements_at(const Matrix& self, nb::handle key) {
    if (!nb::isinstance<nb::tuple>(key) || nb::len(key) != 2) return nb::cast(rows_at(self, key));
    const nb::object rows = nb::object(key[0]);
    const nb::object columns = nb::object(key[1]);
    const bool are_lists = !is_integer(rows) && !PySlice_Check(rows.ptr()) &&
                           !is_integer(columns) && !PySlice_Check(columns.ptr());
    if (are_lists) {
        refuse_index(
            "a sparse matrix got lists of rows and of columns; choose one behind the "
            "other, A[rows][:, columns]");
    }
    const Matrix part = is_full_slice(rows) ? self : rows_at(self, rows);
    if (is_full_slice(columns)) return nb::cast(part.to(Format::Csr));
    const Axis axis{"column", self.columns(), &Matrix::take_columns};
    const Matrix result = chosen(part, columns, axis);
    return is_integer(rows) && is_integer(columns) ? nb::cast(sparse::sum(result))
                                                   : nb::cast(result);
}

void bind_parts(nb::class_<Matrix>& scope) {
    scope
        .def_prop_ro(
            "shape", [](const Matrix& self) { return nb::make_tuple(self.rows(), self.columns()); },
            nb::sig("def shape(self) -> tuple[int, int]"), "Rows and columns.")
        .def_prop_ro(
            "ndim", [](const Matrix&) { return 2; }, "2.")
        .def_prop_ro("nnz", &Matrix::nnz, "Entries, zeros among them too.")
        .def_prop_ro("size", &Matrix::nnz, "Entries, as SciPy's.")
        .def_prop_ro(
            "format", [](const Matrix& self) { return name_of(self.format()); },
            nb::sig("def format(self) -> str"), "'csr', 'csc', 'coo' or 'bsr'.")
        .def_prop_ro(
            "blocksize",
            [](const Matrix& self) {
                return nb::make_tuple(self.block_rows(), self.block_columns());
            },
            nb::sig("def blocksize(self) -> tuple[int, int]"),
            "Rows and columns of a bsr matrix' blocks; (1, 1) for other formats.")
        .def_prop_ro(
            "dtype", [](const Matrix& self) { return numpy_dtype(self.dtype()); },
            nb::sig("def dtype(self) -> typing.Any"), "The NumPy dtype of the values.")
        .def_prop_ro(
            "device", [](const Matrix& self) { return self.device(); }, "Where the arrays are.")
        .def_prop_rw(
            "data", [](const Matrix& self) { return self.data(); },
            [](Matrix& self, nb::handle values) {
                self = self.with_data(array_of(values, "data"));
            },
            nb::for_getter(nb::sig("def data(self) -> Array")),
            nb::for_setter(nb::sig("def data(self, values: Array, /) -> None")), "The values.")
        .def_prop_ro(
            "indices", [](const Matrix& self) { return self.indices(); },
            "Columns (csc: rows) of the entries.")
        .def_prop_ro(
            "indptr", [](const Matrix& self) { return self.indptr(); },
            "Where rows (csc: columns) begin among the entries.")
        .def_prop_ro(
            "row", [](const Matrix& self) { return self.row(); }, "coo: rows of entries.")
        .def_prop_ro(
            "col", [](const Matrix& self) { return self.column(); }, "coo: columns of entries.")
        .def_prop_ro("T", &Matrix::transpose, "The transpose; shares all memory.");
}

// What makes the same matrix again, for pickle and copy.
nb::object reduced(const Matrix& self, const char* format) {
    const nb::object shape = nb::make_tuple(self.rows(), self.columns());
    const nb::object parts =
        self.format() == Format::Coo
            ? nb::make_tuple(self.data(), nb::make_tuple(self.row(), self.column()))
            : nb::make_tuple(self.data(), self.indices(), self.indptr());
    return nb::make_tuple(nb::module_::import_("warpwise._arrays").attr("restored_sparse"),
                          nb::make_tuple(format, parts, shape));
}

void bind_operators(nb::class_<Matrix>& scope) {
    scope
        .def("__matmul__", &product, nb::arg(),
             nb::sig("def __matmul__(self, x: typing.Any, /) -> typing.Any"))
        .def("__rmatmul__", &product_from_left, nb::arg(),
             nb::sig("def __rmatmul__(self, x: Array, /) -> Array"))
        .def("__getitem__", &elements_at, nb::arg(),
             nb::sig("def __getitem__(self, key: typing.Any, /) -> typing.Any"))
        .def(
            "__reduce__", [](const Matrix& self) { return reduced(self, name_of(self.format())); },
            nb::sig("def __reduce__(self) -> tuple[typing.Any, ...]"))
        .def("__repr__", [](const Matrix& self) {
            return std::string("<SparseArray ") + name_of(self.format()) + " (" +
                   std::to_string(self.rows()) + ", " + std::to_string(self.columns()) + "), " +
                   self.dtype().name() + ", " + std::to_string(self.nnz()) + " entries on " +
                   self.device().name() + ">";
        });
}

}  // namespace

void bind_sparse(nb::module_& module) {
    nb::class_<Matrix> scope(module, "SparseArray",
                             "A sparse matrix in compressed rows (csr), compressed columns (csc), "
                             "coordinates (coo) or dense blocks (bsr).");
    bind_parts(scope);
    bind_operators(scope);
    scope.def(
        "dot", [](const Matrix& self, nb::handle x) { return product_or_scaled(self, x); }, "x"_a,
        nb::sig("def dot(self, x: typing.Any) -> typing.Any"),
        "The product with a vector or a dense matrix, an Array; with a sparse matrix or a number, "
        "one.");
    bind_sparse_structure(scope);
    bind_sparse_elements(scope);
    bind_makers(module);
}

}  // namespace warpwise::python
