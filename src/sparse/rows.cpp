// Rows of sparse matrices, and products of two: places on the host, values on the device.
#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "src/array/refuse.hpp"
#include "src/sparse/cache.hpp"
#include "src/sparse/kernels.hpp"
#include "src/sparse/structure.hpp"
#include "src/types/promotion.hpp"
#include "warpwise/array_scans.hpp"
#include "warpwise/sparse.hpp"

namespace warpwise::sparse {
namespace {

// Rows that a thread takes where a block is one.
constexpr std::int64_t kTogether = 256;

struct Structure {
    std::vector<std::int64_t> indptr;
    std::vector<std::int64_t> indices;
};

Structure fetched(const Matrix& rows) {
    return {fetch_indices(rows.indptr()), fetch_indices(rows.indices())};
}

// Where a product has entries: F. G. Gustavson, "Two fast algorithms for sparse matrices", 1978,
// with the columns of each row sorted.
Structure product_of(const Structure& a, const Structure& b, std::int64_t columns) {
    Structure c;
    c.indptr.reserve(a.indptr.size());
    c.indptr.push_back(0);
    std::vector<std::int64_t> seen(static_cast<std::size_t>(columns), -1);
    const auto range = [](const Structure& of, std::int64_t row) {
        const auto at = static_cast<std::size_t>(row);
        return std::span(of.indices)
            .subspan(static_cast<std::size_t>(of.indptr[at]),
                     static_cast<std::size_t>(of.indptr[at + 1] - of.indptr[at]));
    };
    for (std::int64_t row = 0; row + 1 < static_cast<std::int64_t>(a.indptr.size()); ++row) {
        const auto first = static_cast<std::ptrdiff_t>(c.indices.size());
        for (const std::int64_t middle : range(a, row)) {
            for (const std::int64_t column : range(b, middle)) {
                if (std::exchange(seen[static_cast<std::size_t>(column)], row) == row) continue;
                c.indices.push_back(column);
            }
        }
        std::sort(c.indices.begin() + first, c.indices.end());
        c.indptr.push_back(static_cast<std::int64_t>(c.indices.size()));
    }
    return c;
}

// The values of a product whose places are known; all in CSR.
void multiply(const Matrix& a, const Matrix& b, const Array& indptr, const Array& indices,
              const Array& values) {
    runtime::Context& context = array::context_of(values);
    const DType index = indptr.dtype();
    const auto widened = [&](const Array& array) { return astype(array, index, false); };
    const Array starts[] = {widened(a.indptr()), widened(b.indptr())};
    const Array columns[] = {widened(a.indices()), widened(b.indices())};
    const Kind kinds[] = {a.dtype().kind(), b.dtype().kind(), array::kind_of(values)};
    const bool serial = algorithm::is_serial(context);
    const int threads = serial ? 1 : kThreads;
    const std::int64_t together = serial ? kTogether : 1;
    const std::string body = fmt::format(
        "__ww_sparse_product<{}, {}, {}, {}>(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10);",
        algorithm::device_type(kinds[2]), algorithm::device_type(index.kind()),
        algorithm::device_type(kinds[0]), algorithm::device_type(kinds[1]));
    const std::int64_t each = threads * together;
    array::LibraryStep(kernel("ww_sparse_product", "rrrrrrrrwnn", body,
                              {kinds[0], kinds[1], kinds[2]}, context, threads),
                       context)
        .read(starts[0])
        .read(columns[0])
        .read(a.data())
        .read(starts[1])
        .read(columns[1])
        .read(b.data())
        .read(indptr)
        .read(indices)
        .write(values)
        .number(a.rows())
        .number(together)
        .run((a.rows() + each - 1) / each, threads);
}

Matrix product_of_rows(const Matrix& a, const Matrix& b) {
    const Operand operands[] = {a.data(), b.data()};
    const DType dtype = result_type(operands);
    const Structure places = product_of(fetched(a), fetched(b), b.columns());
    const auto entries = static_cast<std::int64_t>(places.indices.size());
    if (entries == 0) {
        return Matrix::zeros(a.rows(), b.columns(), Format::Csr, dtype, a.device());
    }
    const bool is_wide = a.indices().dtype() == int64 || b.indices().dtype() == int64;
    const DType index = is_wide ? int64 : index_type(a.rows(), b.columns(), entries);
    const Array indices = upload_indices(places.indices, index, a.device());
    const Array indptr = upload_indices(places.indptr, index, a.device());
    const Array values = array::empty_beside(a.data(), Shape{entries}, dtype);
    multiply(a, b, indptr, indices, values);
    return Matrix::csr(values, indices, indptr, a.rows(), b.columns());
}

// From 0 on, each a row.
std::vector<std::int64_t> checked_places(const Array& rows, std::int64_t count, const char* role) {
    if (rows.ndim() != 1) {
        array::refuse_index("{}s of a sparse matrix are one axis of numbers; got shape {}", role,
                            text_of(rows.shape()));
    }
    const Kind kind = array::kind_of(rows);
    if (types::is_bool(kind)) {
        if (rows.size() == count) return fetch_indices(flatnonzero(rows));
        array::refuse_index("a mask of {} bools for a sparse matrix of {} {}s", rows.size(), count,
                            role);
    }
    if (!types::is_integer(kind)) {
        array::refuse_index("{}s of a sparse matrix are integers or bools; got {}", role,
                            rows.dtype().name());
    }
    std::vector<std::int64_t> list = fetch_indices(rows);
    for (std::int64_t& row : list) {
        if (row < -count || row >= count) {
            array::refuse_index("{} {} of a sparse matrix that has {}", role, row, count);
        }
        if (row < 0) row += count;
    }
    return list;
}

}  // namespace

Matrix Matrix::slice_rows(std::int64_t start, std::int64_t stop) const {
    if (start < 0 || stop < start || stop > rows_) {
        array::refuse_index("rows {} to {} of a sparse matrix that has {}", start, stop, rows_);
    }
    const Matrix rows = compressed_rows();
    const Array starts = rows.second_.at({Slice{start, stop + 1, std::nullopt}});
    const std::int64_t first = starts.at({IndexItem{std::int64_t{0}}}).item().as_int();
    const std::int64_t last = starts.at({IndexItem{std::int64_t{-1}}}).item().as_int();
    const IndexItem part = Slice{first, last, std::nullopt};
    return {Format::Csr,
            rows.data_.at({part}),
            rows.first_.at({part}),
            warpwise::subtract(starts, Scalar(first)),
            stop - start,
            columns_};
}

Matrix Matrix::take_rows(const Array& given) const {
    return taken_rows(checked_places(given, rows_, "row"));
}

Matrix Matrix::take_columns(const Array& given) const {
    const std::vector<std::int64_t> list = checked_places(given, columns_, "column");
    return transpose().taken_rows(list).transpose().compressed_rows();
}

Matrix Matrix::taken_rows(std::span<const std::int64_t> list) const {
    const Matrix rows = compressed_rows();
    const std::vector<std::int64_t> starts = fetch_indices(rows.second_);
    std::vector<std::int64_t> indptr{0};
    std::vector<std::int64_t> order;
    for (const std::int64_t row : list) {
        const auto at = static_cast<std::size_t>(row);
        for (std::int64_t i = starts[at]; i < starts[at + 1]; ++i) order.push_back(i);
        indptr.push_back(static_cast<std::int64_t>(order.size()));
    }
    const auto count = static_cast<std::int64_t>(list.size());
    const auto entries = static_cast<std::int64_t>(order.size());
    const DType index = rows.first_.dtype() == int64 ? int64 : index_type(count, columns_, entries);
    const Array places = upload_indices(order, int64, device());
    const auto taken = [&](const Array& from) {
        return entries == 0 ? warpwise::empty(Shape{0}, from.dtype(), device())
                            : take(from, places);
    };
    return {Format::Csr,
            taken(rows.data_),
            warpwise::astype(taken(rows.first_), index, false),
            upload_indices(indptr, index, device()),
            count,
            columns_};
}

Matrix Matrix::dot(const Matrix& other) const {
    array::require_same_device(data_, other.data_, "a sparse product");
    if (columns_ != other.rows_) {
        array::refuse_value(
            "sparse matrices of shapes ({}, {}) and ({}, {}) were multiplied; the columns of the "
            "first must be as many as the rows of the second",
            rows_, columns_, other.rows_, other.columns_);
    }
    if (format_ == Format::Csc) {
        // In transposes, which are rows where these are columns.
        return product_of_rows(other.to(Format::Csc).transpose(), transpose()).transpose();
    }
    const Matrix product = product_of_rows(compressed_rows(), other.compressed_rows());
    const bool are_blocks = format_ == Format::Bsr && other.format_ == Format::Bsr;
    return are_blocks ? product.to_blocks(block_rows(), other.block_columns()) : product;
}

}  // namespace warpwise::sparse
