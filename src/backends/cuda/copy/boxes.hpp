// Copies of boxes as the driver takes them: parameters of one copy, and boxes cut into parts.
//
// Invariant: what the driver is given of linear memory begins at the box itself, so that its rows
// need not lie within a larger whole.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>

#include "src/backends/cuda/driver/abi.hpp"
#include "src/runtime/images.hpp"

namespace warpwise::cuda {

// Part of a box, counted from where the box begins.
struct BoxPart {
    std::size_t x_bytes, y, z;
    std::size_t width_bytes, height, depth;
};

runtime::DeviceAddress address_in(const runtime::BoxPlace& place, const BoxPart& part);
inline runtime::DeviceAddress start_of(const runtime::BoxPlace& place) {
    return address_in(place, BoxPart{});
}
inline bool is_host_memory(const runtime::BoxPlace& place) {
    return place.array == nullptr && place.is_host;
}

BoxParameters parameters_of(const runtime::BoxPlace& destination, const runtime::BoxPlace& source,
                            const BoxPart& part);
// Memory that holds a part without gaps, so placed that address_in() finds it there.
runtime::BoxPlace packed_at(runtime::DeviceAddress address, const BoxPart& part);
// Both sides are memory of the host.
void copy_on_host(const runtime::BoxPlace& destination, const runtime::BoxPlace& source,
                  const BoxPart& part);
// Slices that overlap in linear memory are more than one copy of the driver.
bool has_overlaps(const runtime::BoxPlace& place, std::size_t height);
// Throws ArgumentError unless the copy is one of whole texels.
void check_texels(const runtime::BoxCopy& copy);

// As few parts as fit in `limit` bytes each: whole slices, else whole rows, else pieces of rows.
template <class Work>
void for_each_part(const runtime::BoxCopy& copy, std::size_t limit, Work&& work) {
    const std::size_t width = std::min(copy.width_bytes, limit);
    const std::size_t height = std::clamp<std::size_t>(limit / width, 1, copy.height);
    std::size_t depth = 1;
    const bool is_split = width < copy.width_bytes || height < copy.height;
    if (!is_split && !has_overlaps(copy.source, height) &&
        !has_overlaps(copy.destination, height)) {
        depth = std::clamp<std::size_t>(limit / width / height, 1, copy.depth);
    }
    for (std::size_t z = 0; z < copy.depth; z += depth) {
        for (std::size_t y = 0; y < copy.height; y += height) {
            for (std::size_t x = 0; x < copy.width_bytes; x += width) {
                work(BoxPart{x, y, z, std::min(width, copy.width_bytes - x),
                             std::min(height, copy.height - y), std::min(depth, copy.depth - z)});
            }
        }
    }
}

}  // namespace warpwise::cuda
