// The driver keeps who has access to whom; others in the process may have requested it too.
// Memory behind reserved addresses is not a part of that: access to it is given for itself.
#include "src/backends/cuda/memory/peers.hpp"

#include "src/backends/cuda/stream/queue.hpp"
#include "src/runtime/profile/work_records.hpp"

namespace warpwise::cuda {

bool CudaPeers::can_access(int ordinal, int peer) {
    const Driver& driver = cuda::driver();
    DeviceHandle own = 0;
    DeviceHandle other = 0;
    int can = 0;
    PrimaryContext& requesting = context(ordinal);
    requesting.check(driver.device_get(&own, ordinal), "find a device");
    requesting.check(driver.device_get(&other, peer), "find a device");
    requesting.check(driver.peer_possible(&can, own, other), "ask about access to a peer");
    return can != 0;
}

void CudaPeers::enable_access(int ordinal, int peer) {
    const ContextHandle other = context(peer).handle();
    reserved(peer).grant(ordinal);
    const PrimaryContext::Scope scope(context(ordinal));
    const Status status = driver().peer_enable(other, 0);
    if (status == Status::Success || status == Status::PeerAccessAlreadyEnabled) return;
    reserved(peer).revoke(ordinal);
    context(ordinal).check(status, "get access to a peer");
}

void CudaPeers::disable_access(int ordinal, int peer) {
    const ContextHandle other = context(peer).handle();
    const PrimaryContext::Scope scope(context(ordinal));
    const Status status = driver().peer_disable(other);
    if (status != Status::PeerAccessNotEnabled) {
        context(ordinal).check(status, "end access to a peer");
    }
    reserved(peer).revoke(ordinal);
}

void CudaPeers::copy(runtime::Queue& queue, const runtime::PeerCopy& copy) {
    PrimaryContext& to = context(copy.to_ordinal);
    const ContextHandle from = context(copy.from_ordinal).handle();
    auto& own = static_cast<CudaQueue&>(queue);
    const PrimaryContext::Scope scope(to);
    EventLog::Timing timing(own.event_log(), own.stream());
    to.check(driver().peer_copy(copy.to, to.handle(), copy.from, from, copy.bytes, own.stream()),
             "copy between devices");
    timing.done([&] {
        return runtime::record_of_copy(ProfileRecord::Direction::BetweenDevices, copy.bytes);
    });
}

}  // namespace warpwise::cuda
