// What the parts of the fake driver share: how a call begins, streams by handle, what memory is
// whose.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "src/backends/cuda/driver/abi.hpp"
#include "tests/unit/backends/cuda/fake_machine.hpp"

namespace warpwise::cuda::fake {

inline constexpr int kDevices = 3;

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

// The count of a device's memory; false when there is not so much left.
bool take_memory(std::size_t bytes);
void give_memory(std::size_t bytes);
// What is_device_memory() knows.
void add_device_memory(std::uint64_t address, std::size_t bytes);
void remove_device_memory(std::uint64_t address);

// The allocation in which the address lies; false when there is none.
bool find_allocation(DevicePointer address, DevicePointer* base, std::size_t* bytes);
ContextHandle current_context();
std::shared_ptr<Event> event_of(EventHandle handle);
const char* function_name(FunctionHandle function);
// Of the same event; null when there is no such event.
EventHandle second_handle(EventHandle event);

// fake_errors.cpp
Status get_error_name(Status status, const char** text);
Status get_error_string(Status, const char** text);

// fake_sharing.cpp
Status device_uuid(DeviceUuid* uuid, DeviceHandle device);
Status peer_possible(int* can, DeviceHandle own, DeviceHandle peer);
Status peer_enable(ContextHandle peer, unsigned);
Status peer_disable(ContextHandle peer);
Status peer_copy(DevicePointer to, ContextHandle to_context, DevicePointer from,
                 ContextHandle from_context, std::size_t bytes, StreamHandle stream);
Status memory_range(DevicePointer* base, std::size_t* bytes, DevicePointer address);
Status ipc_get_memory(IpcHandle* handle, DevicePointer base);
Status ipc_open_memory(DevicePointer* base, IpcHandle handle, unsigned);
Status ipc_close_memory(DevicePointer base);
Status ipc_get_event(IpcHandle* handle, EventHandle event);
Status ipc_open_event(EventHandle* event, IpcHandle handle);

// fake_kernels.cpp
Status function_attribute(int* value, FunctionAttribute which, FunctionHandle);
Status function_set_attribute(FunctionHandle, FunctionAttribute, int);
Status function_cache(FunctionHandle, FunctionCache);
Status occupancy(int* blocks, FunctionHandle, int threads, std::size_t shared);
Status best_block(int* grid, int* block, FunctionHandle, std::size_t (*)(int), std::size_t, int);
Status active_clusters(int* clusters, FunctionHandle, const LaunchConfig* config);

// fake_reserved.cpp
bool is_reserved(DevicePointer address);
bool has_access(DevicePointer address, DeviceHandle device);
int left_over();
Status reserve_addresses(DevicePointer* address, std::size_t bytes, std::size_t alignment,
                         DevicePointer requested, unsigned long long flags);
Status free_addresses(DevicePointer address, std::size_t bytes);
Status chunk_granularity(std::size_t* bytes, const ChunkProperties* properties, ChunkGranularity);
Status chunk_create(ChunkHandle* handle, std::size_t bytes, const ChunkProperties* properties,
                    unsigned long long flags);
Status chunk_release(ChunkHandle handle);
Status chunk_map(DevicePointer address, std::size_t bytes, std::size_t offset, ChunkHandle handle,
                 unsigned long long flags);
Status chunk_unmap(DevicePointer address, std::size_t bytes);
Status chunk_access(DevicePointer address, std::size_t bytes, const ChunkAccess* accesses,
                    std::size_t count);

// fake_graph_calls.cpp
const char* last_graph();
unsigned last_grid();  // of the kernel in a graph that ran last
Status graph_create(GraphHandle* graph, unsigned);
Status graph_destroy(GraphHandle graph);
Status graph_add_kernel(GraphNode* node, GraphHandle graph, const GraphNode* dependencies,
                        std::size_t count, const KernelNode* kernel);
Status graph_set_attribute(GraphNode node, LaunchAttribute::Id, const void*);
Status graph_add_copy(GraphNode* node, GraphHandle graph, const GraphNode* dependencies,
                      std::size_t count, const BoxParameters* given, ContextHandle);
Status graph_add_fill(GraphNode* node, GraphHandle graph, const GraphNode* dependencies,
                      std::size_t count, const FillNode* given, ContextHandle);
Status graph_add_host(GraphNode* node, GraphHandle graph, const GraphNode* dependencies,
                      std::size_t count, const HostNode* given);
Status graph_add_record(GraphNode* node, GraphHandle graph, const GraphNode* dependencies,
                        std::size_t count, EventHandle event);
Status graph_add_wait(GraphNode* node, GraphHandle graph, const GraphNode* dependencies,
                      std::size_t count, EventHandle event);
Status graph_instantiate(GraphExec* executable, GraphHandle graph, unsigned long long);
Status graph_set_kernel(GraphExec graph, GraphNode node, const KernelNode* kernel);
Status graph_launch(GraphExec graph, StreamHandle stream);
Status graph_exec_destroy(GraphExec graph);
Status capture_mode(CaptureMode* mode);

// fake_images.cpp
// A copy of the driver: where both sides begin and their steps.
struct Cursor {
    char* start = nullptr;
    std::size_t row = 0, slice = 0;
};
struct Box {
    Cursor to, from;
    std::size_t width_bytes, height, depth;
};
// False when a side leaves its memory.
bool find_box(const BoxParameters& parameters, Box* box);
void copy(const Box& box);
TextureDescriptor last_texture();
Status mipmaps_create(MipmapHandle* mipmaps, const ArrayDescriptor* descriptor, unsigned levels);
Status mipmaps_level(ArrayHandle* array, MipmapHandle mipmaps, unsigned level);
Status mipmaps_destroy(MipmapHandle mipmaps);
Status array_create(ArrayHandle* array, const ArrayDescriptor* descriptor);
Status array_destroy(ArrayHandle array);
Status copy_box(const BoxParameters* parameters, StreamHandle stream);
Status texture_create(std::uint64_t* handle, const ResourceDescriptor* resource,
                      const TextureDescriptor* texture, const void* view);
Status texture_destroy(std::uint64_t handle);
Status surface_create(std::uint64_t* handle, const ResourceDescriptor* resource);
Status surface_destroy(std::uint64_t handle);

}  // namespace warpwise::cuda::fake
