// Axes of several arrays, reduced to what their memory needs: fewer axes, fewer kernels.
//
// Threading: pure functions.
#pragma once

#include <vector>

#include "src/codegen/group.hpp"
#include "warpwise/shape.hpp"

namespace warpwise::algorithm {

// Removes axes of extent 1 and joins neighbours that all arrays step through as through one.
// `kept`: the first so many axes are not joined with the others.
void merge_axes(Shape& extents, std::vector<Strides>& strides, int& kept);
inline void merge_axes(Shape& extents, std::vector<Strides>& strides) {
    int kept = 0;
    merge_axes(extents, strides, kept);
}
// Orders the axes so that the array `first` is walked without jumping, outermost first.
void order_axes(Shape& extents, std::vector<Strides>& strides, std::size_t first);

// How an array lies over axes that are merged.
struct AxesAccess {
    codegen::Access access = codegen::Access::Linear;
    std::int8_t unit = -1;
    std::uint16_t fixed = 0;
};
AxesAccess access_of(const Shape& extents, const Strides& strides, std::int64_t item_bytes);
// Whether an offset in bytes may reach 2^31.
bool reaches_far(const Shape& extents, const Strides& strides) noexcept;

}  // namespace warpwise::algorithm
