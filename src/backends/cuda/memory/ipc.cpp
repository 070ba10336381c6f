// A handle represents a whole allocation of the driver. Opening one twice is not allowed by every
// driver, so what is open is remembered; closing and opening again are kept apart by the lock.
#include "src/backends/cuda/memory/ipc.hpp"

#include <fmt/format.h>

#include <cstring>

#include "src/backends/cuda/device/event.hpp"
#include "warpwise/error.hpp"

namespace warpwise::cuda {
namespace {

IpcHandle to_driver(const runtime::IpcBytes& bytes) {
    IpcHandle handle{};
    std::memcpy(handle.bytes, bytes.data(), bytes.size());
    return handle;
}

runtime::IpcBytes from_driver(const IpcHandle& handle) {
    runtime::IpcBytes bytes{};
    std::memcpy(bytes.data(), handle.bytes, bytes.size());
    return bytes;
}

// What the driver returns for a handle that is no longer valid.
void check_opened(PrimaryContext& context, Status status, const char* what) {
    switch (status) {
        case Status::InvalidValue:
        case Status::InvalidContext:
        case Status::InvalidHandle:
        case Status::MapFailed:
            throw ArgumentError(
                ArgumentError::Kind::Value,
                fmt::format("the IPC handle stands for no {} on cuda:{} ({}); the process that "
                            "made it must be running, and must not have released it",
                            what, context.ordinal(), describe(driver(), status)));
        default:
            context.check(status, "open an IPC handle");
    }
}

}  // namespace

std::array<std::byte, 16> CudaIpc::device_identity(int ordinal) {
    DeviceHandle device = 0;
    DeviceUuid uuid{};
    context(ordinal).check(driver().device_get(&device, ordinal), "find a device");
    context(ordinal).check(driver().device_uuid(&uuid, device), "ask who a device is");
    std::array<std::byte, 16> identity{};
    std::memcpy(identity.data(), uuid.bytes, identity.size());
    return identity;
}

runtime::IpcMemory CudaIpc::export_memory(int ordinal, runtime::DeviceAddress address,
                                          std::size_t) {
    PrimaryContext& own = context(ordinal);
    const PrimaryContext::Scope scope(own);
    DevicePointer base = 0;
    std::size_t bytes = 0;
    IpcHandle handle{};
    own.check(driver().memory_range(&base, &bytes, address), "find the allocation of an address");
    const Status status = driver().ipc_get_memory(&handle, base);
    if (status == Status::InvalidValue) {
        throw ArgumentError(ArgumentError::Kind::Value,
                            fmt::format("the memory at {:#x} cannot be shared: it is not memory "
                                        "that this process allocated on cuda:{} with cuMemAlloc; "
                                        "share a buffer of mem_alloc() or mem_alloc_unpooled()",
                                        address, ordinal));
    }
    own.check(status, "make an IPC handle of memory");
    return {.handle = from_driver(handle), .base = base, .bytes = bytes};
}

std::shared_ptr<const runtime::DeviceAddress> CudaIpc::open_memory(
    int ordinal, const runtime::IpcBytes& handle) {
    PrimaryContext& own = context(ordinal);
    const PrimaryContext::Scope scope(own);
    MutexLock lock(opened_.mutex());
    if (auto address = opened_.find(handle)) return address;
    DevicePointer base = 0;
    check_opened(own, driver().ipc_open_memory(&base, to_driver(handle), kIpcLazyPeerAccess),
                 "memory");
    const auto close = [this, &own](const runtime::DeviceAddress* address) {
        {
            MutexLock closing(opened_.mutex());
            own.ignoring_errors(
                [address](const Driver& driver) { driver.ipc_close_memory(*address); });
        }
        delete address;
    };
    return opened_.add(handle, {new runtime::DeviceAddress(base), close});
}

std::unique_ptr<runtime::EventImpl> CudaIpc::make_event(int ordinal) {
    PrimaryContext& own = context(ordinal);
    const PrimaryContext::Scope scope(own);
    EventHandle event = nullptr;
    own.check(driver().event_create(&event, kEventDisableTiming | kEventInterprocess),
              "make an event for several processes");
    return std::make_unique<CudaEvent>(own, event);
}

runtime::IpcBytes CudaIpc::export_event(runtime::EventImpl& event) {
    auto& own = static_cast<CudaEvent&>(event);
    const PrimaryContext::Scope scope(own.context());
    IpcHandle handle{};
    own.context().check(driver().ipc_get_event(&handle, own.handle()),
                        "make an IPC handle of an event");
    return from_driver(handle);
}

std::unique_ptr<runtime::EventImpl> CudaIpc::open_event(int ordinal,
                                                        const runtime::IpcBytes& handle) {
    PrimaryContext& own = context(ordinal);
    const PrimaryContext::Scope scope(own);
    EventHandle event = nullptr;
    check_opened(own, driver().ipc_open_event(&event, to_driver(handle)), "event");
    return std::make_unique<CudaEvent>(own, event);
}

}  // namespace warpwise::cuda
