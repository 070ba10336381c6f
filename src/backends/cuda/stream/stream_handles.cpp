// What the driver reports of a stream decides how it is used: its context, and whether it is
// ordered with the default stream.
#include "src/backends/cuda/stream/stream_handles.hpp"

#include <fmt/format.h>

#include "src/backends/cuda/stream/queue.hpp"
#include "warpwise/error.hpp"
#include "warpwise/settings.hpp"

namespace warpwise::cuda {
namespace {

StreamHandle stream_of(std::uint64_t handle) {
    return reinterpret_cast<StreamHandle>(static_cast<std::uintptr_t>(handle));
}

[[noreturn]] void refuse(std::uint64_t handle, int ordinal, const std::string& why) {
    throw ArgumentError(ArgumentError::Kind::Value,
                        fmt::format("the stream with handle {:#x} cannot be used on cuda:{}: {}",
                                    handle, ordinal, why));
}

}  // namespace

std::uint64_t CudaStreamHandles::handle(runtime::Queue& queue) {
    return reinterpret_cast<std::uintptr_t>(static_cast<CudaQueue&>(queue).stream());
}

bool CudaStreamHandles::is_default(std::uint64_t handle) {
    return handle == 0 || stream_of(handle) == kLegacyStream;
}

CudaStreamHandles::Wrapped CudaStreamHandles::wrap(int ordinal, std::uint64_t handle) {
    DeviceState& device = *devices_[static_cast<std::size_t>(ordinal)];
    const StreamHandle stream = stream_of(handle);
    if (stream == kPerThreadStream) {
        refuse(handle, ordinal,
               "it is CUDA's per-thread default stream, another one in every thread; use "
               "ww.Stream.per_thread(), or a stream that the other library makes");
    }
    PrimaryContext& context = device.context();
    const PrimaryContext::Scope scope(context);
    ContextHandle own = nullptr;
    ContextHandle of_stream = nullptr;
    context.check(driver().context_get_current(&own), "ask for the current context");
    const Status status = driver().stream_context(stream, &of_stream);
    if (status == Status::InvalidHandle || status == Status::InvalidContext) {
        refuse(handle, ordinal, describe(driver(), status));
    }
    context.check(status, "ask for the context of a stream");
    if (of_stream != own) {
        refuse(handle, ordinal,
               "it is of another device, or of a context that is not the device's primary one; "
               "name its device, or make the stream in the primary context");
    }
    unsigned flags = 0;
    context.check(driver().stream_flags(stream, &flags), "ask for the flags of a stream");
    const runtime::QueueOptions options{.non_blocking = (flags & kStreamNonBlocking) != 0,
                                        .time_limit = settings().time_limit};
    return {std::make_unique<CudaQueue>(device, options, stream), options};
}

PriorityRange CudaStreamHandles::priorities(int ordinal) {
    PrimaryContext& context = devices_[static_cast<std::size_t>(ordinal)]->context();
    const PrimaryContext::Scope scope(context);
    PriorityRange range;
    context.check(driver().stream_priorities(&range.least, &range.greatest),
                  "ask for the priorities of streams");
    return range;
}

}  // namespace warpwise::cuda
