// Blocks of elementwise kernels and of reductions.
#include "src/codegen/geometry.hpp"

#include <algorithm>

namespace warpwise::codegen {
namespace {

Geometry reduction_geometry(const Group& group, const Shape& extents) {
    Geometry geometry;
    geometry.kept = kept_points(group, extents);
    for (int axis = extents.size() - group.reduced; axis < extents.size(); ++axis) {
        geometry.reduced *= extents[axis];
    }
    if (geometry.kept == 0) return geometry;
    geometry.parts = parts_of(group.lanes, group.order, geometry.kept, geometry.reduced);
    if (group.lanes == 1) {
        geometry.counters = divided_up(geometry.kept, kThreads);
        geometry.blocks = geometry.counters * geometry.parts.count;
    } else if (group.lanes == 32) {
        geometry.blocks = divided_up(geometry.kept, kThreads / 32);
    } else {
        geometry.counters = geometry.kept;
        geometry.blocks = geometry.kept * geometry.parts.count;
    }
    return geometry;
}

}  // namespace

std::int64_t kept_points(const Group& group, const Shape& extents) noexcept {
    std::int64_t points = 1;
    for (int axis = 0; axis < extents.size() - group.reduced; ++axis) points *= extents[axis];
    return points;
}

std::array<std::uint32_t, 3> rows_of_blocks(std::int64_t blocks) noexcept {
    const std::int64_t rows = divided_up(blocks, most_blocks_of_row.load());
    return {static_cast<std::uint32_t>(divided_up(blocks, rows)), static_cast<std::uint32_t>(rows),
            1};
}

std::array<std::uint32_t, 3> grid_of(const Group& group, const Geometry& geometry) noexcept {
    const bool has_rows = group.skeleton == Skeleton::Reduction && group.wide;
    if (has_rows) return rows_of_blocks(geometry.blocks);
    return {static_cast<std::uint32_t>(geometry.blocks), 1, 1};
}

Geometry geometry_of(const Group& group, const Shape& extents, int items, int side) {
    if (group.skeleton == Skeleton::Reduction) return reduction_geometry(group, extents);
    Geometry geometry;
    const std::int64_t tile = std::int64_t{kThreads} * items;
    const std::int64_t all = count_of(extents);
    if (all == 0) return geometry;
    if (group.across >= 0) {
        const std::int64_t length = extents[extents.size() - 1];
        const std::int64_t across = extents[group.across];
        geometry.points = all / length / across;
        const std::int64_t tiles =
            divided_up(length, side) * divided_up(across, side) * geometry.points;
        geometry.blocks = std::min(tiles, kMostBlocks);
    } else if (group.rows) {
        const std::int64_t length = extents[extents.size() - 1];
        geometry.points = all / length;
        if (group.short_rows) {
            geometry.blocks = std::min(divided_up(geometry.points, kThreads / 32), kMostBlocks);
            return geometry;
        }
        const std::int64_t units = geometry.points * divided_up(length, tile);
        // Short rows: several a block, so that a block has a tile's worth of points.
        const std::int64_t together = std::max<std::int64_t>(1, tile / length);
        geometry.blocks = std::min(divided_up(units, together), kMostBlocks);
    } else {
        geometry.points = all;
        geometry.blocks = divided_up(all, tile);
        if (walks_tiles(group)) geometry.blocks = std::min(geometry.blocks, kMostBlocks);
    }
    return geometry;
}

}  // namespace warpwise::codegen
