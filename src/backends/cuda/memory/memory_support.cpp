// See memory_support.hpp. The driver's first forms of advice and prefetching are used: they take a
// device's number or that of the host, which is all that is needed of them here.
#include "src/backends/cuda/memory/memory_support.hpp"

#include <fmt/format.h>

#include "src/backends/cuda/stream/queue.hpp"
#include "warpwise/error.hpp"

namespace warpwise::cuda {

using runtime::DeviceAddress;

void CudaMemorySupport::register_host(DeviceAddress address, std::size_t bytes, bool read_only) {
    const PrimaryContext::Scope scope(context_);
    void* const memory = reinterpret_cast<void*>(address);
    const unsigned flags = kHostPortable | kHostDeviceMap | (read_only ? kRegisterReadOnly : 0);
    context_.check(driver().host_register(memory, bytes, flags), "register host memory");
    DevicePointer mapped = 0;
    const Status status = driver().host_device_pointer(&mapped, memory, 0);
    if (status == Status::Success && mapped == address) return;
    driver().host_unregister(memory);
    context_.check(status, "map registered host memory");
    // Buffers have one address for host and device.
    throw UnsupportedError(fmt::format(
        "cuda:{} maps registered host memory to another address, which is not supported; allocate "
        "page-locked memory instead",
        context_.ordinal()));
}

void CudaMemorySupport::unregister_host(DeviceAddress address) noexcept {
    context_.ignoring_errors(
        [&](const Driver& driver) { driver.host_unregister(reinterpret_cast<void*>(address)); });
}

DeviceHandle CudaMemorySupport::place(int location) {
    if (location == runtime::kHostLocation) return kHostDevice;
    DeviceHandle device = 0;
    context_.check(driver().device_get(&device, location), "find a device");
    return device;
}

void CudaMemorySupport::advise(DeviceAddress address, std::size_t bytes, MemoryAdvice advice,
                               int location) {
    const PrimaryContext::Scope scope(context_);
    context_.check(
        driver().managed_advise(address, bytes, static_cast<int>(advice), place(location)),
        "advise on managed memory");
}

void CudaMemorySupport::prefetch(runtime::Queue& queue, DeviceAddress address, std::size_t bytes,
                                 int location) {
    const PrimaryContext::Scope scope(context_);
    const StreamHandle stream = static_cast<CudaQueue&>(queue).stream();
    context_.check(driver().managed_prefetch(address, bytes, place(location), stream),
                   "prefetch managed memory");
}

void CudaMemorySupport::attach(runtime::Queue& queue, DeviceAddress address, std::size_t bytes,
                               ManagedAccess access) {
    const PrimaryContext::Scope scope(context_);
    const StreamHandle stream = static_cast<CudaQueue&>(queue).stream();
    context_.check(driver().managed_attach(stream, address, bytes, static_cast<unsigned>(access)),
                   "attach managed memory");
}

}  // namespace warpwise::cuda
