// Of the fake driver: who a device is, peers, memory and events of other processes.
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <set>
#include <utility>

#include "tests/unit/backends/cuda/fake_watch.hpp"
#include "tests/unit/backends/cuda/fake_world.hpp"

namespace warpwise::cuda::fake {
namespace {

struct Access {
    std::mutex mutex;
    std::set<std::pair<ContextHandle, ContextHandle>> pairs;  // who has access to whom
};

Access& access() {
    static auto* const instance = new Access;
    return *instance;
}

}  // namespace

Status device_uuid(DeviceUuid* uuid, DeviceHandle device) {
    FAKE_ENTER("cuDeviceGetUuid");
    *uuid = {};
    uuid->bytes[0] = std::byte{0xfa};
    uuid->bytes[15] = static_cast<std::byte>(device);
    return Status::Success;
}
// FAKE_CUDA_PEERS=0: devices without a link.
Status peer_possible(int* can, DeviceHandle own, DeviceHandle peer) {
    FAKE_ENTER("cuDeviceCanAccessPeer");
    const char* const wanted = std::getenv("FAKE_CUDA_PEERS");
    *can = own != peer && (wanted == nullptr || wanted[0] != '0') ? 1 : 0;
    return Status::Success;
}
Status peer_enable(ContextHandle peer, unsigned) {
    FAKE_ENTER_CONTEXT("cuCtxEnablePeerAccess");
    if (peer == current_context()) return Status::InvalidValue;
    const std::lock_guard lock(access().mutex);
    const bool is_new = access().pairs.insert({current_context(), peer}).second;
    return is_new ? Status::Success : Status::PeerAccessAlreadyEnabled;
}
Status peer_disable(ContextHandle peer) {
    FAKE_ENTER_CONTEXT("cuCtxDisablePeerAccess");
    const std::lock_guard lock(access().mutex);
    return access().pairs.erase({current_context(), peer}) != 0 ? Status::Success
                                                                : Status::PeerAccessNotEnabled;
}
Status peer_copy(DevicePointer to, ContextHandle to_context, DevicePointer from,
                 ContextHandle from_context, std::size_t bytes, StreamHandle stream) {
    FAKE_ENTER_CONTEXT("cuMemcpyPeerAsync");
    if (to_context == nullptr || from_context == nullptr || !is_device_memory(to, bytes) ||
        !is_device_memory(from, bytes)) {
        return Status::InvalidValue;
    }
    push(stream_of(stream),
         watched({.kind = WatchedWork::Kind::Between, .stream = stream, .bytes = bytes}, [to, from,
                                                                                          bytes] {
             std::memmove(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes);
         }));
    return Status::Success;
}

Status memory_range(DevicePointer* base, std::size_t* bytes, DevicePointer address) {
    FAKE_ENTER_CONTEXT("cuMemGetAddressRange");
    return find_allocation(address, base, bytes) ? Status::Success : Status::InvalidValue;
}
// A handle holds the address; it is valid as long as that is allocated. Both processes
// are this one.
Status ipc_get_memory(IpcHandle* handle, DevicePointer base) {
    FAKE_ENTER_CONTEXT("cuIpcGetMemHandle");
    if (!is_device_memory(base, 1) || is_reserved(base)) return Status::InvalidValue;
    *handle = {};
    std::memcpy(handle->bytes, &base, sizeof base);
    return Status::Success;
}
Status ipc_open_memory(DevicePointer* base, IpcHandle handle, unsigned) {
    FAKE_ENTER_CONTEXT("cuIpcOpenMemHandle");
    std::memcpy(base, handle.bytes, sizeof *base);
    return is_device_memory(*base, 1) ? Status::Success : Status::InvalidValue;
}
Status ipc_close_memory(DevicePointer base) {
    FAKE_ENTER_CONTEXT("cuIpcCloseMemHandle");
    return base != 0 ? Status::Success : Status::InvalidValue;
}
Status ipc_get_event(IpcHandle* handle, EventHandle event) {
    FAKE_ENTER_CONTEXT("cuIpcGetEventHandle");
    const std::shared_ptr<Event> made = event_of(event);
    if ((made->flags & kEventInterprocess) == 0) return Status::InvalidHandle;
    *handle = {};
    std::memcpy(handle->bytes, &event, sizeof(EventHandle));
    return Status::Success;
}
Status ipc_open_event(EventHandle* event, IpcHandle handle) {
    FAKE_ENTER_CONTEXT("cuIpcOpenEventHandle");
    EventHandle original = nullptr;
    std::memcpy(&original, handle.bytes, sizeof(EventHandle));
    *event = second_handle(original);
    return *event != nullptr ? Status::Success : Status::InvalidHandle;
}

}  // namespace warpwise::cuda::fake
