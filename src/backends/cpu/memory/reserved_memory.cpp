// Chunks mean nothing here: pages come and go one by one.
#include "src/backends/cpu/memory/reserved_memory.hpp"

#include <fmt/format.h>

#include "src/backends/cpu/memory/shared_pages.hpp"
#include "src/base/address_ranges.hpp"
#include "src/base/text.hpp"
#include "warpwise/error.hpp"

namespace warpwise::cpu {

std::size_t CpuReservedMemory::granule() {
    return kRangeGranule;
}

runtime::DeviceAddress CpuReservedMemory::reserve(std::size_t bytes) {
    if (const std::uintptr_t address = reserve_addresses(bytes)) return address;
    throw OutOfMemoryError(fmt::format(
        "the system reserves no {} of addresses (ulimit -v bounds them)", human_bytes(bytes)));
}

void CpuReservedMemory::release(runtime::DeviceAddress address, std::size_t bytes) noexcept {
    release_addresses(address, bytes);
}

void CpuReservedMemory::map(runtime::DeviceAddress address, std::size_t bytes, std::size_t) {
    const MemoryInfo before = allocator_.take(bytes);
    if (bytes <= before.free) {
        if (back_addresses(address, bytes)) return;
        allocator_.give(bytes);
    }
    throw OutOfMemoryError(
        fmt::format("{} of device memory were asked for, {} of {} are free on the CPU device",
                    human_bytes(bytes), human_bytes(before.free), human_bytes(before.total)));
}

void CpuReservedMemory::unmap(runtime::DeviceAddress address, std::size_t bytes) noexcept {
    SharedPages::instance().forget(address, bytes);
    unback_addresses(address, bytes);
    allocator_.give(bytes);
}

}  // namespace warpwise::cpu
