// Memory that the host and kernels both reach: page-locked, registered, managed; pitched device
// memory; and which memory an address is in.
//
//   ww::HostBuffer host(bytes);                       // page-locked
//   kernel(config, host.buffer(), n);                 // the kernel reads it in place
//   ww::HostBuffer shared = ww::managed_alloc(bytes); // moves to where it is used
//   ww::prefetch(shared.buffer(), device, stream);
//   ww::RegisteredMemory locked(vector.data(), bytes);
//   kernel(config, ww::mapped_buffer(vector.data() + 16, 64));
//
// On a device in host memory all of these are plain memory; advice and prefetching are checked and
// change nothing.
// Ownership: handles are shared; the memory goes back, or is unregistered, with the last handle or
// at free(), after the work queued on it.
// Errors: ArgumentError for what cannot be, before anything runs; OutOfMemoryError; DeviceError.
// Threading: handles may be used from any thread. While a kernel runs on managed memory, the host
// must leave it alone: synchronize first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "warpwise/buffer.hpp"
#include "warpwise/device.hpp"
#include "warpwise/export.hpp"
#include "warpwise/stream.hpp"

namespace warpwise {

// At most one of the three.
struct HostOptions {
    // For memory that the host only writes: faster for the device to read, very slow for the host.
    bool write_combined = false;
    // From a pool (Device::host_pool()): locking pages again takes long.
    bool pooled = false;
    // Managed memory: moves between host and device by itself.
    bool managed = false;
};

// Host memory that devices copy to and from at full speed and truly asynchronously, and that
// kernels take. It is mapped into every device.
class WARPWISE_API HostBuffer {
  public:
    // For the current device. 0 bytes are allowed. Throws OutOfMemoryError.
    explicit HostBuffer(std::size_t bytes, const HostOptions& options = {});
    void* data() const noexcept;  // null without bytes and after free()
    std::size_t size() const noexcept { return buffer_.size(); }
    // The same memory as kernels take it.
    const Buffer& buffer() const noexcept { return buffer_; }
    bool is_managed() const noexcept;
    bool is_freed() const noexcept { return buffer_.is_freed(); }
    // Gives the memory back now. What still points there must not be used any more.
    void free() { buffer_.free(); }

  private:
    Buffer buffer_;
};

WARPWISE_API HostBuffer managed_alloc(std::size_t bytes);

struct RegisterOptions {
    bool read_only = false;  // the device only reads it
};

// Host memory of the program's own, page-locked and mapped while this lives.
class WARPWISE_API RegisteredMemory {
  public:
    // The memory stays where it is until it is unregistered, or, better, `owner` keeps it there.
    RegisteredMemory(void* data, std::size_t bytes, const RegisterOptions& options = {},
                     std::shared_ptr<const void> owner = nullptr);
    void* data() const noexcept;  // null after unregister()
    std::size_t size() const noexcept { return buffer_.size(); }
    const Buffer& buffer() const noexcept { return buffer_; }
    bool is_registered() const noexcept { return !buffer_.is_freed(); }
    // After the work queued on it; does not wait for that.
    void unregister() { buffer_.free(); }

  private:
    Buffer buffer_;
};

// The part of page-locked, registered or managed memory of the current device at `host`, as kernels
// take it. Throws ArgumentError for other memory.
WARPWISE_API Buffer mapped_buffer(const void* host, std::size_t bytes);

// The allocation in use that an address of the device lies in, whole, of any kind of memory. Empty
// for an address that is in none: of memory that was freed, or that is owned elsewhere.
WARPWISE_API std::optional<Buffer> find_memory(std::uint64_t address, const Device& device);
// Whether an address of the device lies in memory that was freed and that its pool keeps for other
// allocations. The end of an allocation in use, which may lie there too, does not.
WARPWISE_API bool is_freed_memory(std::uint64_t address, const Device& device);

// The driver's numbers.
enum class MemoryAdvice : int {
    SetReadMostly = 1,
    UnsetReadMostly = 2,
    SetPreferredLocation = 3,
    UnsetPreferredLocation = 4,
    SetAccessedBy = 5,
    UnsetAccessedBy = 6,
};

// Who may access managed memory.
enum class ManagedAccess : unsigned { Global = 1, Host = 2, Single = 4 };

// How managed memory will be used; `location` is a device, or the host when there is none.
WARPWISE_API void advise(const Buffer& buffer, MemoryAdvice advice,
                         const std::optional<Device>& location);
// Moves managed memory there, in stream order.
WARPWISE_API void prefetch(const Buffer& buffer, const std::optional<Device>& location,
                           const Stream& stream);
// Single: only work of `stream` uses it. Takes effect in stream order.
WARPWISE_API void attach(const Buffer& buffer, ManagedAccess access, const Stream& stream);

// Device memory for `height` rows of `width_bytes` bytes, each beginning at a multiple of `pitch`
// bytes, which is one of 512. `access_bytes` (1, 2, 4, 8, 16) is the largest access of a kernel.
struct PitchedBuffer {
    Buffer buffer;
    std::size_t pitch = 0;
};
WARPWISE_API PitchedBuffer mem_alloc_pitch(std::size_t width_bytes, std::size_t height,
                                           std::size_t access_bytes = 4);

}  // namespace warpwise
