// Products with vectors and dense matrices, dense forms, diagonals; and arithmetic.
#include <fmt/format.h>

#include <algorithm>

#include "src/array/refuse.hpp"
#include "src/codegen/geometry.hpp"
#include "src/sparse/kernels.hpp"
#include "src/sparse/row_products.hpp"
#include "src/sparse/structure.hpp"
#include "src/types/promotion.hpp"
#include "warpwise/sparse.hpp"

namespace warpwise::sparse {
namespace {

std::string types_of(const Matrix& a, Kind result, Kind vector) {
    return fmt::format("{}, {}, {}, {}", algorithm::device_type(result),
                       algorithm::device_type(a.indptr().dtype().kind()),
                       algorithm::device_type(a.dtype().kind()), algorithm::device_type(vector));
}

void multiply_dense(const Matrix& a, const Array& x, const Array& y) {
    runtime::Context& context = array::context_of(x);
    const Kind own = a.dtype().kind();
    const Kind vector = array::kind_of(x);
    const Kind result = array::kind_of(y);
    const std::string body =
        fmt::format("__ww_spmm<{}>(a0, a1, a2, a3, a4, a5, a6);", types_of(a, result, vector));
    array::LibraryStep(kernel("ww_spmm", "rrrrwnn", body, {own, vector, result}, context), context)
        .read(a.indptr())
        .read(a.indices())
        .read(a.data())
        .read(x)
        .write(y)
        .number(a.rows())
        .number(x.shape()[1])
        .run(codegen::divided_up(a.rows() * x.shape()[1], kThreads), kThreads);
}

void require_same_shape(const Matrix& a, const Matrix& b, const char* function) {
    if (a.rows() == b.rows() && a.columns() == b.columns()) return;
    array::refuse_value(
        "{} got sparse matrices of shapes ({}, {}) and ({}, {}); they must be equal", function,
        a.rows(), a.columns(), b.rows(), b.columns());
}

// b in the format of a.
Matrix like(const Matrix& a, const Matrix& b) {
    return a.format() == Format::Bsr ? b.to_blocks(a.block_rows(), a.block_columns())
                                     : b.to(a.format());
}

// Of both in CSR: entries of b behind those of a, then summed where both have one.
Matrix joined(const Matrix& a, const Matrix& b) {
    const Matrix left = a.to(Format::Coo);
    const Matrix right = b.to(Format::Coo);
    const auto both = [](const Array& x, const Array& y) {
        const DType index = x.dtype() == int64 || y.dtype() == int64 ? int64 : int32;
        const Array first = astype(x, index, false);
        const Array second = astype(y, index, false);
        const Array* const list[] = {&first, &second};
        return concat(list);
    };
    const Array* const values[] = {&left.data(), &right.data()};
    return Matrix::coo(concat(values), both(left.row(), right.row()),
                       both(left.column(), right.column()), a.rows(), a.columns());
}

Matrix combined(const Matrix& a, const Matrix& b, bool subtracts, const char* function) {
    require_same_shape(a, b, function);
    array::require_same_device(a.data(), b.data(), function);
    const Matrix other = b.format() == a.format() && a.format() != Format::Bsr ? b : like(a, b);
    const bool is_compressed = a.format() != Format::Coo;
    if (is_compressed && a.indices().shows_same(other.indices()) &&
        a.indptr().shows_same(other.indptr())) {
        return a.with_data(subtracts ? warpwise::subtract(a.data(), other.data())
                                     : warpwise::add(a.data(), other.data()));
    }
    const Matrix signed_other = subtracts ? other.with_data(negative(other.data())) : other;
    return like(a, joined(a, signed_other));
}

}  // namespace

Array Matrix::dot(const Array& x) const {
    array::require_numbers(x, "a sparse product");
    array::require_same_device(data_, x, "a sparse product");
    if (x.ndim() != 1 && x.ndim() != 2) {
        array::refuse_value(
            "a sparse product got an array of shape {}; it takes a vector or a "
            "matrix",
            text_of(x.shape()));
    }
    if (x.shape()[0] != columns_) {
        array::refuse_value(
            "a sparse matrix of shape ({}, {}) was multiplied with an array of shape "
            "{}; its first axis must have {} elements",
            rows_, columns_, text_of(x.shape()), columns_);
    }
    const Operand operands[] = {data_, x};
    const DType dtype = result_type(operands);
    Array vector = ascontiguousarray(x);
    if (types::is_bool(array::kind_of(x)) || DType(array::kind_of(x)).size() == 2) {
        vector = warpwise::astype(vector, dtype);
    }
    Shape shape{rows_};
    if (x.ndim() == 2) shape.push_back(x.shape()[1]);
    Array y = array::empty_beside(x, shape, dtype);
    if (y.size() == 0) return y;
    if (nnz() == 0) return warpwise::zeros(shape, dtype, device());
    if (format_ == Format::Bsr) return multiplied_by_blocks(vector, dtype);
    const Matrix rows = compressed_rows();
    if (x.ndim() == 1) {
        multiply_vector(rows, nullptr, vector, y);
    } else {
        multiply_dense(rows, vector, y);
    }
    return y;
}

Array Matrix::to_dense() const {
    Array dense = warpwise::zeros(Shape{rows_, columns_}, dtype(), device());
    if (nnz() == 0 || dense.size() == 0) return dense;
    const bool is_by_columns = format_ == Format::Csc;
    const Matrix rows = is_by_columns ? transpose() : compressed_rows();
    runtime::Context& context = array::context_of(data_);
    const Kind kind = array::kind_of(data_);
    const std::string body = fmt::format("__ww_to_dense<{}, {}>(a0, a1, a2, a3, a4, a5, a6);",
                                         algorithm::device_type(rows.indptr().dtype().kind()),
                                         algorithm::device_type(kind));
    array::LibraryStep(kernel("ww_to_dense", "rrrwnnn", body, {kind}, context), context)
        .read(rows.indptr())
        .read(rows.indices())
        .read(rows.data())
        .write(dense)
        .number(rows.rows())
        .number(is_by_columns ? 1 : columns_)
        .number(is_by_columns ? columns_ : 1)
        .run(codegen::divided_up(rows.rows(), kThreads), kThreads);
    return dense;
}

Array Matrix::diagonal(std::int64_t k) const {
    if (k >= columns_ || k <= -rows_) {
        const bool is_empty = rows_ == 0 || columns_ == 0;
        if (is_empty && k == 0) return empty(Shape{0}, dtype(), device());
        array::refuse_value(
            "diagonal {} of a sparse matrix of shape ({}, {}); it must be from {} to "
            "{}",
            k, rows_, columns_, 1 - rows_, columns_ - 1);
    }
    const std::int64_t row_start = k < 0 ? -k : 0;
    const std::int64_t column_start = k > 0 ? k : 0;
    const std::int64_t count = std::min(rows_ - row_start, columns_ - column_start);
    if (nnz() == 0) return warpwise::zeros(Shape{count}, dtype(), device());
    const bool is_by_columns = format_ == Format::Csc;
    const Matrix rows = is_by_columns ? transpose() : compressed_rows();
    runtime::Context& context = array::context_of(data_);
    const Kind kind = array::kind_of(data_);
    Array result = array::empty_beside(data_, Shape{count}, dtype());
    const std::string body = fmt::format("__ww_diagonal<{}, {}>(a0, a1, a2, a3, a4, a5, a6);",
                                         algorithm::device_type(rows.indptr().dtype().kind()),
                                         algorithm::device_type(kind));
    array::LibraryStep(kernel("ww_diagonal", "rrrwnnn", body, {kind}, context), context)
        .read(rows.indptr())
        .read(rows.indices())
        .read(rows.data())
        .write(result)
        .number(count)
        .number(is_by_columns ? column_start : row_start)
        .number(is_by_columns ? row_start : column_start)
        .run(codegen::divided_up(count, kThreads), kThreads);
    return result;
}

Matrix add(const Matrix& a, const Matrix& b) {
    return combined(a, b, false, "add");
}
Matrix subtract(const Matrix& a, const Matrix& b) {
    return combined(a, b, true, "subtract");
}
Matrix multiply(const Matrix& a, const Scalar& factor) {
    return a.with_data(warpwise::multiply(a.data(), factor));
}
Matrix divide(const Matrix& a, const Scalar& divisor) {
    return a.with_data(warpwise::divide(a.data(), divisor));
}

}  // namespace warpwise::sparse
