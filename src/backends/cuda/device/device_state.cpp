// The list of open streams.
#include "src/backends/cuda/device/device_state.hpp"

#include <algorithm>
#include <utility>

#include "src/backends/cuda/device/in_flight.hpp"

namespace warpwise::cuda {

void DeviceState::add(const OpenStream& stream) {
    MutexLock lock(mutex_);
    streams_.push_back(stream);
}

void DeviceState::remove(StreamHandle stream) noexcept {
    MutexLock lock(mutex_);
    std::erase_if(streams_, [stream](const OpenStream& open) { return open.stream == stream; });
}

bool DeviceState::is_idle(const OpenStream& stream) {
    const Driver& driver = cuda::driver();
    const auto is_busy = [&](StreamHandle handle) {
        return driver.stream_query(handle) != Status::Success;
    };
    if (is_busy(stream.stream)) return false;
    if (stream.options.non_blocking) return true;
    // The default stream and the blocking ones wait for each other, unseen by a query.
    if (!stream.options.is_default) return !is_busy(kLegacyStream);
    MutexLock lock(mutex_);
    return std::ranges::none_of(streams_, [&](const OpenStream& open) {
        return !open.options.non_blocking && is_busy(open.stream);
    });
}

bool DeviceState::has_launches() {
    MutexLock lock(mutex_);
    return std::ranges::any_of(streams_,
                               [](const OpenStream& open) { return open.launches->has_any(); });
}

void DeviceState::forget(const runtime::KernelImpl& kernel) noexcept {
    MutexLock lock(mutex_);
    for (const OpenStream& open : streams_) open.kernels->forget(kernel);
}

std::vector<std::string> DeviceState::running_kernels() {
    std::vector<std::string> kernels;
    MutexLock lock(mutex_);
    for (const OpenStream& open : streams_) {
        for (std::string& name : open.launches->kernel_names()) {
            if (std::ranges::find(kernels, name) == kernels.end()) {
                kernels.push_back(std::move(name));
            }
        }
    }
    return kernels;
}

}  // namespace warpwise::cuda
