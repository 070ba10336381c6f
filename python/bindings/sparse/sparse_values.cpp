// Sparse matrices and operators of Python objects. See sparse_values.hpp.
#include "python/bindings/sparse/sparse_values.hpp"

#include <string>
#include <utility>

#include "python/bindings/arrays/array_import.hpp"
#include "python/bindings/arrays/array_values.hpp"
#include "python/bindings/interpreter/describe.hpp"
#include "python/bindings/interpreter/interpreter.hpp"
#include "warpwise/error.hpp"
#include "warpwise/sparse_factors.hpp"
#include "warpwise/sparse_packets.hpp"

namespace warpwise::python {
namespace {

using sparse::Format;
using sparse::LinearOperator;
using sparse::Matrix;

using Extents = std::pair<std::int64_t, std::int64_t>;

Extents extents_of(nb::handle shape) {
    const Shape extents = shape_of(shape, "shape");
    if (extents.size() == 2) return {extents[0], extents[1]};
    throw ArgumentError(
        ArgumentError::Kind::Value,
        "a sparse matrix expects two extents for 'shape', got " + value_text(shape));
}

std::int64_t extent_for(const Array& indices) {
    return indices.size() == 0 ? 0 : max(indices).item().as_int() + 1;
}

struct Import {
    std::optional<DType> dtype;
    std::optional<Device> device;

    Array values(nb::handle object) const { return import_array(object, dtype, device, {}); }
    Array indices(nb::handle object) const { return import_array(object, {}, device, {}); }
};

Matrix of_coordinates(nb::handle data, nb::handle places, nb::handle shape, const Import& import) {
    const Array values = import.values(data);
    const nb::object first = nb::object(places[0]);
    const nb::object second = nb::object(places[1]);
    const Array row = import.indices(first);
    const Array column = import.indices(second);
    const Extents extents =
        shape.is_none() ? Extents{extent_for(row), extent_for(column)} : extents_of(shape);
    return Matrix::coo(values, row, column, extents.first, extents.second);
}

Matrix of_compressed(nb::handle parts, Format format, nb::handle shape, const Import& import) {
    const Array data = import.values(nb::object(parts[0]));
    const Array indices = import.indices(nb::object(parts[1]));
    const Array indptr = import.indices(nb::object(parts[2]));
    const bool is_by_rows = format != Format::Csc;
    Extents extents{indptr.size() - 1, 0};
    if (shape.is_none()) {
        extents.second = extent_for(indices);
        if (!is_by_rows) std::swap(extents.first, extents.second);
    } else {
        extents = extents_of(shape);
    }
    return is_by_rows ? Matrix::csr(data, indices, indptr, extents.first, extents.second)
                      : Matrix::csc(data, indices, indptr, extents.first, extents.second);
}

bool is_scipy(nb::handle object) {
    return nb::hasattr(object, "tocsr") && nb::hasattr(object, "nnz") &&
           nb::hasattr(object, "shape");
}

Matrix of_scipy(nb::handle object, Format format, const Import& import) {
    const nb::object other = object.attr("asformat")(name_of(format));
    const nb::object shape = other.attr("shape");
    if (format == Format::Coo) {
        const nb::tuple places = nb::make_tuple(other.attr("row"), other.attr("col"));
        return of_coordinates(nb::object(other.attr("data")), places, shape, import);
    }
    const nb::tuple parts =
        nb::make_tuple(other.attr("data"), other.attr("indices"), other.attr("indptr"));
    return of_compressed(parts, format, shape, import);
}

// Two ints.
bool is_shape(nb::handle object) {
    if (!nb::isinstance<nb::tuple>(object) || nb::len(object) != 2) return false;
    return PyIndex_Check(nb::object(object[0]).ptr()) != 0 &&
           PyIndex_Check(nb::object(object[1]).ptr()) != 0;
}

Matrix of_tuple(nb::handle object, Format format, nb::handle shape, const Import& import) {
    if (is_shape(object)) {
        const Extents extents = extents_of(object);
        return Matrix::zeros(extents.first, extents.second, format, import.dtype.value_or(float64),
                             import.device);
    }
    const std::size_t count = nb::len(object);
    if (count == 3) {
        const Format given = format == Format::Coo ? Format::Csr : format;
        return of_compressed(object, given, shape, import).to(format);
    }
    const bool has_places = count == 2 && PySequence_Check(nb::object(object[1]).ptr()) != 0 &&
                            nb::len(nb::object(object[1])) == 2;
    if (has_places) {
        return of_coordinates(nb::object(object[0]), nb::object(object[1]), shape, import)
            .to(format);
    }
    throw ArgumentError(ArgumentError::Kind::Type,
                        "a sparse matrix is made of (data, indices, indptr), (data, (row, col)), a "
                        "shape, a sparse matrix or a dense array; got " +
                            value_text(object));
}

// A Python function from an array to an array.
LinearOperator::Function function_of(nb::handle object, const char* role) {
    if (PyCallable_Check(object.ptr()) == 0) {
        throw ArgumentError(ArgumentError::Kind::Type,
                            std::string(role) + " expects a function, got " + value_text(object));
    }
    return [owner = share(object), function = object.ptr(), role](const Array& x) {
        const PythonEntry entry;
        if (!entry) throw Error("Python ends: its functions cannot be called any more");
        const nb::object result = nb::borrow(function)(nb::cast(x));
        return array_of(result, role);
    };
}

}  // namespace

const char* name_of(Format format) {
    switch (format) {
        case Format::Csr:
            return "csr";
        case Format::Csc:
            return "csc";
        case Format::Coo:
            return "coo";
        case Format::Bsr:
            break;
    }
    return "bsr";
}

Format format_of(nb::handle object) {
    for (const Format format : {Format::Csr, Format::Csc, Format::Coo, Format::Bsr}) {
        if (object.is_none()
                ? format == Format::Csr
                : nb::isinstance<nb::str>(object) && text_of(object) == name_of(format)) {
            return format;
        }
    }
    throw ArgumentError(
        ArgumentError::Kind::Value,
        "a sparse format is 'csr', 'csc', 'coo' or 'bsr'; got " + value_text(object));
}

Matrix matrix_of(nb::handle object, Format format, nb::handle shape, nb::handle dtype,
                 nb::handle device) {
    const Import import{optional_dtype(dtype), optional_device(device)};
    const auto made = [&]() -> Matrix {
        if (nb::isinstance<Matrix>(object)) {
            const Matrix given = nb::cast<Matrix>(object).to(format);
            return import.dtype ? given.astype(*import.dtype) : given;
        }
        if (nb::isinstance<nb::tuple>(object)) return of_tuple(object, format, shape, import);
        if (is_scipy(object)) return of_scipy(object, format, import);
        return Matrix::from_dense(import.values(object), format);
    };
    const Matrix result = made();
    if (shape.is_none() || extents_of(shape) == Extents{result.rows(), result.columns()}) {
        return result;
    }
    throw ArgumentError(ArgumentError::Kind::Value,
                        "a sparse matrix of shape (" + std::to_string(result.rows()) + ", " +
                            std::to_string(result.columns()) + ") got shape=" + text_of(shape) +
                            "; leave it out, or give that");
}

BlockSize block_size_of(nb::handle object) {
    if (object.is_none()) return std::nullopt;
    const Shape extents = shape_of(object, "blocksize");
    if (extents.size() == 2) return std::pair{extents[0], extents[1]};
    throw ArgumentError(ArgumentError::Kind::Value,
                        "blocksize expects two extents, got " + value_text(object));
}

Matrix in_blocks(const Matrix& matrix, const BlockSize& size) {
    return size ? matrix.to_blocks(size->first, size->second) : matrix.to(Format::Bsr);
}

Matrix blocks_of(nb::handle object, nb::handle shape, nb::handle dtype, const BlockSize& size,
                 nb::handle device) {
    const Import import{optional_dtype(dtype), optional_device(device)};
    const bool has_blocks = nb::isinstance<nb::tuple>(object) && nb::len(object) == 3;
    const bool is_theirs =
        !nb::isinstance<Matrix>(object) && is_scipy(object) && nb::hasattr(object, "blocksize");
    if (!has_blocks && !is_theirs) {
        return in_blocks(
            matrix_of(
                object,
                nb::isinstance<Matrix>(object) ? nb::cast<Matrix>(object).format() : Format::Coo,
                shape, dtype, device),
            size);
    }
    const auto part = [&](int index, const char* name) {
        return has_blocks ? nb::object(object[index]) : nb::object(object.attr(name));
    };
    const Array data = import.values(part(0, "data"));
    const Array indices = import.indices(part(1, "indices"));
    const Array indptr = import.indices(part(2, "indptr"));
    const std::int64_t b = data.ndim() == 3 ? data.shape()[1] : 1;
    const std::int64_t c = data.ndim() == 3 ? data.shape()[2] : 1;
    Extents extents{(indptr.size() - 1) * b, extent_for(indices) * c};
    if (is_theirs) extents = extents_of(nb::object(object.attr("shape")));
    if (!shape.is_none()) extents = extents_of(shape);
    const Matrix made = Matrix::bsr(data, indices, indptr, extents.first, extents.second);
    return size ? in_blocks(made, size) : made;
}

Array rows_of_list(nb::handle list) {
    if (nb::len(list) == 0) return empty(Shape{0}, int64);
    return import_array(list, {}, {}, {});
}

nb::object to_scipy(const Matrix& matrix) {
    const nb::object scipy = nb::module_::import_("scipy.sparse");
    const nb::tuple shape = nb::make_tuple(matrix.rows(), matrix.columns());
    const auto host = [](const Array& array) { return nb::cast(array).attr("get")(); };
    const nb::object data = host(matrix.data());
    const std::string name = std::string(name_of(matrix.format())) + "_array";
    if (matrix.format() == Format::Coo) {
        const nb::tuple places = nb::make_tuple(host(matrix.row()), host(matrix.column()));
        return scipy.attr(name.c_str())(nb::make_tuple(data, places), "shape"_a = shape);
    }
    return scipy.attr(name.c_str())(
        nb::make_tuple(data, host(matrix.indices()), host(matrix.indptr())), "shape"_a = shape);
}

LinearOperator operator_of_functions(nb::handle shape, nb::handle product, nb::handle adjoint,
                                     nb::handle dtype) {
    const Extents extents = extents_of(shape);
    return {extents.first, extents.second, optional_dtype(dtype).value_or(float64),
            function_of(product, "matvec"),
            adjoint.is_none() ? LinearOperator::Function{} : function_of(adjoint, "rmatvec")};
}

LinearOperator operator_of(nb::handle object, const char* role) {
    if (nb::isinstance<LinearOperator>(object)) return nb::cast<LinearOperator>(object);
    if (nb::isinstance<sparse::IncompleteLu>(object)) {
        return nb::cast<sparse::IncompleteLu>(object).inverse();
    }
    if (nb::isinstance<sparse::PacketedMatrix>(object)) {
        return nb::cast<sparse::PacketedMatrix>(object).as_operator();
    }
    if (nb::isinstance<Matrix>(object)) return LinearOperator(nb::cast<Matrix>(object));
    if (const Array* const dense = array_in(object)) {
        if (dense->ndim() == 2) {
            const Array matrix = *dense;
            const Array adjoint = conj(matrix).transpose();
            return {matrix.shape()[0], matrix.shape()[1], matrix.dtype(),
                    [matrix](const Array& x) { return matmul(matrix, x); },
                    [adjoint](const Array& x) { return matmul(adjoint, x); }};
        }
    } else if (is_scipy(object)) {
        return LinearOperator(matrix_of(object, Format::Csr, nb::none(), nb::none(), nb::none()));
    } else if (nb::hasattr(object, "matvec") && nb::hasattr(object, "shape")) {
        const nb::object dtype =
            nb::hasattr(object, "dtype") ? nb::object(object.attr("dtype")) : nb::none();
        const nb::object adjoint =
            nb::hasattr(object, "rmatvec") ? nb::object(object.attr("rmatvec")) : nb::none();
        return operator_of_functions(nb::object(object.attr("shape")),
                                     nb::object(object.attr("matvec")), adjoint, dtype);
    }
    throw ArgumentError(ArgumentError::Kind::Type,
                        std::string(role) +
                            " expects a sparse matrix, a ww.Array with two axes, a LinearOperator, "
                            "or an object with shape and matvec; got " +
                            value_text(object));
}

void print_line(const std::string& line) {
    const PythonEntry python;
    if (python) nb::print(line.c_str());
}

}  // namespace warpwise::python
