// A CUDA driver without a GPU: three devices in host memory, streams that are threads, kernels that
// do nothing. It is as strict as the real one where that shows mistakes: a call that needs a
// context and finds none current fails, and a copy of pageable memory waits for its stream.
#include "tests/unit/backends/cuda/fake_driver.hpp"

#include <algorithm>
#include <compare>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "tests/unit/backends/cuda/fake_watch.hpp"
#include "tests/unit/backends/cuda/fake_world.hpp"

namespace warpwise::cuda::fake {
namespace {

constexpr int kVersion = 12080;
constexpr auto kAlreadyRegistered = static_cast<Status>(712);
constexpr std::size_t kMemory = std::size_t{1} << 30;  // bytes of each device

struct Failure {
    int after;
    Status status;
};

struct MadeStream {
    ContextHandle context;
    unsigned flags;
};

struct World {
    std::mutex mutex;
    std::map<std::string, int, std::less<>> calls;
    std::map<std::string, Failure, std::less<>> failures;
    Status lost = Status::Success;
    std::map<std::uint64_t, std::size_t> device_memory;
    std::map<std::uint64_t, int> owners;               // of device_memory: ordinals
    std::map<std::uint64_t, std::size_t> host_memory;  // page-locked, registered
    std::map<std::uint64_t, std::size_t> managed_memory;
    std::size_t used = 0;
    std::map<EventHandle, std::shared_ptr<Event>> events;
    std::map<StreamHandle, MadeStream> streams;
    std::map<ModuleHandle, std::map<std::string, std::uint64_t, std::less<>>> modules;
    std::map<ModuleHandle, ContextHandle> module_contexts;
};

struct Function {
    std::string name;
    ContextHandle context;
    auto operator<=>(const Function&) const = default;
};

World& world() {
    static auto* const instance = new World;
    return *instance;
}

char contexts[kDevices];
thread_local ContextHandle t_current = nullptr;

bool is_fault(Status status) {
    return status >= Status::IllegalAddress && status <= Status::LaunchFailed &&
           status != Status::LaunchOutOfResources;
}

// What touches is one: chunks behind reserved addresses.
bool is_inside(const std::map<std::uint64_t, std::size_t>& memory, std::uint64_t address,
               std::size_t bytes) {
    auto it = memory.upper_bound(address);
    if (it == memory.begin()) return false;
    --it;
    std::uint64_t end = it->first + it->second;
    while (end < address + bytes && ++it != memory.end() && it->first == end) end += it->second;
    return address < end && address + bytes <= end;
}

}  // namespace

Status enter(std::string_view name) {
    World& all = world();
    const std::lock_guard lock(all.mutex);
    ++all.calls[std::string(name)];
    if (all.lost != Status::Success) return all.lost;
    const auto found = all.failures.find(name);
    if (found == all.failures.end() || found->second.after-- > 0) return Status::Success;
    const Status status = found->second.status;
    all.failures.erase(found);
    if (is_fault(status)) all.lost = status;
    return status;
}

Status enter_with_context(std::string_view name) {
    const Status status = enter(name);
    if (status != Status::Success) return status;
    return t_current == nullptr ? Status::InvalidContext : Status::Success;
}

// FAKE_CUDA_INSTANT: what is queued is forgotten (copies are done) at once and without a lock or a
// count, so that a caller's own cost can be measured.
bool is_instant() {
    static const bool value = std::getenv("FAKE_CUDA_INSTANT") != nullptr;
    return value;
}

#define FAKE_UNLESS_INSTANT() \
    if (is_instant()) return Status::Success

Stream* stream_of(StreamHandle handle) {
    return handle == kLegacyStream ? legacy_stream() : reinterpret_cast<Stream*>(handle);
}

// What kernels reach: page-locked memory is mapped.
bool is_device_memory(std::uint64_t address, std::size_t bytes) {
    const std::lock_guard lock(world().mutex);
    return is_inside(world().device_memory, address, bytes) ||
           is_inside(world().host_memory, address, bytes);
}

bool find_allocation(DevicePointer address, DevicePointer* base, std::size_t* bytes) {
    const std::lock_guard lock(world().mutex);
    const auto& memory = world().device_memory;
    if (!is_inside(memory, address, 1)) return false;
    const auto found = std::prev(memory.upper_bound(address));
    *base = found->first;
    *bytes = found->second;
    return true;
}

ContextHandle current_context() {
    return t_current;
}

const char* function_name(FunctionHandle function) {
    return reinterpret_cast<const Function*>(function)->name.c_str();
}

std::shared_ptr<Event> event_of(EventHandle handle) {
    const std::lock_guard lock(world().mutex);
    return world().events.at(handle);
}

EventHandle second_handle(EventHandle event) {
    static std::uintptr_t last = 1;
    const std::lock_guard lock(world().mutex);
    const auto found = world().events.find(event);
    if (found == world().events.end()) return nullptr;
    const auto handle = reinterpret_cast<EventHandle>(last += 2);  // no address of another
    world().events[handle] = found->second;
    return handle;
}

bool is_pinned(const void* address) {
    const std::lock_guard lock(world().mutex);
    return is_inside(world().host_memory, reinterpret_cast<std::uintptr_t>(address), 1);
}

namespace {

void* allocate(std::size_t bytes) {
    return std::aligned_alloc(512, (bytes + 511) / 512 * 512);
}

Status device_count(int* count) {
    FAKE_ENTER("cuDeviceGetCount");
    *count = kDevices;
    return Status::Success;
}
Status device_get(DeviceHandle* device, int ordinal) {
    FAKE_ENTER("cuDeviceGet");
    *device = ordinal;
    return Status::Success;
}
Status device_name(char* name, int bytes, DeviceHandle) {
    std::strncpy(name, "fake GPU", static_cast<std::size_t>(bytes));
    return Status::Success;
}
Status device_attribute(int* value, DeviceAttribute which, DeviceHandle) {
    FAKE_ENTER("cuDeviceGetAttribute");
    static const std::map<int, int> values = {
        {1, 1024},  {2, 1024},       {3, 1024},    {4, 64},         {5, 2147483647},
        {6, 65535}, {7, 65535},      {10, 32},     {13, 1000000},   {14, 512},
        {16, 4},    {36, 2000000},   {37, 5120},   {38, 50 << 20},  {39, 2048},
        {51, 32},   {69, 1 << 28},   {70, 131072}, {71, 65000},     {75, 9},
        {76, 0},    {81, 228 << 10}, {82, 65536},  {97, 227 << 10}, {106, 32},
        {120, 1}};
    // FAKE_CUDA_RESERVED=0: devices that map no memory behind reserved addresses.
    if (which == DeviceAttribute::VirtualMemoryManagement) {
        const char* const wanted = std::getenv("FAKE_CUDA_RESERVED");
        *value = wanted == nullptr || wanted[0] != '0' ? 1 : 0;
        return Status::Success;
    }
    const auto found = values.find(static_cast<int>(which));
    if (found == values.end()) return Status::InvalidValue;
    *value = found->second;
    return Status::Success;
}
Status device_total_memory(std::size_t* bytes, DeviceHandle) {
    *bytes = kMemory;
    return Status::Success;
}

// FAKE_CUDA_BUSY=1: another process has the second device for itself.
Status primary_context_retain(ContextHandle* context, DeviceHandle device) {
    FAKE_ENTER("cuDevicePrimaryCtxRetain");
    const char* const busy = std::getenv("FAKE_CUDA_BUSY");
    if (busy != nullptr && std::to_string(device) == busy) return Status::DeviceUnavailable;
    *context = reinterpret_cast<ContextHandle>(&contexts[device]);
    return Status::Success;
}
Status context_get_current(ContextHandle* context) {
    *context = t_current;
    return Status::Success;
}
Status context_set_current(ContextHandle context) {
    t_current = context;
    return Status::Success;
}

Status memory_info(std::size_t* free, std::size_t* total) {
    FAKE_ENTER_CONTEXT("cuMemGetInfo");
    const std::lock_guard lock(world().mutex);
    *free = kMemory - world().used;
    *total = kMemory;
    return Status::Success;
}
}  // namespace

bool take_memory(std::size_t bytes) {
    const std::lock_guard lock(world().mutex);
    if (bytes > kMemory - world().used) return false;
    world().used += bytes;
    return true;
}
void give_memory(std::size_t bytes) {
    const std::lock_guard lock(world().mutex);
    world().used -= bytes;
}
void add_device_memory(std::uint64_t address, std::size_t bytes) {
    const std::lock_guard lock(world().mutex);
    world().device_memory[address] = bytes;
}
void remove_device_memory(std::uint64_t address) {
    const std::lock_guard lock(world().mutex);
    world().device_memory.erase(address);
}
Status allocate_memory(DevicePointer* address, std::size_t bytes) {
    const std::lock_guard lock(world().mutex);
    if (bytes > kMemory - world().used) return Status::OutOfMemory;
    *address = reinterpret_cast<std::uintptr_t>(allocate(bytes));
    world().used += bytes;
    world().device_memory[*address] = bytes;
    world().owners[*address] = static_cast<int>(reinterpret_cast<char*>(t_current) - contexts);
    return Status::Success;
}
Status free_memory(DevicePointer address) {
    const std::lock_guard lock(world().mutex);
    const auto found = world().device_memory.find(address);
    if (found == world().device_memory.end()) return Status::InvalidValue;
    world().used -= found->second;
    world().device_memory.erase(found);
    world().managed_memory.erase(address);
    std::free(reinterpret_cast<void*>(address));
    return Status::Success;
}

namespace {

Status memory_allocate(DevicePointer* address, std::size_t bytes) {
    FAKE_ENTER_CONTEXT("cuMemAlloc");
    return allocate_memory(address, bytes);
}
Status memory_free(DevicePointer address) {
    FAKE_ENTER_CONTEXT("cuMemFree");
    wait_until_all_idle();  // as the driver does
    return free_memory(address);
}
Status host_allocate(void** memory, std::size_t bytes, unsigned) {
    FAKE_ENTER_CONTEXT("cuMemHostAlloc");
    *memory = allocate(bytes);
    const std::lock_guard lock(world().mutex);
    world().host_memory[reinterpret_cast<std::uintptr_t>(*memory)] = bytes;
    return Status::Success;
}
Status host_free(void* memory) {
    FAKE_ENTER_CONTEXT("cuMemFreeHost");
    wait_until_all_idle();  // as the driver does
    const std::lock_guard lock(world().mutex);
    world().host_memory.erase(reinterpret_cast<std::uintptr_t>(memory));
    std::free(memory);
    return Status::Success;
}
Status host_register(void* memory, std::size_t bytes, unsigned) {
    FAKE_ENTER_CONTEXT("cuMemHostRegister");
    const std::lock_guard lock(world().mutex);
    const auto address = reinterpret_cast<std::uintptr_t>(memory);
    if (is_inside(world().host_memory, address, 1)) return kAlreadyRegistered;
    world().host_memory[address] = bytes;
    return Status::Success;
}
Status host_unregister(void* memory) {
    FAKE_ENTER_CONTEXT("cuMemHostUnregister");
    const std::lock_guard lock(world().mutex);
    const bool was_there = world().host_memory.erase(reinterpret_cast<std::uintptr_t>(memory)) > 0;
    return was_there ? Status::Success : Status::InvalidValue;
}
Status host_device_pointer(DevicePointer* address, void* memory, unsigned) {
    FAKE_ENTER_CONTEXT("cuMemHostGetDevicePointer");
    if (!is_pinned(memory)) return Status::InvalidValue;
    *address = reinterpret_cast<std::uintptr_t>(memory);
    return Status::Success;
}
Status managed_allocate(DevicePointer* address, std::size_t bytes, unsigned flags) {
    FAKE_ENTER_CONTEXT("cuMemAllocManaged");
    if (flags != kAttachGlobal) return Status::InvalidValue;
    if (const Status status = memory_allocate(address, bytes); status != Status::Success) {
        return status;
    }
    const std::lock_guard lock(world().mutex);
    world().managed_memory[*address] = bytes;
    return Status::Success;
}
bool is_managed(DevicePointer address, std::size_t bytes) {
    const std::lock_guard lock(world().mutex);
    return is_inside(world().managed_memory, address, bytes);
}
Status managed_advise(DevicePointer address, std::size_t bytes, int advice, DeviceHandle place) {
    FAKE_ENTER_CONTEXT("cuMemAdvise");
    const bool is_known = advice >= 1 && advice <= 6 && place >= kHostDevice && place < kDevices;
    return is_known && is_managed(address, bytes) ? Status::Success : Status::InvalidValue;
}
Status managed_prefetch(DevicePointer address, std::size_t bytes, DeviceHandle place,
                        StreamHandle) {
    FAKE_ENTER_CONTEXT("cuMemPrefetchAsync");
    const bool is_known = place >= kHostDevice && place < kDevices;
    return is_known && is_managed(address, bytes) ? Status::Success : Status::InvalidValue;
}
Status managed_attach(StreamHandle, DevicePointer address, std::size_t bytes, unsigned) {
    FAKE_ENTER_CONTEXT("cuStreamAttachMemAsync");
    return is_managed(address, bytes) ? Status::Success : Status::InvalidValue;
}
Status pointer_attribute(void* value, PointerAttribute attribute, DevicePointer address) {
    if (attribute == PointerAttribute::DeviceOrdinal) {
        DevicePointer base = address;
        std::size_t bytes = 0;
        if (!find_allocation(address, &base, &bytes)) return Status::InvalidValue;
        const std::lock_guard lock(world().mutex);
        *static_cast<int*>(value) = world().owners[base];
        return Status::Success;
    }
    if (!is_pinned(reinterpret_cast<void*>(address)) && !is_managed(address, 1)) {
        return Status::InvalidValue;
    }
    *static_cast<int*>(value) = 1;
    return Status::Success;
}

using Watched = WatchedWork::Kind;

Status copy(void* to, const void* from, std::size_t bytes, const void* host, StreamHandle stream,
            Watched kind) {
    push(stream_of(stream), watched({.kind = kind, .stream = stream, .bytes = bytes},
                                    [to, from, bytes] { std::memmove(to, from, bytes); }));
    if (host != nullptr && !is_pinned(host) &&
        !is_managed(reinterpret_cast<std::uintptr_t>(host), 1)) {
        wait_until_idle(stream_of(stream));
    }
    return Status::Success;
}
Status copy_now(void* to, const void* from, std::size_t bytes) {
    std::memmove(to, from, bytes);
    return Status::Success;
}
// So much pageable memory is taken over at once.
constexpr std::size_t kTakenAtOnce = std::size_t{64} << 10;

Status copy_to_device(DevicePointer to, const void* from, std::size_t bytes, StreamHandle stream) {
    if (is_instant()) return copy_now(reinterpret_cast<void*>(to), from, bytes);
    FAKE_ENTER_CONTEXT("cuMemcpyHtoDAsync");
    if (!is_device_memory(to, bytes)) return Status::InvalidValue;
    if (bytes <= kTakenAtOnce && !is_pinned(from)) {
        const auto* const first = static_cast<const std::byte*>(from);
        push(stream_of(stream), watched({.kind = Watched::Up, .stream = stream, .bytes = bytes},
                                        [to, taken = std::vector<std::byte>(first, first + bytes)] {
                                            std::memcpy(reinterpret_cast<void*>(to), taken.data(),
                                                        taken.size());
                                        }));
        return Status::Success;
    }
    return copy(reinterpret_cast<void*>(to), from, bytes, from, stream, Watched::Up);
}
Status copy_to_host(void* to, DevicePointer from, std::size_t bytes, StreamHandle stream) {
    if (is_instant()) return copy_now(to, reinterpret_cast<const void*>(from), bytes);
    FAKE_ENTER_CONTEXT("cuMemcpyDtoHAsync");
    if (!is_device_memory(from, bytes)) return Status::InvalidValue;
    return copy(to, reinterpret_cast<const void*>(from), bytes, to, stream, Watched::Down);
}
// As on a GPU: in the order of the default stream, and done when it returns.
Status copy_to_device_now(DevicePointer to, const void* from, std::size_t bytes) {
    if (is_instant()) return copy_now(reinterpret_cast<void*>(to), from, bytes);
    FAKE_ENTER_CONTEXT("cuMemcpyHtoD");
    if (!is_device_memory(to, bytes)) return Status::InvalidValue;
    copy(reinterpret_cast<void*>(to), from, bytes, nullptr, kLegacyStream, Watched::Up);
    wait_until_idle(stream_of(kLegacyStream));
    return Status::Success;
}
Status copy_to_host_now(void* to, DevicePointer from, std::size_t bytes) {
    if (is_instant()) return copy_now(to, reinterpret_cast<const void*>(from), bytes);
    FAKE_ENTER_CONTEXT("cuMemcpyDtoH");
    if (!is_device_memory(from, bytes)) return Status::InvalidValue;
    copy(to, reinterpret_cast<const void*>(from), bytes, nullptr, kLegacyStream, Watched::Down);
    wait_until_idle(stream_of(kLegacyStream));
    return Status::Success;
}
Status copy_on_device(DevicePointer to, DevicePointer from, std::size_t bytes,
                      StreamHandle stream) {
    FAKE_ENTER_CONTEXT("cuMemcpyDtoDAsync");
    if (!is_device_memory(to, bytes) || !is_device_memory(from, bytes)) return Status::InvalidValue;
    return copy(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes, nullptr,
                stream, Watched::OnDevice);
}

template <class T>
Status set(DevicePointer to, std::size_t pitch, T value, std::size_t width, std::size_t height,
           StreamHandle stream) {
    if (to % sizeof(T) != 0 || !is_device_memory(to, pitch * (height - 1) + width * sizeof(T))) {
        return Status::InvalidValue;
    }
    const WatchedWork work{
        .kind = Watched::Fill, .stream = stream, .bytes = width * height * sizeof(T)};
    push(stream_of(stream), watched(work, [=] {
             for (std::size_t row = 0; row < height; ++row) {
                 auto* const first = reinterpret_cast<T*>(to + row * pitch);
                 std::fill(first, first + width, value);
             }
         }));
    return Status::Success;
}
Status set_8(DevicePointer to, unsigned char value, std::size_t count, StreamHandle stream) {
    FAKE_ENTER_CONTEXT("cuMemsetD8Async");
    return set(to, 0, value, count, 1, stream);
}
Status set_16(DevicePointer to, unsigned short value, std::size_t count, StreamHandle stream) {
    FAKE_ENTER_CONTEXT("cuMemsetD16Async");
    return set(to, 0, value, count, 1, stream);
}
Status set_32(DevicePointer to, unsigned value, std::size_t count, StreamHandle stream) {
    FAKE_ENTER_CONTEXT("cuMemsetD32Async");
    return set(to, 0, value, count, 1, stream);
}
Status set_8_pitched(DevicePointer to, std::size_t pitch, unsigned char value, std::size_t width,
                     std::size_t height, StreamHandle stream) {
    FAKE_ENTER_CONTEXT("cuMemsetD2D8Async");
    return set(to, pitch, value, width, height, stream);
}
Status set_32_pitched(DevicePointer to, std::size_t pitch, unsigned value, std::size_t width,
                      std::size_t height, StreamHandle stream) {
    FAKE_ENTER_CONTEXT("cuMemsetD2D32Async");
    return set(to, pitch, value, width, height, stream);
}

Status stream_create(StreamHandle* stream, unsigned flags, int) {
    FAKE_ENTER_CONTEXT("cuStreamCreateWithPriority");
    *stream = reinterpret_cast<StreamHandle>(
        make_stream(flags == kStreamNonBlocking ? Order::NonBlocking : Order::Blocking));
    const std::lock_guard lock(world().mutex);
    world().streams[*stream] = {t_current, flags};
    return Status::Success;
}
Status stream_flags(StreamHandle stream, unsigned* flags) {
    FAKE_ENTER_CONTEXT("cuStreamGetFlags");
    const std::lock_guard lock(world().mutex);
    *flags = world().streams.at(stream).flags;
    return Status::Success;
}
Status stream_context(StreamHandle stream, ContextHandle* context) {
    FAKE_ENTER_CONTEXT("cuStreamGetCtx");
    const std::lock_guard lock(world().mutex);
    const auto found = world().streams.find(stream);
    if (found == world().streams.end()) return Status::InvalidHandle;
    *context = found->second.context;
    return Status::Success;
}
Status stream_priorities(int* least, int* greatest) {
    FAKE_ENTER_CONTEXT("cuCtxGetStreamPriorityRange");
    *least = 0;
    *greatest = -5;
    return Status::Success;
}
Status stream_destroy(StreamHandle stream) {
    FAKE_ENTER_CONTEXT("cuStreamDestroy");
    {
        const std::lock_guard lock(world().mutex);
        world().streams.erase(stream);
    }
    close_stream(stream_of(stream));
    return Status::Success;
}
Status stream_query(StreamHandle stream) {
    FAKE_UNLESS_INSTANT();
    FAKE_ENTER_CONTEXT("cuStreamQuery");
    return is_idle(stream_of(stream)) ? Status::Success : Status::NotReady;
}
Status stream_wait_event(StreamHandle stream, EventHandle event, unsigned) {
    FAKE_UNLESS_INSTANT();
    FAKE_ENTER_CONTEXT("cuStreamWaitEvent");
    const std::lock_guard lock(world().mutex);
    wait_for(stream_of(stream), world().events.at(event));
    return Status::Success;
}
Status stream_host_function(StreamHandle stream, void (*function)(void*), void* data) {
    FAKE_ENTER_CONTEXT("cuLaunchHostFunc");
    push(stream_of(stream), [function, data] { function(data); });
    return Status::Success;
}

Status event_create(EventHandle* event, unsigned flags) {
    FAKE_ENTER_CONTEXT("cuEventCreate");
    auto made = std::make_shared<Event>();
    made->flags = flags;
    *event = reinterpret_cast<EventHandle>(made.get());
    const std::lock_guard lock(world().mutex);
    world().events[*event] = std::move(made);
    return Status::Success;
}
Status event_destroy(EventHandle event) {
    FAKE_ENTER_CONTEXT("cuEventDestroy");
    const std::lock_guard lock(world().mutex);
    world().events.erase(event);
    return Status::Success;
}
Status event_record(EventHandle event, StreamHandle stream) {
    FAKE_UNLESS_INSTANT();
    FAKE_ENTER_CONTEXT("cuEventRecord");
    record(stream_of(stream), event_of(event));
    return Status::Success;
}
Status event_query(EventHandle event) {
    FAKE_UNLESS_INSTANT();
    FAKE_ENTER_CONTEXT("cuEventQuery");
    return is_reached(*event_of(event)) ? Status::Success : Status::NotReady;
}
Status event_elapsed(float* milliseconds, EventHandle start, EventHandle end) {
    FAKE_ENTER_CONTEXT("cuEventElapsedTime");
    *milliseconds = milliseconds_between(*event_of(start), *event_of(end));
    return Status::Success;
}

// Any image is a module, any name a kernel or a variable of 256 zero bytes.
Status module_load(ModuleHandle* module, const void*, unsigned, LoadOption*, void**) {
    FAKE_ENTER_CONTEXT("cuModuleLoadDataEx");
    static std::uintptr_t last = 0;
    const std::lock_guard lock(world().mutex);
    *module = reinterpret_cast<ModuleHandle>(++last);
    world().modules[*module] = {};
    world().module_contexts[*module] = t_current;
    return Status::Success;
}
Status module_unload(ModuleHandle module) {
    FAKE_ENTER_CONTEXT("cuModuleUnload");
    wait_until_all_idle();  // as the driver does
    std::map<std::string, std::uint64_t, std::less<>> variables;
    {
        const std::lock_guard lock(world().mutex);
        variables.swap(world().modules.at(module));
        world().modules.erase(module);
        world().module_contexts.erase(module);
    }
    for (const auto& [name, address] : variables) free_memory(address);
    return Status::Success;
}
Status module_function(FunctionHandle* function, ModuleHandle module, const char* name) {
    FAKE_ENTER_CONTEXT("cuModuleGetFunction");
    static auto* const functions = new std::set<Function>;
    const std::lock_guard lock(world().mutex);
    const auto& made = *functions->insert({name, world().module_contexts.at(module)}).first;
    *function = reinterpret_cast<FunctionHandle>(const_cast<Function*>(&made));
    return Status::Success;
}
Status module_global(DevicePointer* address, std::size_t* bytes, ModuleHandle module,
                     const char* name) {
    FAKE_ENTER_CONTEXT("cuModuleGetGlobal");
    *bytes = 256;
    {
        const std::lock_guard lock(world().mutex);
        const auto& variables = world().modules.at(module);
        if (const auto found = variables.find(name); found != variables.end()) {
            *address = found->second;
            return Status::Success;
        }
    }
    const Status status = memory_allocate(address, *bytes);
    const std::lock_guard lock(world().mutex);
    if (status != Status::Success) return status;
    std::memset(reinterpret_cast<void*>(*address), 0, *bytes);
    world().modules.at(module)[name] = *address;
    return status;
}
// In another context than its own a function is refused.
bool is_of_current_context(FunctionHandle function) {
    return reinterpret_cast<const Function*>(function)->context == t_current;
}
Status launch(FunctionHandle function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
              unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
              StreamHandle stream, void**, void**) {
    FAKE_UNLESS_INSTANT();
    FAKE_ENTER_CONTEXT("cuLaunchKernel");
    if (!is_of_current_context(function)) return Status::InvalidHandle;
    push(stream_of(stream), watched({.kind = Watched::Kernel,
                                     .stream = stream,
                                     .name = function_name(function),
                                     .grid = {grid_x, grid_y, grid_z},
                                     .block = {block_x, block_y, block_z},
                                     .dynamic_shared_bytes = shared},
                                    [] {}));
    return Status::Success;
}
Status launch_with(const LaunchConfig* config, FunctionHandle function, void**, void**) {
    FAKE_ENTER_CONTEXT("cuLaunchKernelEx");
    if (!is_of_current_context(function)) return Status::InvalidHandle;
    push(stream_of(config->stream),
         watched({.kind = Watched::Kernel,
                  .stream = config->stream,
                  .name = function_name(function),
                  .grid = {config->grid[0], config->grid[1], config->grid[2]},
                  .block = {config->block[0], config->block[1], config->block[2]},
                  .dynamic_shared_bytes = config->dynamic_shared_bytes},
                 [] {}));
    return Status::Success;
}

void* find(std::string_view wanted) {
#define WARPWISE_DRIVER(member, name, version, arguments)             \
    if (Status(*const function) arguments = member; wanted == name) { \
        return reinterpret_cast<void*>(function);                     \
    }
#include "src/backends/cuda/driver/driver.def"
#undef WARPWISE_DRIVER
    return nullptr;
}

}  // namespace
}  // namespace warpwise::cuda::fake

using namespace warpwise::cuda;

#pragma GCC visibility push(default)
extern "C" {

Status cuInit(unsigned) {
    return fake::enter("cuInit");
}
// FAKE_CUDA_VERSION: a driver of that version.
Status cuDriverGetVersion(int* version) {
    const char* const wanted = std::getenv("FAKE_CUDA_VERSION");
    *version = wanted != nullptr ? std::atoi(wanted) : fake::kVersion;
    return Status::Success;
}
// FAKE_CUDA_WITHOUT: a driver that lacks this function.
Status cuGetProcAddress_v2(const char* name, void** function, int, std::uint64_t, int*) {
    const char* const missing = std::getenv("FAKE_CUDA_WITHOUT");
    const bool is_missing = missing != nullptr && std::string_view(missing) == name;
    *function = is_missing ? nullptr : fake::find(name);
    return *function != nullptr ? Status::Success : Status::NotFound;
}

void fake_cuda_fail(const char* name, int after, int status) {
    const std::lock_guard lock(fake::world().mutex);
    fake::world().failures[name] = {after, static_cast<Status>(status)};
}
int fake_cuda_calls(const char* name) {
    const std::lock_guard lock(fake::world().mutex);
    return fake::world().calls[name];
}
int fake_cuda_has_access(std::uint64_t address, int device) {
    return fake::has_access(address, device) ? 1 : 0;
}
int fake_cuda_left_over() {
    return fake::left_over();
}
unsigned fake_cuda_last_grid() {
    return fake::last_grid();
}
void fake_cuda_reset() {
    const std::lock_guard lock(fake::world().mutex);
    fake::world().calls.clear();
    fake::world().failures.clear();
    fake::world().lost = Status::Success;
}
}
#pragma GCC visibility pop
