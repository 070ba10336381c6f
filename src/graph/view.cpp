// Coordinates from offsets. A layout without gaps is a mixed radix: the digits of an offset, from
// the longest stride down, are the coordinates of its element, and no others are.
#include "src/graph/view.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <utility>

namespace warpwise::graph {
namespace {

// The axes of `shape` with more than one element, longest stride first.
std::vector<int> axes_by_stride(const Shape& shape, const Strides& layout) {
    std::vector<int> axes;
    for (int k = 0; k < shape.size(); ++k) {
        if (shape[k] > 1) axes.push_back(k);
    }
    std::ranges::sort(
        axes, [&](int a, int b) { return layout[a] != layout[b] ? layout[a] > layout[b] : a < b; });
    return axes;
}

// The digits of `value` >= 0; false where something is left.
bool take_digits(std::int64_t value, const std::vector<int>& axes, const Strides& layout,
                 std::int64_t* digits) {
    for (const int k : axes) {
        digits[k] = value / layout[k];
        value %= layout[k];
    }
    return value == 0;
}

bool stays_inside(const IndexMap& map, const Shape& space, const Shape& shape) {
    for (int k = 0; k < shape.size(); ++k) {
        std::int64_t low = map.start[static_cast<std::size_t>(k)];
        std::int64_t high = low;
        for (int j = 0; j < space.size(); ++j) {
            const std::int64_t reach = map.step_of(k, j) * (space[j] - 1);
            (reach < 0 ? low : high) += reach;
        }
        if (low < 0 || high >= shape[k]) return false;
    }
    return true;
}

}  // namespace

IndexMap IndexMap::identity(int rank) {
    IndexMap map;
    map.rank = rank;
    const auto size = static_cast<std::size_t>(rank);
    map.start.assign(size, 0);
    map.step.assign(size * size, 0);
    for (std::size_t k = 0; k < size; ++k) map.step[k * size + k] = 1;
    return map;
}

bool IndexMap::is_identity() const noexcept {
    if (start.size() != static_cast<std::size_t>(rank)) return false;
    for (std::size_t k = 0; k < start.size(); ++k) {
        if (start[k] != 0) return false;
        for (std::size_t j = 0; j < start.size(); ++j) {
            if (step[k * start.size() + j] != (k == j ? 1 : 0)) return false;
        }
    }
    return true;
}

IndexMap IndexMap::after(const IndexMap& first) const {
    IndexMap map;
    map.rank = first.rank;
    map.start = start;
    const auto inner = static_cast<std::size_t>(first.rank);
    const auto middle = static_cast<std::size_t>(rank);
    map.step.assign(start.size() * inner, 0);
    for (std::size_t k = 0; k < start.size(); ++k) {
        for (std::size_t m = 0; m < middle; ++m) {
            const std::int64_t factor = step[k * middle + m];
            if (factor == 0) continue;
            map.start[k] += factor * first.start[m];
            for (std::size_t j = 0; j < inner; ++j) {
                map.step[k * inner + j] += factor * first.step[m * inner + j];
            }
        }
    }
    return map;
}

Access IndexMap::read(const Access& access) const {
    Access result{access.offset, Axes::filled(rank, 0)};
    for (int k = 0; k < access.strides.size(); ++k) {
        const std::int64_t stride = access.strides[k];
        if (stride == 0) continue;
        result.offset += start[static_cast<std::size_t>(k)] * stride;
        for (int j = 0; j < rank; ++j) {
            result.strides[j] += step_of(k, j) * stride;
        }
    }
    return result;
}

std::optional<IndexMap> index_map(const Access& access, const Shape& space, const Shape& shape,
                                  const Strides& layout) {
    for (const std::int64_t extent : space) {
        if (extent == 0) return std::nullopt;  // nothing is read: no coordinates either
    }
    const auto axes = axes_by_stride(shape, layout);
    const auto rank = static_cast<std::size_t>(space.size());
    const auto own = static_cast<std::size_t>(shape.size());
    IndexMap map;
    map.rank = space.size();
    map.start.assign(own, 0);
    map.step.assign(own * rank, 0);
    if (access.offset < 0 || !take_digits(access.offset, axes, layout, map.start.data())) {
        return std::nullopt;
    }
    std::vector<std::int64_t> digits(own);
    for (std::size_t j = 0; j < rank; ++j) {
        if (space[static_cast<int>(j)] == 1) continue;
        const std::int64_t stride = access.strides[static_cast<int>(j)];
        std::ranges::fill(digits, 0);
        if (!take_digits(std::abs(stride), axes, layout, digits.data())) return std::nullopt;
        for (std::size_t k = 0; k < own; ++k) {
            map.step[k * rank + j] = stride < 0 ? -digits[k] : digits[k];
        }
    }
    if (!stays_inside(map, space, shape)) return std::nullopt;
    return map;
}

ByteRange bytes_of(const Access& access, const Shape& shape, std::int64_t item_bytes) {
    ByteRange range{access.offset, access.offset + item_bytes};
    for (int k = 0; k < shape.size(); ++k) {
        if (shape[k] == 0) return {access.offset, access.offset};
        const std::int64_t reach = access.strides[k] * (shape[k] - 1);
        (reach < 0 ? range.begin : range.end) += reach;
    }
    return range;
}

namespace {

// Whether axis `a` should vary faster than axis `b`, by the inputs that step along both. The first
// that does not hold decides, as in NumPy's iterator.
bool varies_faster(int a, int b, std::span<const Strides* const> inputs, bool& is_known) {
    bool faster = false;
    is_known = false;
    for (const Strides* strides : inputs) {
        const std::int64_t of_a = std::abs((*strides)[a]);
        const std::int64_t of_b = std::abs((*strides)[b]);
        if (of_a == 0 || of_b == 0) continue;
        if (of_a >= of_b) {
            is_known = true;
            return false;
        }
        is_known = faster = true;
    }
    return faster;
}

// The strides of axes that follow each other in memory, the fastest first.
Strides without_gaps(const Shape& shape, std::int64_t item_bytes, std::span<const int> order) {
    Strides strides = Axes::filled(shape.size(), item_bytes);
    std::int64_t stride = item_bytes;
    for (const int axis : order) {
        strides[axis] = stride;
        stride *= std::max<std::int64_t>(shape[axis], 1);
    }
    return strides;
}

}  // namespace

Strides keep_order(const Shape& shape, std::int64_t item_bytes,
                   std::span<const Strides* const> inputs) {
    const int rank = shape.size();
    if (rank < 2) return Axes::filled(rank, item_bytes);
    std::vector<int> order;  // fastest first
    for (int axis = rank - 1; axis >= 0; --axis) {
        std::size_t place = order.size();
        for (std::size_t i = order.size(); i-- > 0;) {
            bool is_known = false;
            const bool faster = shape[axis] > 1 && shape[order[i]] > 1 &&
                                varies_faster(axis, order[i], inputs, is_known);
            if (faster) {
                place = i;
            } else if (is_known) {
                break;
            }
        }
        order.insert(order.begin() + static_cast<std::ptrdiff_t>(place), axis);
    }
    return without_gaps(shape, item_bytes, order);
}

Strides memory_order(const Shape& shape, std::int64_t item_bytes, const Strides& strides) {
    const auto longer = [](std::int64_t a, std::int64_t b) { return std::abs(a) > std::abs(b); };
    if (std::ranges::is_sorted(strides, longer)) return c_strides(shape, item_bytes);
    std::vector<int> order(static_cast<std::size_t>(shape.size()));  // fastest first
    std::iota(order.begin(), order.end(), 0);
    std::ranges::sort(order, {},
                      [&](int axis) { return std::pair{std::abs(strides[axis]), -axis}; });
    return without_gaps(shape, item_bytes, order);
}

}  // namespace warpwise::graph
