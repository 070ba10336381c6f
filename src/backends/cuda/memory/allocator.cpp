// Each kind of memory has its pair of calls.
#include "src/backends/cuda/memory/allocator.hpp"

#include <fmt/format.h>

#include "src/base/text.hpp"
#include "warpwise/error.hpp"

namespace warpwise::cuda {

using runtime::MemoryKind;

runtime::DeviceAddress CudaAllocator::allocate(std::size_t bytes, MemoryKind kind) {
    const PrimaryContext::Scope scope(context_);
    const Driver& driver = cuda::driver();
    if (is_host_memory(kind)) {
        void* memory = nullptr;
        const unsigned combined = kind == MemoryKind::WriteCombined ? kHostWriteCombined : 0;
        const Status status =
            driver.host_allocate(&memory, bytes, kHostPortable | kHostDeviceMap | combined);
        if (status == Status::OutOfMemory) {
            throw OutOfMemoryError(
                fmt::format("the host has no {} of page-locked memory left", human_bytes(bytes)));
        }
        context_.check(status, "allocate page-locked memory");
        const auto address = reinterpret_cast<std::uintptr_t>(memory);
        page_locked_.add(address, bytes);
        return address;
    }
    DevicePointer address = 0;
    const Status status = kind == MemoryKind::Managed
                              ? driver.managed_allocate(&address, bytes, kAttachGlobal)
                              : driver.memory_allocate(&address, bytes);
    if (status == Status::OutOfMemory) {
        const MemoryInfo now = info();
        throw OutOfMemoryError(fmt::format("{} were asked for, {} of {} are free on cuda:{}",
                                           human_bytes(bytes), human_bytes(now.free),
                                           human_bytes(now.total), context_.ordinal()));
    }
    context_.check(status, "allocate memory");
    return address;
}

void CudaAllocator::release(runtime::DeviceAddress address, std::size_t, MemoryKind kind) noexcept {
    context_.ignoring_errors([&](const Driver& driver) {
        if (is_host_memory(kind)) {
            page_locked_.remove(address);
            driver.host_free(reinterpret_cast<void*>(address));
        } else {
            driver.memory_free(address);
        }
    });
}

MemoryInfo CudaAllocator::info() {
    const PrimaryContext::Scope scope(context_);
    std::size_t free = 0;
    std::size_t total = 0;
    context_.check(driver().memory_info(&free, &total), "ask for free memory");
    return {.free = free, .total = total};
}

}  // namespace warpwise::cuda
