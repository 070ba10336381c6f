// Device memory without a type. Memory that the host reaches too: host_memory.hpp.
//
//   ww::Buffer b = ww::mem_alloc(1 << 20);       // from the current device's pool
//   b.copy_from(host.data(), bytes);
//   kernel(config, b, n);                        // a Buffer fits any pointer parameter
//   b.copy_to(host.data(), bytes);
//   ww::Buffer half = ww::to_device(values).slice(0, bytes / 2);
//
// Ownership: a Buffer is a shared handle; the memory goes back to the pool with the last copy of
// the handle or at free(), in stream order, so work already queued still finds it.
// Errors: use after free(), a range past the end and a buffer of another device raise
// ArgumentError before anything runs.
// Threading: handles may be used from any thread; contents are ordered by streams.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <ranges>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "warpwise/device.hpp"
#include "warpwise/export.hpp"
#include "warpwise/stream.hpp"

namespace warpwise {

namespace runtime {
class BufferState;
}

class WARPWISE_API Buffer {
  public:
    Buffer() noexcept = default;  // no memory: size 0, address 0
    ~Buffer() {
        if (state_) release();
    }
    Buffer(const Buffer&) = default;
    Buffer& operator=(const Buffer&) = default;
    Buffer(Buffer&&) noexcept = default;
    Buffer& operator=(Buffer&& other) noexcept {
        const Buffer before(std::move(*this));
        state_ = std::move(other.state_);
        offset_ = other.offset_;
        size_ = other.size_;
        return *this;
    }

    std::size_t size() const noexcept { return size_; }  // bytes
    std::uint64_t address() const;                       // device address; 0 for an empty buffer
    Device device() const;
    bool is_freed() const noexcept;
    // Releases the memory now. Throws ArgumentError if it was released before.
    void free();

    // Blocking copies between host memory and bytes [offset, offset + bytes), on the current
    // stream, complete on return.
    void copy_from(const void* host, std::size_t bytes, std::size_t offset = 0);
    void copy_to(void* host, std::size_t bytes, std::size_t offset = 0) const;
    // The same in the order of `stream`; the host memory must live until they are done.
    void copy_from_async(const void* host, std::size_t bytes, const Stream& stream,
                         std::size_t offset = 0);
    void copy_to_async(void* host, std::size_t bytes, const Stream& stream,
                       std::size_t offset = 0) const;
    // Device to device, in the order of `stream`, which is of this buffer's device. Between two
    // GPUs it also comes after the work given to the source device's current stream, and before
    // that stream's later work; the host is not waited for. Between other devices it goes through
    // the host and is done on return.
    void copy_from(const Buffer& source, std::size_t bytes, const Stream& stream,
                   std::size_t offset = 0, std::size_t source_offset = 0);
    // Writes `count` repetitions of a 1-, 2-, 4- or 8-byte pattern from `offset` on.
    void fill(std::uint64_t pattern, std::size_t pattern_bytes, std::size_t count,
              const Stream& stream, std::size_t offset = 0);
    // A part of this buffer that shares and keeps alive its memory.
    Buffer slice(std::size_t offset, std::size_t bytes) const;
    // The memory as the host reads and writes it, after the work so far of the current stream,
    // which it waits for as copy_to() does; null for an empty buffer. Later work is not waited for:
    // the caller synchronizes. Throws UnsupportedError where the host does not reach it: memory of
    // a GPU that is neither page-locked nor managed.
    void* host_data() const;
    // Stands for this memory in another process of the machine: see open_ipc_memory(). The buffer
    // must live until they are done with it. On the CPU device the pages in which it lies are
    // shared, until the pool gives them back to the system. Throws UnsupportedError where that is
    // not possible, and ArgumentError for memory of the CPU device that wrap_memory() was given.
    std::vector<std::byte> ipc_handle() const;

    explicit Buffer(std::shared_ptr<runtime::BufferState> state, std::size_t offset,
                    std::size_t size) noexcept;
    const std::shared_ptr<runtime::BufferState>& state() const noexcept { return state_; }
    // Bytes from the start of the allocation; more than 0 for a slice.
    std::size_t offset() const noexcept { return offset_; }

  private:
    void release() noexcept;

    std::shared_ptr<runtime::BufferState> state_;
    std::size_t offset_ = 0;
    std::size_t size_ = 0;
};

// Memory from the current device's pool, usable at once by the current stream. 0 bytes are allowed.
// Throws OutOfMemoryError.
WARPWISE_API Buffer mem_alloc(std::size_t bytes);
WARPWISE_API Buffer mem_alloc(std::size_t bytes, const Stream& stream);
// Memory of the current device with a copy of host memory, complete on return.
WARPWISE_API Buffer to_device(const void* host, std::size_t bytes);
// The same of a std::vector, a std::array or a span of plain values.
template <std::ranges::contiguous_range Values>
    requires std::is_trivially_copyable_v<std::ranges::range_value_t<Values>>
Buffer to_device(const Values& values) {
    return to_device(std::ranges::data(values),
                     std::ranges::size(values) * sizeof(std::ranges::range_value_t<Values>));
}
// Memory straight from the device, aside from the pool; freed to the device after its work is done.
WARPWISE_API Buffer mem_alloc_unpooled(std::size_t bytes, const Device& device);
// Memory that is owned elsewhere; `owner` (may be null) is kept alive with the handle.
WARPWISE_API Buffer wrap_memory(std::uint64_t address, std::size_t bytes, const Device& device,
                                std::shared_ptr<const void> owner);

// Memory of another process, by what Buffer::ipc_handle() gave there. It is released with the
// last copy of the handle, after the work that uses it. The caller orders the processes: events may
// be shared as well. Throws ArgumentError for bytes that are no such handle, a
// handle of this process, of a GPU that is not visible here, or of memory that is gone.
WARPWISE_API Buffer open_ipc_memory(std::span<const std::byte> handle);

// Copies between raw addresses, in stream order, for code that computes addresses itself. Any
// address the library allocated is checked against its allocation.
WARPWISE_API void copy_address(std::uint64_t destination, std::uint64_t source, std::size_t bytes,
                               const Stream& stream);

}  // namespace warpwise
