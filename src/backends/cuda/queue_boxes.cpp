// Copies of boxes between arrays, memory of the device and memory of the host.
//
// Invariant: what the driver is given of linear memory begins at the box itself, so that its rows
// need not lie within a larger whole.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "src/backends/cuda/images.hpp"
#include "src/backends/cuda/queue.hpp"
#include "src/runtime/work_records.hpp"
#include "warpwise/error.hpp"

namespace warpwise::cuda {
namespace {

using runtime::BoxCopy;
using runtime::BoxPlace;
using runtime::DeviceAddress;

// Part of a box, counted from where the box begins.
struct Part {
    std::size_t x_bytes, y, z;
    std::size_t width_bytes, height, depth;
};

DeviceAddress address_in(const BoxPlace& place, const Part& part) {
    return place.address + (place.z + part.z) * place.slice_bytes +
           (place.y + part.y) * place.row_bytes + place.x_bytes + part.x_bytes;
}

BoxSide side_of(const BoxPlace& place, const Part& part) {
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

BoxParameters parameters_of(const BoxPlace& destination, const BoxPlace& source, const Part& part) {
    return {.source = side_of(source, part),
            .destination = side_of(destination, part),
            .width_bytes = part.width_bytes,
            .height = part.height,
            .depth = part.depth};
}

// Memory that holds a part without gaps, so placed that address_in() finds it there.
BoxPlace packed(DeviceAddress address, const Part& part) {
    BoxPlace place;
    place.is_host = true;
    place.row_bytes = part.width_bytes;
    place.slice_bytes = part.width_bytes * part.height;
    place.address = address - part.z * place.slice_bytes - part.y * place.row_bytes - part.x_bytes;
    return place;
}

void copy_on_host(const BoxPlace& destination, const BoxPlace& source, const Part& part) {
    Part row = part;
    for (std::size_t z = 0; z < part.depth; ++z) {
        for (std::size_t y = 0; y < part.height; ++y) {
            row.y = part.y + y;
            row.z = part.z + z;
            std::memmove(reinterpret_cast<void*>(address_in(destination, row)),
                         reinterpret_cast<const void*>(address_in(source, row)), part.width_bytes);
        }
    }
}

// Slices that overlap in linear memory are more than one copy of the driver.
bool overlaps(const BoxPlace& place, std::size_t height) {
    return place.array == nullptr && place.slice_bytes < place.row_bytes * height;
}

// As few parts as fit in `limit` bytes each: whole slices, else whole rows, else pieces of rows.
template <class Work>
void for_each_part(const BoxCopy& copy, std::size_t limit, Work&& work) {
    const std::size_t width = std::min(copy.width_bytes, limit);
    const std::size_t height = std::clamp<std::size_t>(limit / width, 1, copy.height);
    std::size_t depth = 1;
    const bool is_split = width < copy.width_bytes || height < copy.height;
    if (!is_split && !overlaps(copy.source, height) && !overlaps(copy.destination, height)) {
        depth = std::clamp<std::size_t>(limit / width / height, 1, copy.depth);
    }
    for (std::size_t z = 0; z < copy.depth; z += depth) {
        for (std::size_t y = 0; y < copy.height; y += height) {
            for (std::size_t x = 0; x < copy.width_bytes; x += width) {
                work(Part{x, y, z, std::min(width, copy.width_bytes - x),
                          std::min(height, copy.height - y), std::min(depth, copy.depth - z)});
            }
        }
    }
}

void check_texels(const BoxPlace& place, std::size_t width_bytes) {
    if (place.array == nullptr) return;
    const std::size_t texel = static_cast<const DriverArray&>(*place.array).texel_bytes();
    if (place.x_bytes % texel == 0 && width_bytes % texel == 0) return;
    throw ArgumentError(ArgumentError::Kind::Value,
                        fmt::format("{} bytes at byte {} of an array's row are no whole texels of "
                                    "{} bytes, which is what CUDA devices copy",
                                    width_bytes, place.x_bytes, texel));
}

}  // namespace

void CudaQueue::copy_box(const BoxCopy& copy) {
    check_texels(copy.source, copy.width_bytes);
    check_texels(copy.destination, copy.width_bytes);
    const PrimaryContext::Scope scope(context_);
    queue_box(copy);
    if (const std::uint64_t group = launches_.add(copy.keep_alive)) seal_launches(group);
}

void CudaQueue::queue_box(const BoxCopy& copy) {
    const auto is_host = [](const BoxPlace& place) {
        return place.array == nullptr && place.is_host;
    };
    if (is_host(copy.source) && is_host(copy.destination)) {
        call_host([=] {
            for_each_part(copy, SIZE_MAX, [&](const Part& part) {
                copy_on_host(copy.destination, copy.source, part);
            });
        });
        return;
    }
    const bool is_up = is_host(copy.source);
    const Part nothing{};
    const bool would_wait = (is_up || is_host(copy.destination)) &&
                            holds_up(address_in(is_up ? copy.source : copy.destination, nothing));
    EventLog::Timing timing(device_.event_log(), stream_.stream);
    if (would_wait) {
        with_chunk([&](DeviceAddress chunk) { queue_staged_box(chunk, copy, is_up); });
    } else {
        for_each_part(copy, SIZE_MAX, [&](const Part& part) {
            const BoxParameters parameters = parameters_of(copy.destination, copy.source, part);
            context_.check(driver().copy_box(&parameters, stream_.stream), "copy a box");
        });
    }
    timing.done([&] {
        return runtime::record_of_copy(runtime::direction_of(copy),
                                       copy.width_bytes * copy.height * copy.depth);
    });
}

void CudaQueue::queue_staged_box(DeviceAddress chunk, const BoxCopy& copy, bool is_up) {
    for_each_part(copy, Staging::kChunk, [&](const Part& part) {
        const BoxPlace between = packed(chunk, part);
        const BoxParameters parameters = is_up ? parameters_of(copy.destination, between, part)
                                               : parameters_of(between, copy.source, part);
        if (is_up) {
            call_host([=, from = copy.source] { copy_on_host(between, from, part); });
        }
        context_.check(driver().copy_box(&parameters, stream_.stream), "copy a box");
        if (!is_up) {
            call_host([=, to = copy.destination] { copy_on_host(to, between, part); });
        }
    });
}

}  // namespace warpwise::cuda
