// Merging, ordering and describing axes.
#include "src/algorithm/axes.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <utility>

namespace warpwise::algorithm {

void merge_axes(Shape& extents, std::vector<Strides>& strides, int& kept) {
    for (int axis = extents.size() - 1; axis >= 0; --axis) {
        if (extents[axis] != 1) continue;
        extents.erase(axis);
        for (Strides& one : strides) one.erase(axis);
        if (axis < kept) --kept;
    }
    for (int axis = extents.size() - 1; axis > 0; --axis) {
        const bool is_joint = axis != kept && std::ranges::all_of(strides, [&](const Strides& one) {
                                  return one[axis - 1] == one[axis] * extents[axis];
                              });
        if (!is_joint) continue;
        extents[axis] *= extents[axis - 1];
        extents.erase(axis - 1);
        for (Strides& one : strides) one.erase(axis - 1);
        if (axis <= kept) --kept;
    }
}

void order_axes(Shape& extents, std::vector<Strides>& strides, std::size_t first) {
    std::vector<int> order(static_cast<std::size_t>(extents.size()));
    std::iota(order.begin(), order.end(), 0);
    const Strides by = strides[first];
    std::ranges::sort(order, {}, [&](int axis) { return std::pair{-std::abs(by[axis]), axis}; });
    const auto apply = [&](Axes& axes) {
        const Axes old = axes;
        for (int axis = 0; axis < axes.size(); ++axis) {
            axes[axis] = old[order[static_cast<std::size_t>(axis)]];
        }
    };
    apply(extents);
    for (Strides& one : strides) apply(one);
}

AxesAccess access_of(const Shape& extents, const Strides& strides, std::int64_t item_bytes) {
    AxesAccess access;
    std::int64_t next = item_bytes;
    bool is_linear = true;
    bool is_fixed = true;
    for (int axis = extents.size() - 1; axis >= 0; --axis) {
        is_linear = is_linear && strides[axis] == next;
        is_fixed = is_fixed && strides[axis] == 0;
        next *= extents[axis];
        if (strides[axis] == item_bytes && access.unit < 0) {
            access.unit = static_cast<std::int8_t>(axis);
        }
        if (strides[axis] == 0) access.fixed |= static_cast<std::uint16_t>(1u << axis);
    }
    if (is_linear) return {};
    if (is_fixed) return {.access = codegen::Access::Broadcast};
    access.access = codegen::Access::Strided;
    return access;
}

bool reaches_far(const Shape& extents, const Strides& strides) noexcept {
    std::int64_t reach = 0;
    for (int axis = 0; axis < extents.size(); ++axis) {
        reach += (extents[axis] - 1) * std::abs(strides[axis]);
    }
    return reach >= std::int64_t{1} << 31;
}

}  // namespace warpwise::algorithm
