// How a launch of a group divides its points among blocks. The interpreter divides them alike:
// parts decide the association of reductions.
//
// Threading: pure functions and plain values.
#pragma once

#include <cstdint>

#include "src/codegen/group.hpp"

namespace warpwise::codegen {

struct Geometry {
    std::int64_t blocks = 0;
    std::int64_t points = 0;  // as Role::Points
    std::int64_t kept = 1;
    std::int64_t reduced = 1;
    Parts parts;
    std::int64_t counters = 0;
};

// `items`: points that a thread of an elementwise kernel computes.
Geometry geometry_of(const Group& group, const Shape& extents, int items);

constexpr std::int64_t divided_up(std::int64_t a, std::int64_t b) noexcept {
    return (a + b - 1) / b;
}

}  // namespace warpwise::codegen
