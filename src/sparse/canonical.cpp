// The order of entries, entries that are 0, and other shapes: places on the host, values on the
// device.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "src/array/refuse.hpp"
#include "src/sparse/structure.hpp"
#include "warpwise/array_scans.hpp"
#include "warpwise/sparse.hpp"

namespace warpwise::sparse {
namespace {

// Two extents of 64 bits multiplied, as the place of an entry among all elements may be.
using Wide = __int128;

// Rows (of CSC columns) of the entries, and their places in them; of BSR of the blocks.
struct Keys {
    std::vector<std::int64_t> major, minor;

    explicit Keys(const Matrix& a)
        : major(a.format() == Format::Coo ? fetch_indices(a.row())
                                          : expand(fetch_indices(a.indptr()))),
          minor(fetch_indices(a.format() == Format::Coo ? a.column() : a.indices())) {}

    bool precedes(std::size_t i, std::size_t j) const {
        return major[i] != major[j] ? major[i] < major[j] : minor[i] < minor[j];
    }
    bool are_sorted() const {
        for (std::size_t i = 1; i < major.size(); ++i) {
            if (precedes(i, i - 1)) return false;
        }
        return true;
    }
};

// The same entries, or some of them, in another order: `chosen` by number.
Matrix rearranged(const Matrix& a, const Keys& keys, const std::vector<std::int64_t>& chosen) {
    std::vector<std::int64_t> major;
    std::vector<std::int64_t> minor;
    major.reserve(chosen.size());
    minor.reserve(chosen.size());
    for (const std::int64_t one : chosen) {
        major.push_back(keys.major[static_cast<std::size_t>(one)]);
        minor.push_back(keys.minor[static_cast<std::size_t>(one)]);
    }
    const Device device = a.device();
    const Array data = take(a.data(), upload_indices(chosen, int64, device), 0);
    const DType index = a.format() == Format::Coo ? a.row().dtype() : a.indices().dtype();
    const Array places = upload_indices(minor, index, device);
    if (a.format() == Format::Coo) {
        return Matrix::coo(data, upload_indices(major, index, device), places, a.rows(),
                           a.columns());
    }
    std::vector<std::int64_t> starts(static_cast<std::size_t>(a.indptr().size()), 0);
    for (const std::int64_t row : major) ++starts[static_cast<std::size_t>(row) + 1];
    std::partial_sum(starts.begin(), starts.end(), starts.begin());
    const Array indptr = upload_indices(starts, index, device);
    if (a.format() == Format::Csr) return Matrix::csr(data, places, indptr, a.rows(), a.columns());
    if (a.format() == Format::Csc) return Matrix::csc(data, places, indptr, a.rows(), a.columns());
    return Matrix::bsr(data, places, indptr, a.rows(), a.columns());
}

// -1 where it is no extent.
std::int64_t quotient(Wide size, std::int64_t extent) {
    const Wide other = size / extent;
    return other > std::numeric_limits<std::int64_t>::max() ? -1 : static_cast<std::int64_t>(other);
}

}  // namespace

bool Matrix::has_sorted_indices() const {
    return Keys(*this).are_sorted();
}

bool Matrix::has_canonical_format() const {
    const Keys keys(*this);
    for (std::size_t i = 1; i < keys.major.size(); ++i) {
        if (!keys.precedes(i - 1, i)) return false;
    }
    return true;
}

Matrix Matrix::sorted() const {
    const Keys keys(*this);
    if (keys.are_sorted()) return *this;
    std::vector<std::int64_t> order(keys.major.size());
    std::iota(order.begin(), order.end(), std::int64_t{0});
    std::ranges::stable_sort(order, [&](std::int64_t i, std::int64_t j) {
        return keys.precedes(static_cast<std::size_t>(i), static_cast<std::size_t>(j));
    });
    return rearranged(*this, keys, order);
}

Matrix Matrix::without_zeros() const {
    Array is_kept = not_equal(data_, Scalar(0));
    if (format_ == Format::Bsr) is_kept = any(is_kept, {.axes = std::vector<int>{1, 2}});
    const std::vector<std::int64_t> kept = fetch_indices(flatnonzero(is_kept));
    const bool are_all = static_cast<std::int64_t>(kept.size()) == is_kept.size();
    return are_all ? *this : rearranged(*this, Keys(*this), kept);
}

Matrix Matrix::reshape(std::int64_t rows, std::int64_t columns, Order order) const {
    const Wide size = Wide{rows_} * columns_;
    if (rows == -1 && columns > 0) rows = quotient(size, columns);
    if (columns == -1 && rows > 0) columns = quotient(size, rows);
    if (rows < 0 || columns < 0 || Wide{rows} * columns != size) {
        array::refuse_value(
            "a sparse matrix of shape ({}, {}) got the shape ({}, {}); it must have "
            "as many elements",
            rows_, columns_, rows, columns);
    }
    const Matrix entries = to(Format::Coo);
    Keys keys(entries);
    for (std::size_t i = 0; i < keys.major.size(); ++i) {
        if (order == Order::C) {
            const Wide place = Wide{keys.major[i]} * columns_ + keys.minor[i];
            keys.major[i] = static_cast<std::int64_t>(place / columns);
            keys.minor[i] = static_cast<std::int64_t>(place % columns);
        } else {
            const Wide place = Wide{keys.minor[i]} * rows_ + keys.major[i];
            keys.major[i] = static_cast<std::int64_t>(place % rows);
            keys.minor[i] = static_cast<std::int64_t>(place / rows);
        }
    }
    const DType index = entries.row().dtype() == int64 ? int64 : index_type(rows, columns, nnz());
    const Matrix result = Matrix::coo(entries.data(), upload_indices(keys.major, index, device()),
                                      upload_indices(keys.minor, index, device()), rows, columns);
    return result.to(format_ == Format::Bsr ? Format::Csr : format_);
}

}  // namespace warpwise::sparse
