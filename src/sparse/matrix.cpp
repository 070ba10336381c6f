// Making matrices of arrays, and what they are made of.
#include <algorithm>
#include <utility>

#include "src/array/parts.hpp"
#include "src/array/refuse.hpp"
#include "src/sparse/cache.hpp"
#include "src/sparse/structure.hpp"
#include "src/types/promotion.hpp"
#include "warpwise/array_scans.hpp"
#include "warpwise/sparse.hpp"

namespace warpwise::sparse {
namespace {

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

void require_values(const DType& dtype) {
    const Kind kind = dtype.kind();
    const bool is_wide = types::is_real_float(kind) && dtype.size() >= 4;
    if (types::is_integer(kind) || is_wide || types::is_complex(kind)) return;
    array::refuse_type(
        "a sparse matrix got values of {}; use integers, float32, float64 or complex "
        "numbers",
        kind == Kind::Struct ? "struct" : dtype.name());
}

void require_extents(std::int64_t rows, std::int64_t columns) {
    if (rows >= 0 && columns >= 0) return;
    array::refuse_value("a sparse matrix got shape ({}, {}); extents are 0 or more", rows, columns);
}

void require_vector(const Array& array, const char* role) {
    if (array.ndim() == 1) return;
    array::refuse_value("a sparse matrix got {} of shape {}; it must have one axis", role,
                        text_of(array.shape()));
}

void require_index_type(const Array& array, const char* role) {
    require_vector(array, role);
    const Kind kind = array.dtype().kind();
    if (types::is_integer(kind)) return;
    array::refuse_type("a sparse matrix got {} of {}; indices are integers", role,
                       array.dtype().name());
}

// Evaluates: an index outside would lead a kernel out of memory.
void require_range(const Array& indices, std::int64_t extent, const char* role) {
    if (indices.size() == 0) return;
    const std::int64_t least = min(indices).item().as_int();
    const std::int64_t most = max(indices).item().as_int();
    if (least >= 0 && most < extent) return;
    array::refuse_index("a sparse matrix got {} with {}; they must be from 0 to {}", role,
                        least < 0 ? least : most, extent - 1);
}

void require_starts(const Array& indptr, std::int64_t extent, std::int64_t entries) {
    if (indptr.size() != extent + 1) {
        array::refuse_value(
            "a sparse matrix got indptr of {} numbers for {} rows or columns; it "
            "must have {}",
            indptr.size(), extent, extent + 1);
    }
    const std::vector<std::int64_t> starts = fetch_indices(indptr);
    if (starts.front() != 0) {
        array::refuse_value("a sparse matrix got indptr that begins with {}; it must be 0",
                            starts.front());
    }
    if (starts.back() != entries) {
        array::refuse_value(
            "a sparse matrix got indptr that ends with {} for {} entries; it must "
            "end with their number",
            starts.back(), entries);
    }
    if (!std::ranges::is_sorted(starts)) {
        array::refuse_value("a sparse matrix got indptr that falls; it must not decrease");
    }
}

void require_lengths(const Array& data, const Array& indices, const char* role) {
    require_vector(data, "data");
    require_values(data.dtype());
    array::require_same_device(data, indices, "a sparse matrix");
    if (data.size() == indices.size()) return;
    array::refuse_value("a sparse matrix got {} values and {} {}; give one for each", data.size(),
                        indices.size(), role);
}

// Both of int32 or both of int64, in C order.
std::pair<Array, Array> as_indices(const Array& a, const Array& b, std::int64_t rows,
                                   std::int64_t columns, std::int64_t entries) {
    const bool are_int32 = a.dtype() == int32 && b.dtype() == int32;
    const bool are_int64 = a.dtype() == int64 && b.dtype() == int64;
    const DType fitting = index_type(rows, columns, entries);
    const DType dtype = are_int64 || (are_int32 && fitting == int32) ? a.dtype() : fitting;
    return {ascontiguousarray(astype(a, dtype, false)), ascontiguousarray(astype(b, dtype, false))};
}

}  // namespace

Matrix::Matrix(Format format, Array data, Array first, Array second, std::int64_t rows,
               std::int64_t columns)
    : format_(format),
      data_(std::move(data)),
      first_(std::move(first)),
      second_(std::move(second)),
      rows_(rows),
      columns_(columns),
      cache_(std::make_shared<Cache>()) {}

Matrix Matrix::csr(const Array& data, const Array& indices, const Array& indptr, std::int64_t rows,
                   std::int64_t columns) {
    require_extents(rows, columns);
    require_index_type(indices, "indices");
    require_index_type(indptr, "indptr");
    require_lengths(data, indices, "indices");
    array::require_same_device(data, indptr, "a sparse matrix");
    require_starts(indptr, rows, data.size());
    require_range(indices, columns, "indices");
    auto [first, second] = as_indices(indices, indptr, rows, columns, data.size());
    return {Format::Csr, ascontiguousarray(data), first, second, rows, columns};
}

Matrix Matrix::csc(const Array& data, const Array& indices, const Array& indptr, std::int64_t rows,
                   std::int64_t columns) {
    return csr(data, indices, indptr, columns, rows).transpose();
}

Matrix Matrix::coo(const Array& data, const Array& row, const Array& column, std::int64_t rows,
                   std::int64_t columns) {
    require_extents(rows, columns);
    require_index_type(row, "row");
    require_index_type(column, "col");
    require_lengths(data, row, "rows");
    require_lengths(data, column, "columns");
    require_range(row, rows, "rows");
    require_range(column, columns, "columns");
    auto [first, second] = as_indices(row, column, rows, columns, data.size());
    return {Format::Coo, ascontiguousarray(data), first, second, rows, columns};
}

Matrix Matrix::from_dense(const Array& dense, Format format) {
    if (dense.ndim() != 2) {
        array::refuse_value("a sparse matrix got an array of shape {}; it must have two axes",
                            text_of(dense.shape()));
    }
    require_values(dense.dtype());
    const Array packed = ascontiguousarray(dense);
    const Array mask = not_equal(packed, Scalar(0));
    const std::vector<Array> places = nonzero(mask);
    return coo(compact(packed, mask), places[0], places[1], dense.shape()[0], dense.shape()[1])
        .to(format);
}

Matrix Matrix::zeros(std::int64_t rows, std::int64_t columns, Format format, const DType& dtype,
                     const std::optional<Device>& device) {
    require_extents(rows, columns);
    require_values(dtype);
    const DType index = index_type(rows, columns, 0);
    const Array data = empty(Shape{0}, dtype, device);
    const Array none = empty(Shape{0}, index, device);
    if (format == Format::Coo) return {format, data, none, none, rows, columns};
    const std::int64_t extent = format == Format::Csc ? columns : rows;
    const Array starts = warpwise::zeros(Shape{extent + 1}, index, device);
    if (format == Format::Bsr) {
        return {format, empty(Shape{0, 1, 1}, dtype, device), none, starts, rows, columns};
    }
    return {format, data, none, starts, rows, columns};
}

const Array& Matrix::indices() const {
    if (format_ != Format::Coo) return first_;
    array::refuse_value("a coo matrix has no indices; use row and col, or tocsr()");
}
const Array& Matrix::indptr() const {
    if (format_ != Format::Coo) return second_;
    array::refuse_value("a coo matrix has no indptr; use row and col, or tocsr()");
}
const Array& Matrix::row() const {
    if (format_ == Format::Coo) return first_;
    array::refuse_value("a {} matrix has no row; use indices and indptr, or tocoo()",
                        name_of(format_));
}
const Array& Matrix::column() const {
    if (format_ == Format::Coo) return second_;
    array::refuse_value("a {} matrix has no col; use indices and indptr, or tocoo()",
                        name_of(format_));
}

Matrix Matrix::transpose() const {
    if (format_ == Format::Bsr) return transposed_blocks();
    if (format_ == Format::Coo) return {format_, data_, second_, first_, columns_, rows_};
    const Format other = format_ == Format::Csr ? Format::Csc : Format::Csr;
    return {other, data_, first_, second_, columns_, rows_};
}

Matrix Matrix::with_data(const Array& data) const {
    if (format_ == Format::Bsr) {
        require_values(data.dtype());
        array::require_same_device(data, first_, "a sparse matrix");
        if (data.shape() != data_.shape()) {
            array::refuse_value("a bsr matrix with values of shape {} got some of shape {}",
                                text_of(data_.shape()), text_of(data.shape()));
        }
    } else {
        require_lengths(data, first_, "entries");
    }
    Matrix result(format_, ascontiguousarray(data), first_, second_, rows_, columns_);
    return result;
}

Matrix Matrix::astype(const DType& dtype) const {
    require_values(dtype);
    return with_data(warpwise::astype(data_, dtype, false));
}

// Entry (r, c) of block k, in the order of memory.
static Places places_of_blocks(const Matrix& matrix) {
    const std::vector<std::int64_t> rows = expand(fetch_indices(matrix.indptr()));
    const std::vector<std::int64_t> columns = fetch_indices(matrix.indices());
    Places places;
    places.row.reserve(static_cast<std::size_t>(matrix.nnz()));
    places.column.reserve(static_cast<std::size_t>(matrix.nnz()));
    for (std::size_t k = 0; k < rows.size(); ++k) {
        for (std::int64_t r = 0; r < matrix.block_rows(); ++r) {
            for (std::int64_t c = 0; c < matrix.block_columns(); ++c) {
                places.row.push_back(rows[k] * matrix.block_rows() + r);
                places.column.push_back(columns[k] * matrix.block_columns() + c);
            }
        }
    }
    return places;
}

Places places_of(const Matrix& matrix) {
    if (matrix.format() == Format::Bsr) return places_of_blocks(matrix);
    if (matrix.format() == Format::Coo) {
        return {fetch_indices(matrix.row()), fetch_indices(matrix.column())};
    }
    Places places{expand(fetch_indices(matrix.indptr())), fetch_indices(matrix.indices())};
    if (matrix.format() == Format::Csc) std::swap(places.row, places.column);
    return places;
}

Matrix Matrix::to(Format format) const {
    if (format == format_) return *this;
    if (format == Format::Csr) return compressed_rows();
    if (format == Format::Csc) return to(Format::Coo).transpose().compressed_rows().transpose();
    if (format == Format::Bsr) {
        const std::int64_t block = fitting_block(*this);
        return to_blocks(block, block);
    }
    const Places places = places_of(*this);
    const DType index = first_.dtype() == int64 ? int64 : index_type(rows_, columns_, nnz());
    return {format,
            data_.reshape(Shape{nnz()}),
            upload_indices(places.row, index, device()),
            upload_indices(places.column, index, device()),
            rows_,
            columns_};
}

// Whether the pairs ascend, so that none comes twice: most matrices need no sort to know it.
static bool are_ascending(const std::vector<std::int64_t>& first,
                          const std::vector<std::int64_t>& second) {
    for (std::size_t i = 1; i < first.size(); ++i) {
        const bool is_behind =
            first[i] != first[i - 1] ? first[i] > first[i - 1] : second[i] > second[i - 1];
        if (!is_behind) return false;
    }
    return true;
}

Matrix Matrix::in_rows(const Compressed& compressed) const {
    const auto entries = static_cast<std::int64_t>(compressed.indices.size());
    const DType index = first_.dtype() == int64 ? int64 : index_type(rows_, columns_, entries);
    return {Format::Csr,
            gather_sums(data_.reshape(Shape{nnz()}), compressed),
            upload_indices(compressed.indices, index, device()),
            upload_indices(compressed.indptr, index, device()),
            rows_,
            columns_};
}

Matrix Matrix::summed() const {
    const Places places = places_of(*this);
    const bool is_by_columns = format_ == Format::Csc;
    if (are_ascending(is_by_columns ? places.column : places.row,
                      is_by_columns ? places.row : places.column)) {
        return *this;
    }
    const Compressed compressed = compress(places, rows_, columns_);
    if (static_cast<std::int64_t>(compressed.indices.size()) == nnz()) return *this;
    const Matrix rows = in_rows(compressed);
    return format_ == Format::Bsr ? rows.to_blocks(block_rows(), block_columns())
                                  : rows.to(format_);
}

Matrix Matrix::compressed_rows() const {
    if (format_ == Format::Csr) return *this;
    {
        MutexLock lock(cache_->mutex);
        if (cache_->rows) return *cache_->rows;
    }
    Matrix result = in_rows(compress(places_of(*this), rows_, columns_));
    MutexLock lock(cache_->mutex);
    if (!cache_->rows) cache_->rows = std::make_unique<Matrix>(result);
    return result;
}

}  // namespace warpwise::sparse
