// Arrays of the fake driver are plain memory, textures and surfaces numbers. Refused is what the
// real one refuses: extents, alignment, boxes that leave their array, surfaces of other arrays.
#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "tests/unit/backends/cuda/fake_world.hpp"

namespace warpwise::cuda::fake {
namespace {

constexpr std::size_t kLargestExtent = 131072;
constexpr std::size_t kLargestSurface = 32768;  // width of one row
constexpr std::size_t kAlignment = 512;
constexpr std::size_t kPitchAlignment = 32;

struct Array {
    ArrayDescriptor descriptor;
    std::size_t row_bytes, rows, slices;
    DevicePointer memory;
};

struct Images {
    std::mutex mutex;
    std::map<ArrayHandle, Array> arrays;
    std::map<MipmapHandle, std::vector<ArrayHandle>> mipmaps;
    TextureDescriptor last_texture{};
    std::map<std::uint64_t, bool> objects;  // whether it is a surface
    std::uint64_t last = 0;
};

Images& images() {
    static auto* const instance = new Images;
    return *instance;
}

std::size_t texel_bytes(ArrayFormat format, unsigned channels) {
    switch (format) {
        case ArrayFormat::UInt8:
        case ArrayFormat::Int8:
            return channels;
        case ArrayFormat::UInt16:
        case ArrayFormat::Int16:
        case ArrayFormat::Half:
            return std::size_t{2} * channels;
        default:
            return std::size_t{4} * channels;
    }
}

bool is_possible(const ArrayDescriptor& wanted) {
    const bool has_slices = wanted.depth != 0;
    const bool is_plane = wanted.height != 0 && !has_slices && wanted.flags < kArrayGather << 1;
    if (wanted.width == 0 || wanted.width > kLargestExtent || wanted.height > kLargestExtent) {
        return false;
    }
    if ((wanted.flags & kArrayGather) != 0 && !is_plane) return false;
    if ((wanted.flags & kArrayCubemap) != 0 && wanted.depth % 6 != 0) return false;
    if ((wanted.flags & kArrayLayered) != 0 && !has_slices) return false;
    return (wanted.flags & kArraySurface) == 0 || wanted.width <= kLargestSurface;
}

// Where a side of a copy begins, and its steps; null when it leaves its memory.
Cursor cursor_of(const BoxSide& side, const BoxParameters& box) {
    if (side.type == MemoryType::Array) {
        const std::lock_guard lock(images().mutex);
        const auto found = images().arrays.find(side.array);
        if (found == images().arrays.end()) return {};
        const Array& array = found->second;
        const std::size_t slice = array.row_bytes * array.rows;
        if (side.x_bytes + box.width_bytes > array.row_bytes || side.y + box.height > array.rows ||
            side.z + box.depth > array.slices) {
            return {};
        }
        char* const memory = reinterpret_cast<char*>(array.memory);
        return {memory + side.z * slice + side.y * array.row_bytes + side.x_bytes, array.row_bytes,
                slice};
    }
    if (side.type == MemoryType::Unified) {
        // One row, of either.
        return {reinterpret_cast<char*>(side.device), box.width_bytes, box.width_bytes};
    }
    const bool is_device = side.type == MemoryType::Device;
    const auto begin = is_device ? side.device : reinterpret_cast<std::uintptr_t>(side.host);
    const std::size_t slice = side.pitch * side.height;
    const std::size_t end =
        (box.depth - 1) * slice + (box.height - 1) * side.pitch + box.width_bytes;
    const bool is_whole = side.pitch >= box.width_bytes && side.height >= box.height;
    if (!is_whole || (is_device && !is_device_memory(begin, end))) return {};
    return {reinterpret_cast<char*>(begin), side.pitch, slice};
}

Status add_object(std::uint64_t* handle, bool is_surface) {
    const std::lock_guard lock(images().mutex);
    *handle = ++images().last;
    images().objects[*handle] = is_surface;
    return Status::Success;
}

Status remove_object(std::uint64_t handle, bool is_surface) {
    const std::lock_guard lock(images().mutex);
    const auto found = images().objects.find(handle);
    if (found == images().objects.end() || found->second != is_surface) return Status::InvalidValue;
    images().objects.erase(found);
    return Status::Success;
}

}  // namespace

bool find_box(const BoxParameters& parameters, Box* box) {
    *box = {cursor_of(parameters.destination, parameters), cursor_of(parameters.source, parameters),
            parameters.width_bytes, parameters.height, parameters.depth};
    return box->to.start != nullptr && box->from.start != nullptr;
}

void copy(const Box& box) {
    for (std::size_t z = 0; z < box.depth; ++z) {
        for (std::size_t y = 0; y < box.height; ++y) {
            std::memmove(box.to.start + z * box.to.slice + y * box.to.row,
                         box.from.start + z * box.from.slice + y * box.from.row, box.width_bytes);
        }
    }
}

namespace {

Status add_array(ArrayHandle* array, const ArrayDescriptor& descriptor) {
    Array made{};
    made.descriptor = descriptor;
    made.row_bytes = descriptor.width * texel_bytes(descriptor.format, descriptor.channels);
    made.rows = descriptor.height == 0 ? 1 : descriptor.height;
    made.slices = descriptor.depth == 0 ? 1 : descriptor.depth;
    const Status status = allocate_memory(&made.memory, made.row_bytes * made.rows * made.slices);
    if (status != Status::Success) return status;
    *array = reinterpret_cast<ArrayHandle>(made.memory);
    const std::lock_guard lock(images().mutex);
    images().arrays[*array] = made;
    return Status::Success;
}

Status remove_array(ArrayHandle array) {
    {
        const std::lock_guard lock(images().mutex);
        if (images().arrays.erase(array) == 0) return Status::InvalidValue;
    }
    return free_memory(reinterpret_cast<DevicePointer>(array));
}

// That of a level: layers and faces stay.
ArrayDescriptor smaller(ArrayDescriptor descriptor, unsigned level) {
    const auto halved = [level](std::size_t extent) {
        return extent == 0 ? 0 : std::max<std::size_t>(extent >> level, 1);
    };
    descriptor.width = halved(descriptor.width);
    descriptor.height = halved(descriptor.height);
    if ((descriptor.flags & (kArrayLayered | kArrayCubemap)) == 0) {
        descriptor.depth = halved(descriptor.depth);
    }
    return descriptor;
}

}  // namespace

Status array_create(ArrayHandle* array, const ArrayDescriptor* descriptor) {
    FAKE_ENTER_CONTEXT("cuArray3DCreate");
    return is_possible(*descriptor) ? add_array(array, *descriptor) : Status::InvalidValue;
}

Status array_destroy(ArrayHandle array) {
    FAKE_ENTER_CONTEXT("cuArrayDestroy");
    return remove_array(array);
}

Status mipmaps_create(MipmapHandle* mipmaps, const ArrayDescriptor* descriptor, unsigned levels) {
    FAKE_ENTER_CONTEXT("cuMipmappedArrayCreate");
    if (!is_possible(*descriptor) || levels == 0) return Status::InvalidValue;
    std::vector<ArrayHandle> arrays(levels);
    for (unsigned i = 0; i < levels; ++i) {
        const Status status = add_array(&arrays[i], smaller(*descriptor, i));
        if (status != Status::Success) return status;
    }
    *mipmaps = reinterpret_cast<MipmapHandle>(arrays.front());
    const std::lock_guard lock(images().mutex);
    images().mipmaps[*mipmaps] = std::move(arrays);
    return Status::Success;
}

Status mipmaps_level(ArrayHandle* array, MipmapHandle mipmaps, unsigned level) {
    FAKE_ENTER_CONTEXT("cuMipmappedArrayGetLevel");
    const std::lock_guard lock(images().mutex);
    const auto found = images().mipmaps.find(mipmaps);
    if (found == images().mipmaps.end() || level >= found->second.size()) {
        return Status::InvalidValue;
    }
    *array = found->second[level];
    return Status::Success;
}

Status mipmaps_destroy(MipmapHandle mipmaps) {
    FAKE_ENTER_CONTEXT("cuMipmappedArrayDestroy");
    std::vector<ArrayHandle> arrays;
    {
        const std::lock_guard lock(images().mutex);
        const auto found = images().mipmaps.find(mipmaps);
        if (found == images().mipmaps.end()) return Status::InvalidValue;
        arrays = std::move(found->second);
        images().mipmaps.erase(found);
    }
    for (const ArrayHandle array : arrays) remove_array(array);
    return Status::Success;
}

TextureDescriptor last_texture() {
    const std::lock_guard lock(images().mutex);
    return images().last_texture;
}

Status copy_box(const BoxParameters* parameters, StreamHandle stream) {
    FAKE_ENTER_CONTEXT("cuMemcpy3DAsync");
    Box box;
    if (!find_box(*parameters, &box)) return Status::InvalidValue;
    push(stream_of(stream), [box] { copy(box); });
    const auto waits = [](const BoxSide& side) {
        return side.type == MemoryType::Host && !is_pinned(side.host);
    };
    if (waits(parameters->source) || waits(parameters->destination))
        wait_until_idle(stream_of(stream));
    return Status::Success;
}

Status texture_create(std::uint64_t* handle, const ResourceDescriptor* resource,
                      const TextureDescriptor* texture, const void*) {
    FAKE_ENTER_CONTEXT("cuTexObjectCreate");
    {
        const std::lock_guard lock(images().mutex);
        images().last_texture = *texture;
        const bool is_mipmapped = resource->type == ResourceDescriptor::Type::Mipmaps;
        if (is_mipmapped && !images().mipmaps.contains(resource->mipmaps)) {
            return Status::InvalidValue;
        }
        if (is_mipmapped && (texture->flags & kTextureNormalized) == 0) return Status::InvalidValue;
    }
    if (resource->type == ResourceDescriptor::Type::Pitched &&
        (resource->pitched.pitch % kPitchAlignment != 0 ||
         resource->pitched.address % kAlignment != 0)) {
        return Status::InvalidValue;
    }
    return add_object(handle, false);
}

Status texture_destroy(std::uint64_t handle) {
    FAKE_ENTER_CONTEXT("cuTexObjectDestroy");
    return remove_object(handle, false);
}

Status surface_create(std::uint64_t* handle, const ResourceDescriptor* resource) {
    FAKE_ENTER_CONTEXT("cuSurfObjectCreate");
    {
        const std::lock_guard lock(images().mutex);
        const auto found = images().arrays.find(resource->array);
        if (found == images().arrays.end() ||
            (found->second.descriptor.flags & kArraySurface) == 0) {
            return Status::InvalidValue;
        }
    }
    return add_object(handle, true);
}

Status surface_destroy(std::uint64_t handle) {
    FAKE_ENTER_CONTEXT("cuSurfObjectDestroy");
    return remove_object(handle, true);
}

}  // namespace warpwise::cuda::fake

#pragma GCC visibility push(default)
extern "C" warpwise::cuda::TextureDescriptor fake_cuda_last_texture() {
    return warpwise::cuda::fake::last_texture();
}
#pragma GCC visibility pop
