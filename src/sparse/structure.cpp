// Structures on the host. See structure.hpp.
#include "src/sparse/structure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "src/sparse/kernels.hpp"

namespace warpwise::sparse {
namespace {

// The order of `keys` from 0 to count - 1: stable.
std::vector<std::int64_t> counting_order(const std::vector<std::int64_t>& keys, std::int64_t count,
                                         const std::vector<std::int64_t>* before) {
    std::vector<std::int64_t> starts(static_cast<std::size_t>(count) + 1, 0);
    for (const std::int64_t key : keys) ++starts[static_cast<std::size_t>(key) + 1];
    std::partial_sum(starts.begin(), starts.end(), starts.begin());
    std::vector<std::int64_t> order(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) {
        const auto at = static_cast<std::size_t>(before != nullptr ? (*before)[i]
                                                                   : static_cast<std::int64_t>(i));
        const auto place = static_cast<std::size_t>(starts[static_cast<std::size_t>(keys[at])]++);
        order[place] = static_cast<std::int64_t>(at);
    }
    return order;
}

}  // namespace

Compressed compress(const Places& places, std::int64_t rows, std::int64_t columns) {
    Compressed result;
    const std::vector<std::int64_t> by_column = counting_order(places.column, columns, nullptr);
    result.order = counting_order(places.row, rows, &by_column);
    result.indptr.assign(static_cast<std::size_t>(rows) + 1, 0);
    std::int64_t last_row = -1;
    std::int64_t last_column = -1;
    for (std::size_t i = 0; i < result.order.size(); ++i) {
        const auto entry = static_cast<std::size_t>(result.order[i]);
        const std::int64_t row = places.row[entry];
        const std::int64_t column = places.column[entry];
        if (row == last_row && column == last_column) continue;
        result.starts.push_back(static_cast<std::int64_t>(i));
        result.indices.push_back(column);
        ++result.indptr[static_cast<std::size_t>(row) + 1];
        last_row = row;
        last_column = column;
    }
    result.starts.push_back(static_cast<std::int64_t>(result.order.size()));
    std::partial_sum(result.indptr.begin(), result.indptr.end(), result.indptr.begin());
    return result;
}

std::vector<std::int64_t> expand(const std::vector<std::int64_t>& indptr) {
    std::vector<std::int64_t> rows;
    rows.reserve(static_cast<std::size_t>(indptr.back()));
    for (std::size_t row = 0; row + 1 < indptr.size(); ++row) {
        rows.insert(rows.end(), static_cast<std::size_t>(indptr[row + 1] - indptr[row]),
                    static_cast<std::int64_t>(row));
    }
    return rows;
}

std::vector<std::int64_t> fetch_indices(const Array& indices) {
    return astype(indices, int64, false).to_vector<std::int64_t>();
}

DType index_type(std::int64_t rows, std::int64_t columns, std::int64_t entries) noexcept {
    constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
    return rows <= kMost && columns <= kMost && entries <= kMost ? int32 : int64;
}

Array upload_indices(const std::vector<std::int64_t>& indices, const DType& dtype,
                     const Device& device) {
    const Shape shape{static_cast<std::int64_t>(indices.size())};
    if (dtype == int64) return from_host(indices.data(), shape, int64, nullptr, device);
    std::vector<std::int32_t> narrow(indices.size());
    std::ranges::transform(indices, narrow.begin(),
                           [](std::int64_t value) { return static_cast<std::int32_t>(value); });
    return from_host(narrow.data(), shape, int32, nullptr, device);
}

Array gather_sums(const Array& data, const Compressed& compressed) {
    const auto count = static_cast<std::int64_t>(compressed.indices.size());
    Array result = array::empty_beside(data, Shape{count}, data.dtype());
    if (count == 0) return result;
    const Device device = data.device();
    const Array order = upload_indices(compressed.order, int64, device);
    const Array starts = upload_indices(compressed.starts, int64, device);
    const Array packed = ascontiguousarray(data);
    const Kind kind = array::kind_of(data);
    runtime::Context& context = array::context_of(data);
    array::LibraryStep(kernel("ww_gather_sums", "rrrwn",
                              fmt::format("__ww_gather_sums<{}>(a0, a1, a2, a3, a4);",
                                          algorithm::device_type(kind)),
                              {kind}, context),
                       context)
        .read(packed)
        .read(order)
        .read(starts)
        .write(result)
        .number(count)
        .run((count + kThreads - 1) / kThreads, kThreads);
    return result;
}

}  // namespace warpwise::sparse
