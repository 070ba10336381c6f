// Matrices of dense blocks in compressed rows (BSR): from and to the other formats, products.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "src/array/refuse.hpp"
#include "src/sparse/cache.hpp"
#include "src/sparse/kernels.hpp"
#include "src/sparse/structure.hpp"
#include "warpwise/sparse.hpp"

namespace warpwise::sparse {
namespace {

// Rows that a thread takes where a block of threads is one.
constexpr std::int64_t kTogether = 1024;
// Blocks of which fewer are entries than this waste memory.
constexpr double kFull = 0.7;

void require_blocks(const Array& data, std::int64_t rows, std::int64_t columns) {
    if (data.ndim() != 3) {
        array::refuse_value(
            "a bsr matrix got data of shape {}; it must have three axes: blocks, and "
            "the rows and columns of each",
            text_of(data.shape()));
    }
    const std::int64_t b = data.shape()[1];
    const std::int64_t c = data.shape()[2];
    if (b > 0 && c > 0 && rows % b == 0 && columns % c == 0) return;
    array::refuse_value("blocks of shape ({}, {}) do not divide a sparse matrix of shape ({}, {})",
                        b, c, rows, columns);
}

// Of entries at these places, how many blocks hold some, and the block of each: sorted by rows of
// blocks, then by columns.
Compressed blocks_of(const Places& places, std::int64_t rows, std::int64_t columns, std::int64_t b,
                     std::int64_t c) {
    Places blocks{places.row, places.column};
    for (std::int64_t& row : blocks.row) row /= b;
    for (std::int64_t& column : blocks.column) column /= c;
    return compress(blocks, rows / b, columns / c);
}

}  // namespace

Matrix Matrix::bsr(const Array& data, const Array& indices, const Array& indptr, std::int64_t rows,
                   std::int64_t columns) {
    require_blocks(data, rows, columns);
    const std::int64_t b = data.shape()[1];
    const std::int64_t c = data.shape()[2];
    // The structure is that of a matrix of blocks, with a number for each.
    const Matrix structure = csr(ascontiguousarray(data)
                                     .reshape(Shape{-1, b * c})
                                     .at({Ellipsis{}, IndexItem{std::int64_t{0}}}),
                                 indices, indptr, rows / b, columns / c);
    return {Format::Bsr, ascontiguousarray(data), structure.first_, structure.second_, rows,
            columns};
}

std::int64_t Matrix::block_rows() const noexcept {
    return format_ == Format::Bsr ? data_.shape()[1] : 1;
}
std::int64_t Matrix::block_columns() const noexcept {
    return format_ == Format::Bsr ? data_.shape()[2] : 1;
}

Matrix Matrix::to_blocks(std::int64_t b, std::int64_t c) const {
    if (b < 1 || c < 1 || rows_ % b != 0 || columns_ % c != 0) {
        array::refuse_value(
            "blocks of shape ({}, {}) do not divide a sparse matrix of shape ({}, {})", b, c, rows_,
            columns_);
    }
    if (format_ == Format::Bsr && b == block_rows() && c == block_columns()) return *this;
    const Matrix source = format_ == Format::Bsr ? to(Format::Coo) : *this;
    const Places places = places_of(source);
    const Compressed blocks = blocks_of(places, rows_, columns_, b, c);
    // Entries of one block are summed by their place in it: as rows of a matrix of b * c columns.
    Places inside{std::vector<std::int64_t>(places.row.size()),
                  std::vector<std::int64_t>(places.row.size())};
    for (std::size_t block = 0; block + 1 < blocks.starts.size(); ++block) {
        for (std::int64_t i = blocks.starts[block]; i < blocks.starts[block + 1]; ++i) {
            const auto entry = static_cast<std::size_t>(blocks.order[static_cast<std::size_t>(i)]);
            inside.row[entry] = static_cast<std::int64_t>(block);
            inside.column[entry] = places.row[entry] % b * c + places.column[entry] % c;
        }
    }
    const auto count = static_cast<std::int64_t>(blocks.indices.size());
    const Matrix flat(Format::Coo, source.data_, upload_indices(inside.row, int64, device()),
                      upload_indices(inside.column, int64, device()), count, b * c);
    const DType index = first_.dtype() == int64 ? int64 : index_type(rows_, columns_, count);
    return {Format::Bsr,
            flat.to_dense().reshape(Shape{count, b, c}),
            upload_indices(blocks.indices, index, device()),
            upload_indices(blocks.indptr, index, device()),
            rows_,
            columns_};
}

std::int64_t fitting_block(const Matrix& matrix) {
    const Places places = places_of(matrix);
    const auto entries =
        static_cast<double>(compress(places, matrix.rows(), matrix.columns()).indices.size());
    for (const std::int64_t block : {6, 4, 3, 2}) {
        if (entries == 0 || matrix.rows() % block != 0 || matrix.columns() % block != 0) continue;
        const auto blocks = static_cast<double>(
            blocks_of(places, matrix.rows(), matrix.columns(), block, block).indices.size());
        if (entries >= kFull * blocks * static_cast<double>(block * block)) return block;
    }
    return 1;
}

Matrix Matrix::transposed_blocks() const {
    const std::int64_t b = block_rows();
    const std::int64_t c = block_columns();
    Places places{fetch_indices(first_), expand(fetch_indices(second_))};
    const Compressed turned = compress(places, columns_ / c, rows_ / b);
    // compress() would drop a block that is there twice: the sum is made of entries then.
    if (turned.indices.size() != places.row.size()) {
        return to(Format::Coo).transpose().to_blocks(c, b);
    }
    const Array order = upload_indices(turned.order, int64, device());
    const DType index = first_.dtype();
    const Array blocks = data_.shape()[0] == 0 ? data_ : take(data_, order, 0);
    return {Format::Bsr,
            ascontiguousarray(blocks.transpose({0, 2, 1})),
            upload_indices(turned.indices, index, device()),
            upload_indices(turned.indptr, index, device()),
            columns_,
            rows_};
}

Array Matrix::multiplied_by_blocks(const Array& x, const DType& dtype) const {
    const std::int64_t width = x.ndim() == 2 ? x.shape()[1] : 1;
    Shape shape{rows_};
    if (x.ndim() == 2) shape.push_back(width);
    Array y = array::empty_beside(x, shape, dtype);
    runtime::Context& context = array::context_of(x);
    const Kind kinds[] = {array::kind_of(data_), array::kind_of(x), array::kind_of(y)};
    const bool serial = algorithm::is_serial(context);
    const std::int64_t together = serial ? kTogether : 1;
    const int threads = serial ? 1 : kThreads;
    const std::string body = fmt::format(
        "__ww_block_product<{}, {}, {}, {}, {}, {}>(a0, a1, a2, a3, a4, a5, a6, a7);",
        algorithm::device_type(kinds[2]), algorithm::device_type(array::kind_of(first_)),
        algorithm::device_type(kinds[0]), algorithm::device_type(kinds[1]), block_rows(),
        block_columns());
    const std::int64_t each = threads * together;
    array::LibraryStep(kernel("ww_block_product", "rrrrwnnn", body, {kinds[0], kinds[1], kinds[2]},
                              context, threads),
                       context)
        .read(second_)
        .read(first_)
        .read(data_)
        .read(x)
        .write(y)
        .number(y.size())
        .number(width)
        .number(together)
        .run((y.size() + each - 1) / each, threads);
    return y;
}

}  // namespace warpwise::sparse
