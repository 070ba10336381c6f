// What the parts of the fake driver share: how a call begins, streams by handle, what memory is
// whose.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "src/backends/cuda/abi.hpp"
#include "tests/unit/backends/cuda/fake_machine.hpp"

namespace warpwise::cuda::fake {

// What the call called `name` returns before it does anything, or Success.
Status enter(std::string_view name);
Status enter_with_context(std::string_view name);

#define FAKE_ENTER(name) \
    if (const Status status = enter(name); status != Status::Success) return status
#define FAKE_ENTER_CONTEXT(name) \
    if (const Status status = enter_with_context(name); status != Status::Success) return status

Stream* stream_of(StreamHandle handle);
bool is_device_memory(std::uint64_t address, std::size_t bytes);
bool is_pinned(const void* address);
// Memory of a device, counted.
Status allocate_memory(DevicePointer* address, std::size_t bytes);
Status free_memory(DevicePointer address);

// fake_images.cpp
Status array_create(ArrayHandle* array, const ArrayDescriptor* descriptor);
Status array_destroy(ArrayHandle array);
Status copy_box(const BoxParameters* parameters, StreamHandle stream);
Status texture_create(std::uint64_t* handle, const ResourceDescriptor* resource,
                      const TextureDescriptor* texture, const void* view);
Status texture_destroy(std::uint64_t handle);
Status surface_create(std::uint64_t* handle, const ResourceDescriptor* resource);
Status surface_destroy(std::uint64_t handle);

}  // namespace warpwise::cuda::fake
