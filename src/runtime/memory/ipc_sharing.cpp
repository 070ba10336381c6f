// Memory and events given to other processes, and taken from them.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "src/runtime/context.hpp"
#include "src/runtime/memory/ipc_handle.hpp"
#include "src/runtime/pool/buffer_state.hpp"
#include "src/runtime/pool/pool_state.hpp"
#include "src/runtime/refuse.hpp"
#include "src/runtime/registry.hpp"
#include "src/runtime/stream/stream_state.hpp"
#include "warpwise/buffer.hpp"
#include "warpwise/stream.hpp"

namespace warpwise {
namespace runtime {
namespace {

IpcSupport& ipc_of(const Context& context, const char* what) {
    if (IpcSupport* const ipc = context.backend().ipc()) return *ipc;
    throw UnsupportedError(fmt::format("{} of {} cannot be shared between processes by a handle",
                                       what, context.name()));
}

// The device of this process that the handle was made on.
std::shared_ptr<Context> find_device(const IpcHandle& handle) {
    for (const RegistryRow& row : registry()) {
        Backend& backend = row.backend();
        IpcSupport* const ipc = backend.ipc();
        for (int i = 0; ipc != nullptr && i < backend.device_count(); ++i) {
            if (ipc->device_identity(i) != handle.device) continue;
            return find_context(fmt::format("{}:{}", row.kind, i));
        }
    }
    refuse_value(
        "the IPC handle is of a device that this process does not see: a GPU that "
        "CUDA_VISIBLE_DEVICES leaves out, or another machine");
}

}  // namespace

EventState::EventState(std::shared_ptr<Context> context, std::unique_ptr<EventImpl> impl)
    : context_(std::move(context)), impl_(std::move(impl)), timing_(false) {}

std::shared_ptr<EventState> EventState::interprocess(std::shared_ptr<Context> context) {
    auto impl = ipc_of(*context, "events").make_event(context->ordinal());
    std::shared_ptr<EventState> state(new EventState(std::move(context), std::move(impl)));
    state->is_interprocess_ = true;
    return state;
}

}  // namespace runtime

using runtime::IpcHandle;
using runtime::refuse_value;

std::vector<std::byte> Buffer::ipc_handle() const {
    if (!state_ || size_ == 0) refuse_value("a buffer of 0 bytes has no memory to share");
    state_->refuse_freed("cannot share");
    runtime::Context& context = state_->context();
    runtime::IpcSupport& ipc = runtime::ipc_of(context, "memory");
    if (state_->is_foreign() && !ipc.shares_foreign_memory()) {
        refuse_value(
            "memory of {} that is owned elsewhere cannot be shared by a handle; share a buffer of "
            "mem_alloc()",
            context.name());
    }
    if (!ipc.shares_reserved_memory() && context.pool()->is_in_range(runtime::address_of(*this))) {
        throw UnsupportedError(fmt::format(
            "the buffer of {} bytes cannot be shared: the pool of {} grows in reserved addresses, "
            "and such memory has no IPC handle; share memory of mem_alloc_unpooled(), or set the "
            "pool's growth to segments before it is allocated",
            size_, context.name()));
    }
    const runtime::DeviceAddress start = address();  // leaves the process: nothing stays pending
    const runtime::IpcMemory memory = ipc.export_memory(context.ordinal(), start, size_);
    return runtime::pack({.kind = IpcHandle::Kind::Memory,
                          .device = ipc.device_identity(context.ordinal()),
                          .handle = memory.handle,
                          .offset = start - memory.base,
                          .bytes = size_,
                          .process = runtime::this_process()});
}

Buffer open_ipc_memory(std::span<const std::byte> bytes) {
    const IpcHandle handle = runtime::unpack(bytes, IpcHandle::Kind::Memory);
    const auto context = runtime::find_device(handle);
    const auto base =
        runtime::ipc_of(*context, "memory").open_memory(context->ordinal(), handle.handle);
    return wrap_memory(*base + handle.offset, handle.bytes, Device(context), base);
}

std::vector<std::byte> Event::ipc_handle() const {
    if (!state_->is_interprocess()) {
        refuse_value("the event cannot be shared; make it with interprocess = true");
    }
    runtime::Context& context = state_->context();
    runtime::IpcSupport& ipc = runtime::ipc_of(context, "events");
    return runtime::pack({.kind = IpcHandle::Kind::Event,
                          .device = ipc.device_identity(context.ordinal()),
                          .handle = ipc.export_event(state_->impl()),
                          .process = runtime::this_process()});
}

Event Event::from_ipc_handle(std::span<const std::byte> bytes) {
    const IpcHandle handle = runtime::unpack(bytes, IpcHandle::Kind::Event);
    auto context = runtime::find_device(handle);
    auto impl = runtime::ipc_of(*context, "events").open_event(context->ordinal(), handle.handle);
    return Event(std::make_shared<runtime::EventState>(std::move(context), std::move(impl)));
}

}  // namespace warpwise
