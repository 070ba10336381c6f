// Places of parts, and the host's own copies.
#include "src/backends/cuda/copy/boxes.hpp"

#include <fmt/format.h>

#include <cstring>

#include "src/backends/cuda/device/arrays.hpp"
#include "warpwise/error.hpp"

namespace warpwise::cuda {

using runtime::BoxPlace;
using runtime::DeviceAddress;

namespace {

BoxSide side_of(const BoxPlace& place, const BoxPart& part) {
    BoxSide side{};
    if (place.array != nullptr) {
        side.type = MemoryType::Array;
        side.array = static_cast<const DriverArray&>(*place.array).handle();
        side.x_bytes = place.x_bytes + part.x_bytes;
        side.y = place.y + part.y;
        side.z = place.z + part.z;
        return side;
    }
    const DeviceAddress begin = address_in(place, part);
    side.type = place.is_host ? MemoryType::Host : MemoryType::Device;
    if (place.is_host) {
        side.host = reinterpret_cast<const void*>(begin);
    } else {
        side.device = begin;
    }
    side.pitch = place.row_bytes;
    side.height = part.depth == 1 ? part.height : place.slice_bytes / place.row_bytes;
    return side;
}

void check_side(const BoxPlace& place, std::size_t width_bytes) {
    if (place.array == nullptr) return;
    const std::size_t texel = static_cast<const DriverArray&>(*place.array).texel_bytes();
    if (place.x_bytes % texel == 0 && width_bytes % texel == 0) return;
    throw ArgumentError(ArgumentError::Kind::Value,
                        fmt::format("{} bytes at byte {} of an array's row are no whole texels of "
                                    "{} bytes, which is what CUDA devices copy",
                                    width_bytes, place.x_bytes, texel));
}

}  // namespace

DeviceAddress address_in(const BoxPlace& place, const BoxPart& part) {
    return place.address + (place.z + part.z) * place.slice_bytes +
           (place.y + part.y) * place.row_bytes + place.x_bytes + part.x_bytes;
}

BoxParameters parameters_of(const BoxPlace& destination, const BoxPlace& source,
                            const BoxPart& part) {
    return {.source = side_of(source, part),
            .destination = side_of(destination, part),
            .width_bytes = part.width_bytes,
            .height = part.height,
            .depth = part.depth};
}

BoxPlace packed_at(DeviceAddress address, const BoxPart& part) {
    BoxPlace place;
    place.is_host = true;
    place.row_bytes = part.width_bytes;
    place.slice_bytes = part.width_bytes * part.height;
    place.address = address - part.z * place.slice_bytes - part.y * place.row_bytes - part.x_bytes;
    return place;
}

void copy_on_host(const BoxPlace& destination, const BoxPlace& source, const BoxPart& part) {
    BoxPart row = part;
    for (std::size_t z = 0; z < part.depth; ++z) {
        for (std::size_t y = 0; y < part.height; ++y) {
            row.y = part.y + y;
            row.z = part.z + z;
            std::memmove(reinterpret_cast<void*>(address_in(destination, row)),
                         reinterpret_cast<const void*>(address_in(source, row)), part.width_bytes);
        }
    }
}

bool has_overlaps(const BoxPlace& place, std::size_t height) {
    return place.array == nullptr && place.slice_bytes < place.row_bytes * height;
}

void check_texels(const runtime::BoxCopy& copy) {
    check_side(copy.source, copy.width_bytes);
    check_side(copy.destination, copy.width_bytes);
}

}  // namespace warpwise::cuda
