// The bytes that stand for memory or an event in another process: the driver's handle, and what it
// does not hold: the device, the place inside the allocation, and who made it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "src/runtime/ipc.hpp"

namespace warpwise::runtime {

struct IpcHandle {
    enum class Kind : std::uint32_t { Memory = 1, Event = 2 };
    Kind kind = Kind::Memory;
    std::array<std::byte, 16> device{};
    IpcBytes handle{};
    std::uint64_t offset = 0;  // of the memory in its allocation, bytes
    std::uint64_t bytes = 0;
    std::uint64_t process = 0;  // distinguishes processes
};

// Differs between all processes, a parent and its forked child included.
std::uint64_t this_process();

std::vector<std::byte> pack(const IpcHandle& handle);
// Throws ArgumentError for bytes that are no such handle of this version and kind, and for a handle
// that this process has made.
IpcHandle unpack(std::span<const std::byte> bytes, IpcHandle::Kind kind);

}  // namespace warpwise::runtime
