// Memory that the host and kernels both reach, and the search by address. Arguments are checked
// here.
#include "warpwise/host_memory.hpp"

#include <limits>
#include <utility>

#include "src/runtime/context.hpp"
#include "src/runtime/memory_kinds.hpp"
#include "src/runtime/pool/buffer_state.hpp"
#include "src/runtime/pool/pool_state.hpp"
#include "src/runtime/refuse.hpp"
#include "src/runtime/stream/stream_state.hpp"

namespace warpwise {

using runtime::Context;
using runtime::MemoryKind;
using runtime::MemorySupport;
using runtime::refuse_value;

namespace {

// What cuMemAllocPitch gives on all of NVIDIA's present GPUs; textures want less.
constexpr std::size_t kPitch = 512;

// Null on a device in host memory, which needs none.
MemorySupport* support_of(Context& context, const char* what) {
    MemorySupport* const support = context.backend().memory(context.ordinal());
    if (support == nullptr && !context.info().shares_host_memory) {
        throw UnsupportedError(fmt::format("{} has no {}", context.name(), what));
    }
    return support;
}

Buffer allocate_host(std::size_t bytes, const HostOptions& options) {
    if (options.write_combined + options.pooled + options.managed > 1) {
        refuse_value("host memory is write-combined, pooled or managed, not several of these");
    }
    Context& context = *runtime::current_context();
    if (options.managed) support_of(context, "managed memory");
    if (options.pooled) return Buffer(context.host_pool()->allocate(bytes, nullptr), 0, bytes);
    const MemoryKind kind = options.managed          ? MemoryKind::Managed
                            : options.write_combined ? MemoryKind::WriteCombined
                                                     : MemoryKind::PageLocked;
    return Buffer(context.pool()->allocate_direct(bytes, kind), 0, bytes);
}

void* host_pointer(const Buffer& buffer) noexcept {
    if (!buffer.state() || buffer.is_freed()) return nullptr;
    return reinterpret_cast<void*>(static_cast<std::uintptr_t>(buffer.state()->address()));
}

Buffer register_memory(void* data, std::size_t bytes, const RegisterOptions& options,
                       std::shared_ptr<const void> owner) {
    if (data == nullptr || bytes == 0) {
        refuse_value("cannot register {} bytes of host memory at {}: there is nothing to lock",
                     bytes, runtime::hex_address(reinterpret_cast<std::uintptr_t>(data)));
    }
    Context& context = *runtime::current_context();
    const auto address =
        static_cast<runtime::DeviceAddress>(reinterpret_cast<std::uintptr_t>(data));
    for (const auto end : {address, address + bytes - 1}) {
        if (context.find_memory(end).buffer) {
            refuse_value("the host memory at {} is page-locked, registered or managed already",
                         runtime::hex_address(end));
        }
    }
    support_of(context, "registered host memory");
    return Buffer(
        context.pool()->register_host(address, bytes, options.read_only, std::move(owner)), 0,
        bytes);
}

// The managed memory that all the rest is about.
Context& check_managed(const Buffer& buffer, const char* action) {
    if (!buffer.state() || buffer.state()->kind() != MemoryKind::Managed) {
        refuse_value(
            "cannot {} a buffer of {} bytes that is no managed memory; allocate it with "
            "managed_alloc",
            action, buffer.size());
    }
    buffer.state()->refuse_freed(fmt::format("cannot {}", action).c_str());
    return buffer.state()->context();
}

int ordinal_of(const Context& context, const std::optional<Device>& location) {
    if (!location || location->info().shares_host_memory) return runtime::kHostLocation;
    if (location->kind() != context.backend().kind()) {
        refuse_value("memory of {} cannot be on {}", context.name(), location->name());
    }
    return location->ordinal();
}

void check_stream(const Context& context, const Stream& stream) {
    if (&stream.state()->context() == &context) return;
    refuse_value("managed memory of {} cannot be moved on a stream of {}", context.name(),
                 stream.state()->context().name());
}

}  // namespace

HostBuffer::HostBuffer(std::size_t bytes, const HostOptions& options)
    : buffer_(allocate_host(bytes, options)) {}

void* HostBuffer::data() const noexcept {
    return host_pointer(buffer_);
}

bool HostBuffer::is_managed() const noexcept {
    return buffer_.state() && buffer_.state()->kind() == MemoryKind::Managed;
}

HostBuffer managed_alloc(std::size_t bytes) {
    return HostBuffer(bytes, {.managed = true});
}

RegisteredMemory::RegisteredMemory(void* data, std::size_t bytes, const RegisterOptions& options,
                                   std::shared_ptr<const void> owner)
    : buffer_(register_memory(data, bytes, options, std::move(owner))) {}

void* RegisteredMemory::data() const noexcept {
    return host_pointer(buffer_);
}

Buffer mapped_buffer(const void* host, std::size_t bytes) {
    Context& context = *runtime::current_context();
    const auto address =
        static_cast<runtime::DeviceAddress>(reinterpret_cast<std::uintptr_t>(host));
    const auto place = context.find_memory(address);
    if (!place.buffer || place.buffer->kind() == MemoryKind::Device) {
        refuse_value(
            "the host memory at {} is not page-locked, registered or managed memory of {}; "
            "allocate it as such, or register it",
            runtime::hex_address(address), context.name());
    }
    place.buffer->refuse_freed("cannot map");
    const std::size_t offset = address - place.start;
    if (bytes > place.buffer->size() - offset) {
        refuse_value("cannot map {} bytes at {}: its memory of {} bytes ends {} bytes on", bytes,
                     runtime::hex_address(address), place.buffer->size(),
                     place.buffer->size() - offset);
    }
    return Buffer(place.buffer, offset, bytes);
}

std::optional<Buffer> find_memory(std::uint64_t address, const Device& device) {
    auto place = device.context().find_memory(address);
    if (!place.buffer || place.buffer->is_freed()) return std::nullopt;
    const std::size_t bytes = place.buffer->size();
    return Buffer(std::move(place.buffer), 0, bytes);
}

bool is_freed_memory(std::uint64_t address, const Device& device) {
    const auto place = device.context().find_memory(address);
    return place.is_pooled && !place.buffer && !find_memory(address - 1, device);
}

void advise(const Buffer& buffer, MemoryAdvice advice, const std::optional<Device>& location) {
    Context& context = check_managed(buffer, "advise on");
    const int where = ordinal_of(context, location);
    if (buffer.size() == 0) return;
    if (auto* const support = support_of(context, "managed memory")) {
        support->advise(runtime::address_of(buffer), buffer.size(), advice, where);
    }
}

void prefetch(const Buffer& buffer, const std::optional<Device>& location, const Stream& stream) {
    Context& context = check_managed(buffer, "prefetch");
    const int where = ordinal_of(context, location);
    check_stream(context, stream);
    auto* const support = support_of(context, "managed memory");
    if (buffer.size() == 0 || support == nullptr) return;
    stream.state()->queue_on(buffer.state(), [support, where, address = runtime::address_of(buffer),
                                              bytes = buffer.size()](runtime::Queue& queue) {
        support->prefetch(queue, address, bytes, where);
    });
}

void attach(const Buffer& buffer, ManagedAccess access, const Stream& stream) {
    Context& context = check_managed(buffer, "attach");
    check_stream(context, stream);
    if (buffer.size() != buffer.state()->size()) {
        refuse_value("{} bytes of managed memory of {} cannot be attached; attach all of it",
                     buffer.size(), buffer.state()->size());
    }
    auto* const support = support_of(context, "managed memory");
    if (buffer.size() == 0 || support == nullptr) return;
    stream.state()->queue_on(
        buffer.state(),
        [support, access, address = runtime::address_of(buffer), bytes = buffer.size()](
            runtime::Queue& queue) { support->attach(queue, address, bytes, access); });
}

PitchedBuffer mem_alloc_pitch(std::size_t width_bytes, std::size_t height,
                              std::size_t access_bytes) {
    if (access_bytes == 0 || access_bytes > 16 || (access_bytes & (access_bytes - 1)) != 0) {
        refuse_value("an access of {} bytes is none a kernel makes; it has 1, 2, 4, 8 or 16",
                     access_bytes);
    }
    constexpr std::size_t kMost = std::numeric_limits<std::size_t>::max() / 2;
    if (width_bytes > kMost || (height > 0 && width_bytes + kPitch > kMost / height)) {
        refuse_value("cannot allocate {} rows of {} bytes: that is more than there can be", height,
                     width_bytes);
    }
    const std::size_t pitch = (width_bytes + kPitch - 1) / kPitch * kPitch;
    return {mem_alloc(pitch * height), pitch};
}

}  // namespace warpwise
