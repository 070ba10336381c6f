// How a launch of a group divides its points among blocks. The interpreter divides them alike:
// parts decide the association of reductions.
//
// Threading: pure functions and plain values.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "src/codegen/arguments.hpp"
#include "src/codegen/group.hpp"

namespace warpwise::codegen {

// Threads along x have numbers below 2^31: what divergent addresses are made of, on both devices.
inline constexpr std::int64_t kMostBlocks = (std::int64_t{1} << 31) / kThreads;
// Of a row of a reduction's grid. Tests lower it.
inline std::atomic<std::int64_t> most_blocks_of_row = kMostBlocks;

struct Geometry {
    std::int64_t blocks = 0;
    std::int64_t points = 0;  // as Role::Points
    std::int64_t kept = 1;
    std::int64_t reduced = 1;
    Parts parts;
    std::int64_t counters = 0;
};

// Over the axes that are not reduced: results of a reduction.
std::int64_t kept_points(const Group& group, const Shape& extents) noexcept;

// A grid of at least so many blocks, in rows; fewer in vain than there are rows.
std::array<std::uint32_t, 3> rows_of_blocks(std::int64_t blocks) noexcept;
// Only wide reductions have more than kMostBlocks, and only they know of rows.
std::array<std::uint32_t, 3> grid_of(const Group& group, const Geometry& geometry) noexcept;

// `items`: points that a thread of an elementwise kernel computes; `side`: tile_side(), where the
// group has tiles.
Geometry geometry_of(const Group& group, const Shape& extents, int items, int side = kTileSide);

constexpr std::int64_t divided_up(std::int64_t a, std::int64_t b) noexcept {
    return (a + b - 1) / b;
}

}  // namespace warpwise::codegen
