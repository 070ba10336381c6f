// Buffer and the functions that make it: every range, device and freed handle is
// checked here, before a queue sees the copy.
#include "warpwise/buffer.hpp"

#include <limits>
#include <utility>
#include <vector>

#include "src/base/text.hpp"
#include "src/runtime/context.hpp"
#include "src/runtime/peer_copies.hpp"
#include "src/runtime/pool/buffer_state.hpp"
#include "src/runtime/pool/pool_state.hpp"
#include "src/runtime/refuse.hpp"
#include "src/runtime/stream/stream_state.hpp"
#include "warpwise/pool.hpp"

namespace warpwise {

using runtime::address_of;
using runtime::Context;
using runtime::CopyKind;
using runtime::refuse_value;
using runtime::StreamState;

namespace {

// Checks [offset, offset + bytes) against `buffer`; `action` is "copy to", "fill" ...
void check_range(const Buffer& buffer, const char* action, std::size_t offset, std::size_t bytes) {
    if (buffer.is_freed()) buffer.state()->refuse_freed(fmt::format("cannot {}", action).c_str());
    if (offset <= buffer.size() && bytes <= buffer.size() - offset) return;
    refuse_value("cannot {} bytes {} to {} of a buffer of {} bytes: that is past its end", action,
                 offset, offset + bytes, buffer.size());
}

void check_host(const void* host, std::size_t bytes, const char* action) {
    if (host == nullptr && bytes > 0) {
        refuse_value("cannot {}: the host address is null, and {} bytes are asked for", action,
                     bytes);
    }
}

void check_device(const Buffer& buffer, const Stream& stream) {
    if (!buffer.state()) return;
    Context& own = buffer.state()->context();
    Context& other = stream.state()->context();
    if (&own == &other) return;
    refuse_value("a buffer of {} cannot be used on a stream of {}; pass a stream of {}", own.name(),
                 other.name(), own.name());
}

// A copy of so much goes faster when nothing is ahead of it: a back end then need not hold the
// stream's order for memory that the device cannot reach.
constexpr std::size_t kLargeCopy = std::size_t{4} << 20;

// The stream that a blocking copy from or to `buffer` goes to.
StreamState& blocking_stream(const Buffer& buffer) {
    Context& context = buffer.state() ? buffer.state()->context() : *runtime::current_context();
    StreamState& stream = *runtime::current_stream(context);
    stream.refuse_to_wait("used for a blocking copy");
    return stream;
}

std::uint64_t host_address(const void* host) {
    return reinterpret_cast<std::uintptr_t>(host);
}

// Blocking copies of settled buffers.
void write_now(const Buffer& buffer, const void* host, std::size_t bytes, std::size_t offset,
               StreamState& stream) {
    if (bytes >= kLargeCopy) stream.wait_for_queue();
    stream.copy_and_wait(
        {address_of(buffer) + offset, host_address(host), bytes, CopyKind::HostToDevice},
        buffer.state());
}

void read_now(const Buffer& buffer, void* host, std::size_t bytes, std::size_t offset,
              StreamState& stream) {
    if (bytes >= kLargeCopy) stream.wait_for_queue();
    stream.copy_and_wait(
        {host_address(host), address_of(buffer) + offset, bytes, CopyKind::DeviceToHost},
        buffer.state());
}

// Memory of the library at the host's end is given back only after the copies that use it.
std::shared_ptr<runtime::BufferState> owner_of(Context& context, const void* host) {
    return context.find_memory(host_address(host)).buffer;
}

void copy_in(const Buffer& buffer, const void* host, std::size_t bytes, std::size_t offset,
             StreamState& stream, const std::shared_ptr<runtime::BufferState>& host_owner) {
    if (bytes == 0) return;
    stream.copy({address_of(buffer) + offset, host_address(host), bytes, CopyKind::HostToDevice},
                buffer.state(), host_owner);
}

void copy_out(const Buffer& buffer, void* host, std::size_t bytes, std::size_t offset,
              StreamState& stream, const std::shared_ptr<runtime::BufferState>& host_owner) {
    if (bytes == 0) return;
    stream.copy({host_address(host), address_of(buffer) + offset, bytes, CopyKind::DeviceToHost},
                buffer.state(), host_owner);
}

}  // namespace

Buffer::Buffer(std::shared_ptr<runtime::BufferState> state, std::size_t offset,
               std::size_t size) noexcept
    : state_(std::move(state)), offset_(offset), size_(size) {}

std::uint64_t Buffer::address() const {
    if (!state_ || size_ == 0) return 0;
    state_->refuse_freed("cannot take the address of");
    state_->expose();
    return address_of(*this);
}

Device Buffer::device() const {
    return state_ ? Device(state_->context().shared()) : Device();
}

bool Buffer::is_freed() const noexcept {
    return state_ && state_->is_freed();
}

void Buffer::free() {
    if (!state_) refuse_value("this buffer never had memory; there is nothing to free");
    if (offset_ != 0 || size_ != state_->size()) {
        refuse_value(
            "this is a part ({} bytes from {} on) of a buffer of {} bytes; free the whole buffer, "
            "or let the handles go",
            size_, offset_, state_->size());
    }
    runtime::current_stream(state_->context())->refuse_in_capture("used to free a buffer");
    state_->free();
}

void Buffer::copy_from(const void* host, std::size_t bytes, std::size_t offset) {
    check_host(host, bytes, "copy to the buffer");
    check_range(*this, "copy to", offset, bytes);
    StreamState& stream = blocking_stream(*this);
    if (bytes == 0) return;
    settle(state_);
    write_now(*this, host, bytes, offset, stream);
}

void Buffer::copy_to(void* host, std::size_t bytes, std::size_t offset) const {
    check_host(host, bytes, "copy from the buffer");
    check_range(*this, "copy from", offset, bytes);
    StreamState& stream = blocking_stream(*this);
    if (bytes == 0) return;
    settle(state_);
    read_now(*this, host, bytes, offset, stream);
}

void Buffer::copy_from_async(const void* host, std::size_t bytes, const Stream& stream,
                             std::size_t offset) {
    check_host(host, bytes, "copy to the buffer");
    check_range(*this, "copy to", offset, bytes);
    check_device(*this, stream);
    copy_in(*this, host, bytes, offset, *stream.state(), owner_of(stream.state()->context(), host));
}

void Buffer::copy_to_async(void* host, std::size_t bytes, const Stream& stream,
                           std::size_t offset) const {
    check_host(host, bytes, "copy from the buffer");
    check_range(*this, "copy from", offset, bytes);
    check_device(*this, stream);
    copy_out(*this, host, bytes, offset, *stream.state(),
             owner_of(stream.state()->context(), host));
}

void Buffer::copy_from(const Buffer& source, std::size_t bytes, const Stream& stream,
                       std::size_t offset, std::size_t source_offset) {
    check_range(*this, "copy to", offset, bytes);
    check_range(source, "copy from", source_offset, bytes);
    check_device(*this, stream);
    if (bytes == 0) return;
    if (&source.state_->context() == &state_->context()) {
        stream.state()->copy({address_of(*this) + offset, address_of(source) + source_offset, bytes,
                              CopyKind::DeviceToDevice},
                             state_, source.state_);
        return;
    }
    if (runtime::has_peer_copies(state_->context(), source.state_->context())) {
        runtime::copy_between_devices({.destination = state_,
                                       .destination_address = address_of(*this) + offset,
                                       .source = source.state_,
                                       .source_address = address_of(source) + source_offset},
                                      bytes, *stream.state());
        return;
    }
    stream.state()->refuse_to_wait("synchronized");
    StreamState& theirs = blocking_stream(source);
    std::vector<std::byte> staging(bytes);
    settle(state_);
    settle(source.state_);
    stream.state()->wait_for_queue();
    read_now(source, staging.data(), bytes, source_offset, theirs);
    write_now(*this, staging.data(), bytes, offset, *stream.state());
}

void Buffer::fill(std::uint64_t pattern, std::size_t pattern_bytes, std::size_t count,
                  const Stream& stream, std::size_t offset) {
    if (pattern_bytes != 1 && pattern_bytes != 2 && pattern_bytes != 4 && pattern_bytes != 8) {
        refuse_value("a pattern of {} bytes cannot be filled in; it has 1, 2, 4 or 8",
                     pattern_bytes);
    }
    if (count > std::numeric_limits<std::size_t>::max() / pattern_bytes) {
        refuse_value("cannot fill {} times {} bytes: that is more than there can be", count,
                     pattern_bytes);
    }
    check_range(*this, "fill", offset, count * pattern_bytes);
    check_device(*this, stream);
    if (count == 0) return;
    stream.state()->fill({address_of(*this) + offset, pattern, pattern_bytes, count}, state_);
}

Buffer Buffer::slice(std::size_t offset, std::size_t bytes) const {
    check_range(*this, "take", offset, bytes);
    return Buffer(state_, offset_ + offset, bytes);
}

void* Buffer::host_data() const {
    if (state_ == nullptr || size_ == 0) return nullptr;
    state_->refuse_freed("cannot read on the host");
    const Context& context = state_->context();
    if (!context.info().shares_host_memory && state_->kind() == runtime::MemoryKind::Device) {
        throw UnsupportedError(
            fmt::format("the host cannot reach memory of {}; copy it with copy_to(), or allocate "
                        "page-locked or managed memory",
                        context.name()));
    }
    StreamState& stream = *runtime::current_stream(state_->context());
    stream.refuse_to_wait("used to read memory on the host");
    state_->expose();
    stream.synchronize();
    return reinterpret_cast<void*>(static_cast<std::uintptr_t>(address_of(*this)));
}

[[gnu::hot]] void Buffer::release() noexcept {
    if (state_.use_count() == 1) runtime::BufferState::release_last(state_);
}

namespace {

Buffer allocate_for(std::size_t bytes, const StreamState& stream) {
    stream.refuse_in_capture("used to allocate memory");
    return Buffer(stream.context().pool()->allocate(bytes, stream.core()), 0, bytes);
}

[[gnu::hot]] Buffer allocate_kept_for(std::size_t bytes, const StreamState& stream) {
    stream.refuse_in_capture("used to allocate memory");
    auto state = stream.context().pool()->allocate_kept(bytes, *stream.core());
    return state ? Buffer(std::move(state), 0, bytes) : Buffer();
}

}  // namespace

Buffer mem_alloc(std::size_t bytes) {
    return allocate_for(bytes, *runtime::current_stream(*runtime::current_context()));
}

Buffer mem_alloc(std::size_t bytes, const Stream& stream) {
    return allocate_for(bytes, *stream.state());
}

Buffer to_device(const void* host, std::size_t bytes) {
    Buffer buffer = mem_alloc(bytes);
    buffer.copy_from(host, bytes);
    return buffer;
}

[[gnu::hot]] Buffer mem_alloc_kept(std::size_t bytes) {
    return allocate_kept_for(bytes, *runtime::current_stream(*runtime::current_context()));
}

[[gnu::hot]] Buffer mem_alloc_kept(std::size_t bytes, const Stream& stream) {
    return allocate_kept_for(bytes, *stream.state());
}

Buffer mem_alloc_unpooled(std::size_t bytes, const Device& device) {
    auto& pool = *device.context().pool();
    return Buffer(pool.allocate_direct(bytes, runtime::MemoryKind::Device), 0, bytes);
}

Buffer wrap_memory(std::uint64_t address, std::size_t bytes, const Device& device,
                   std::shared_ptr<const void> owner) {
    if (address == 0 && bytes > 0) {
        refuse_value("cannot wrap {} bytes at address 0", bytes);
    }
    if (bytes > std::numeric_limits<std::uint64_t>::max() - address) {
        refuse_value("cannot wrap {} bytes at {}: that is past the end of all memory", bytes,
                     runtime::hex_address(address));
    }
    // What a pool keeps goes to other allocations.
    const runtime::MemoryPlace place = device.context().find_memory(address);
    if (bytes > 0 && place.is_pooled && !place.buffer) {
        refuse_value("cannot wrap {} bytes at {}: this memory was freed", bytes,
                     runtime::hex_address(address));
    }
    return Buffer(device.context().pool()->wrap(address, bytes, std::move(owner)), 0, bytes);
}

namespace {

// The allocation that holds [address, address + bytes), if the library knows it.
runtime::MemoryPlace checked_place(runtime::Context& context, std::uint64_t address,
                                   std::size_t bytes, const char* role) {
    auto place = context.find_memory(address);
    if (!place.found) return place;
    if (!place.buffer || place.buffer->is_freed()) {
        refuse_value("the {} address {} lies in memory that was freed", role,
                     runtime::hex_address(address));
    }
    const std::size_t left = place.start + place.buffer->size() - address;
    if (bytes > left) {
        refuse_value(
            "cannot copy {} bytes: the {} address {} is {} bytes before the end of its "
            "allocation of {} bytes",
            bytes, role, runtime::hex_address(address), left, place.buffer->size());
    }
    return place;
}

}  // namespace

void copy_address(std::uint64_t destination, std::uint64_t source, std::size_t bytes,
                  const Stream& stream) {
    if (bytes == 0) return;
    if (destination == 0 || source == 0) {
        refuse_value("cannot copy {} bytes: the {} address is 0", bytes,
                     destination == 0 ? "destination" : "source");
    }
    Context& context = stream.state()->context();
    const auto to = checked_place(context, destination, bytes, "destination");
    const auto from = checked_place(context, source, bytes, "source");
    CopyKind kind = CopyKind::DeviceToDevice;
    if (from.is_host && !to.is_host) kind = CopyKind::HostToDevice;
    if (to.is_host && !from.is_host) kind = CopyKind::DeviceToHost;
    stream.state()->copy({destination, source, bytes, kind}, to.buffer, from.buffer);
}

}  // namespace warpwise
