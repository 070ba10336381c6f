// Work that a layer above the runtime has promised but not queued yet, and when it is queued.
//
// The lazy array layer (src/graph) keeps operations back so that it can fuse them. To all
// else they must seem to have been queued where they were written. So the runtime knows one
// optional PendingWork per stream (StreamState) and one per buffer (BufferState), set and removed
// by the layer above, and asks it to flush before anything that could observe the difference:
//
//  - The stream's, where the order of the stream becomes visible: Stream::record, wait,
//    synchronize, is_done, call_host and handle, Event::record, begin_capture, end_capture and
//    discard_capture (of every stream that takes part), Device::synchronize (all streams of the
//    device, as for disable_peer_access and both ends of a Profile).
//  - The buffer's, where its contents or its address are used: a launch that takes it (as Buffer,
//    DeviceArray, Pointer into it, texture, or bound to a texture reference), copies, fills, copies
//    of boxes and between devices on either side, Graph::launch, prefetch and attach, a Texture
//    over it, Buffer::address, ipc_handle and free.
//  - All of a device, where memory is short: before an OutOfMemoryError is thrown, and by
//    Pool::free_held. Pending operations hold memory that they release once they have run.
//
// A launch, a copy or a fill does not ask the stream: an operation on other memory may stay behind
// it, since the order in which the two ran cannot be observed. For that to hold, memory whose
// address is known outside the library must not have pending work at all. BufferState::is_exposed()
// reports it: after Buffer::address(), ipc_handle() or a texture over the memory, and from the
// start for memory of the host, of a module and of others (wrap_memory). Operations that touch such
// memory are queued at once. The layer above asks is_exposed() under its own lock after it has set
// its object: a buffer is exposed before it is flushed, so one of the two sides sees the other.
//
// Not asked: what neither orders nor touches memory (allocation that succeeds, slice, advise,
// GraphKernel::set_arguments), waiting for an event (record asked already), and the end of a last
// handle: an operation that must still run holds a handle of its stream and its buffers. Who ends a
// scope that evaluates (`with Stream`) calls StreamState::settle().
//
// Contract of flush():
//  - On return everything that was pending before the call, for that stream or on that memory, has
//    been queued, by any thread; it need not have ended. It goes to the streams it belongs
//    to: order between streams is up to the program, as for launches. For FlushReason::Exit
//    values that only a reader would miss stay behind.
//  - It is called after the entry has checked its arguments and before it does anything else. If it
//    throws, the entry throws that and has done nothing; the object decides what is retried, and
//    stays set. Device::synchronize and Pool::free_held ask every stream and then throw the first
//    error. A request for memory goes on after an OutOfMemoryError and throws its own.
//  - It may call the runtime: launch, copy and allocate, on the same stream and memory too. While
//    it runs, the same object is not asked again on that thread; others are.
//  - While a stream is captured, what it queues there is recorded.
//
// Ownership: a stream or buffer owns its object. An object that itself holds the stream or the
// buffer is removed when nothing is pending any more, else neither is ever released. One object may
// be set in many places; then it removes itself from all it has emptied, or is asked for each.
// Threading: flush() may be called from several threads at once. The runtime holds no lock of its
// own meanwhile. A lock that flush() holds while it calls the runtime must be one for all objects
// of the layer: objects ask each other. set_pending() takes only a lock that is never held while
// calling out, so that it may be called under any.
// Cost when nothing is set: one relaxed load beside what the entry reads anyway; a launch tests it
// together with is_freed().
#pragma once

#include <cstdint>

namespace warpwise::runtime {

class BufferState;

enum class FlushReason : std::uint8_t {
    Order,    // later work of the stream comes after what is pending
    Access,   // the memory is about to be read or written
    Address,  // its address is about to leave the library
    Free,     // it is about to be released
    Memory,   // the device has too little memory
    Exit,     // the program ends: nothing will be read any more
};

struct FlushRequest {
    FlushReason reason = FlushReason::Order;
    const BufferState* buffer = nullptr;  // the one that is asked for; null where a stream is
};

class PendingWork {
  public:
    virtual ~PendingWork() = default;
    virtual void flush(const FlushRequest& request) = 0;
};

// Calls flush(), unless this thread is inside flush() of the same object: then false.
bool flush_once(PendingWork& work, const FlushRequest& request);

}  // namespace warpwise::runtime
