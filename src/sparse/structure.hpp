// Structures of sparse matrices on the host: sorting entries by rows, summing what is at one place.
//
// Threading: pure functions, but for what fetches arrays.
#pragma once

#include <cstdint>
#include <vector>

#include "warpwise/sparse.hpp"

namespace warpwise::sparse {

// Places of entries, in any order.
struct Places {
    std::vector<std::int64_t> row;
    std::vector<std::int64_t> column;
};

// Of the entries of a matrix, in the order of its values.
Places places_of(const Matrix& matrix);
// Of square blocks for the matrix' conversion to BSR, the extent.
std::int64_t fitting_block(const Matrix& matrix);

// Rows of sorted columns without repetition, and from which entries each is summed: those are
// order[starts[i]] to order[starts[i + 1] - 1].
struct Compressed {
    std::vector<std::int64_t> indptr;
    std::vector<std::int64_t> indices;
    std::vector<std::int64_t> order;
    std::vector<std::int64_t> starts;
};
Compressed compress(const Places& places, std::int64_t rows, std::int64_t columns);
// Row numbers of the entries of compressed rows.
std::vector<std::int64_t> expand(const std::vector<std::int64_t>& indptr);

// An array of indices, evaluated.
std::vector<std::int64_t> fetch_indices(const Array& indices);
// int32 where the numbers of rows, columns and entries fit, else int64.
DType index_type(std::int64_t rows, std::int64_t columns, std::int64_t entries) noexcept;
Array upload_indices(const std::vector<std::int64_t>& indices, const DType& dtype,
                     const Device& device);

// The sums of entries by `compressed`, on the device; in the order of the places.
Array gather_sums(const Array& data, const Compressed& compressed);

}  // namespace warpwise::sparse
