// Copies and fills of a stream.
#include <algorithm>
#include <cstring>

#include "src/backends/cuda/copy/bulk_copy.hpp"
#include "src/backends/cuda/copy/fills.hpp"
#include "src/backends/cuda/device/waiting.hpp"
#include "src/backends/cuda/driver/pointer_query.hpp"
#include "src/backends/cuda/stream/queue.hpp"
#include "src/runtime/profile/work_records.hpp"

namespace warpwise::cuda {
namespace {

using runtime::CopyKind;
using runtime::DeviceAddress;

// The driver takes so much pageable memory into its own at once, whatever the stream is doing ("API
// synchronization behavior" of the driver's documentation; tried on an H200).
constexpr std::size_t kTakenAtOnce = std::size_t{64} << 10;

// Larger results gain nothing: the copy by the host takes longer than its host function.
constexpr std::size_t kFetchedThroughChunk = std::size_t{64} << 10;

Status fill_part(const Driver& driver, const FillNode& part, StreamHandle stream) {
    const auto byte = static_cast<unsigned char>(part.value);
    if (part.height > 1) {
        return part.element_bytes == 1
                   ? driver.set_8_pitched(part.destination, part.pitch, byte, part.width,
                                          part.height, stream)
                   : driver.set_32_pitched(part.destination, part.pitch, part.value, part.width,
                                           part.height, stream);
    }
    switch (part.element_bytes) {
        case 1:
            return driver.set_8(part.destination, byte, part.width, stream);
        case 2:
            return driver.set_16(part.destination, static_cast<unsigned short>(part.value),
                                 part.width, stream);
        default:
            return driver.set_32(part.destination, part.value, part.width, stream);
    }
}

}  // namespace

[[gnu::hot]] void CudaQueue::copy(DeviceAddress destination, DeviceAddress source,
                                  std::size_t bytes, CopyKind kind) {
    if (bytes == 0) return;
    const DeviceAddress host = kind == CopyKind::HostToDevice ? source : destination;
    const bool never_waits = kind == CopyKind::DeviceToDevice ||
                             (kind == CopyKind::HostToDevice && bytes <= kTakenAtOnce) ||
                             device_.page_locked().contains(host);
    if (!never_waits) return copy_pageable(destination, source, bytes, kind);
    EventLog::Timing timing(device_.event_log(), stream_.stream);
    copy_by_driver(destination, source, bytes, kind);
    timing.done([&] { return runtime::record_of_copy(kind, bytes); });
}

void CudaQueue::copy_pageable(DeviceAddress destination, DeviceAddress source, std::size_t bytes,
                              CopyKind kind) {
    const DeviceAddress host = kind == CopyKind::HostToDevice ? source : destination;
    const PrimaryContext::Scope scope(context_);
    // Queried before the stream gets an event of a profile's.
    const bool is_idle = device_.is_idle(stream_);
    EventLog::Timing timing(device_.event_log(), stream_.stream);
    if ((is_idle && bytes < bulk_bytes(kind)) || is_known_to_driver(host)) {
        copy_by_driver(destination, source, bytes, kind);
    } else if (is_idle) {
        copy_in_bulk(context_, device_.staging(), stream_.stream, destination, source, bytes, kind);
    } else {
        with_chunk(
            [&](DeviceAddress chunk) { queue_staged(chunk, destination, source, bytes, kind); });
    }
    timing.done([&] { return runtime::record_of_copy(kind, bytes); });
}

// The driver's blocking copies use the default stream. They cannot be interrupted, so no kernel of
// ours may be ahead of them. From pageable memory they return when the driver has taken it over,
// which is too soon for streams that do not wait for the default one: they are waited for.
bool CudaQueue::copy_now(DeviceAddress destination, DeviceAddress source, std::size_t bytes,
                         CopyKind kind) {
    const bool is_direct = stream_.options.is_default && kind != CopyKind::DeviceToDevice &&
                           bytes != 0 && bytes < bulk_bytes(kind) && !device_.event_log().is_on() &&
                           host_calls_->is_idle() && !device_.has_launches();
    if (!is_direct) {
        if (kind == CopyKind::DeviceToHost && bytes <= kFetchedThroughChunk &&
            !is_known_to_driver(destination)) {
            fetch(destination, source, bytes);
            return true;
        }
        copy(destination, source, bytes, kind);
        return false;
    }
    const PrimaryContext::Scope scope(context_);
    if (kind == CopyKind::HostToDevice) {
        const auto* const host = reinterpret_cast<const void*>(source);
        context_.check(driver().copy_to_device_now(destination, host, bytes), "copy to the device");
        if (!device_.page_locked().contains(source) && !has_reached(nullptr)) {
            wait_until([this] { return has_reached(nullptr); });
        }
    } else {
        auto* const host = reinterpret_cast<void*>(destination);
        context_.check(driver().copy_to_host_now(host, source, bytes), "copy to the host");
    }
    print();
    return true;
}

// A result is fetched behind the kernels that compute it: queued into page-locked memory it needs
// no host function of the stream, each of which costs some ten microseconds.
void CudaQueue::fetch(DeviceAddress host, DeviceAddress source, std::size_t bytes) {
    const PrimaryContext::Scope scope(context_);
    Staging& staging = device_.staging();
    std::byte* const chunk = staging.take();
    try {
        EventLog::Timing timing(device_.event_log(), stream_.stream);
        copy_by_driver(reinterpret_cast<DeviceAddress>(chunk), source, bytes,
                       CopyKind::DeviceToHost);
        timing.done([&] { return runtime::record_of_copy(CopyKind::DeviceToHost, bytes); });
        static_cast<void>(is_done(runtime::Wait::Yes, nullptr));
        std::memcpy(reinterpret_cast<void*>(host), chunk, bytes);
    } catch (...) {
        // Queued work may still write to the chunk, of an interrupted wait for example. One whose
        // end is not certain is replaced by another.
        if (driver().stream_query(stream_.stream) == Status::Success) staging.release(chunk);
        throw;
    }
    staging.release(chunk);
}

[[gnu::hot]] void CudaQueue::copy_by_driver(DeviceAddress destination, DeviceAddress source,
                                            std::size_t bytes, CopyKind kind) {
    const StreamHandle stream = stream_.stream;
    switch (kind) {
        case CopyKind::HostToDevice: {
            const auto* const host = reinterpret_cast<const void*>(source);
            const Status status = on_stream([=](const Driver& driver) {
                return driver.copy_to_device(destination, host, bytes, stream);
            });
            return context_.check(status, "copy to the device");
        }
        case CopyKind::DeviceToHost: {
            auto* const host = reinterpret_cast<void*>(destination);
            const Status status = on_stream([=](const Driver& driver) {
                return driver.copy_to_host(host, source, bytes, stream);
            });
            return context_.check(status, "copy to the host");
        }
        case CopyKind::DeviceToDevice: {
            const Status status = on_stream([=](const Driver& driver) {
                return driver.copy_on_device(destination, source, bytes, stream);
            });
            return context_.check(status, "copy on the device");
        }
    }
}

bool CudaQueue::holds_up(DeviceAddress host) {
    return !is_known_to_driver(host) && !device_.is_idle(stream_);
}

// One chunk serves a whole copy: in a stream, the parts come one after the other.
void CudaQueue::with_chunk(const std::function<void(DeviceAddress chunk)>& work) {
    Staging& staging = device_.staging();
    std::byte* const chunk = staging.take();
    try {
        work(reinterpret_cast<DeviceAddress>(chunk));
        call_host([&staging, chunk] { staging.release(chunk); });
    } catch (...) {
        // What is queued of it uses the chunk and the caller's memory.
        wait_until([this] { return driver().stream_query(stream_.stream) != Status::NotReady; });
        // Another chunk takes its place where the end is not certain.
        if (driver().stream_query(stream_.stream) == Status::Success) staging.release(chunk);
        throw;
    }
}

void CudaQueue::queue_staged(DeviceAddress chunk, DeviceAddress destination, DeviceAddress source,
                             std::size_t bytes, CopyKind kind) {
    const auto copy_on_host = [](DeviceAddress to, DeviceAddress from, std::size_t count) {
        std::memcpy(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), count);
    };
    for (std::size_t done = 0; done < bytes; done += Staging::kChunk) {
        const std::size_t part = std::min(Staging::kChunk, bytes - done);
        const DeviceAddress to = destination + done;
        const DeviceAddress from = source + done;
        if (kind == CopyKind::HostToDevice) {
            call_host([=] { copy_on_host(chunk, from, part); });
            copy_by_driver(to, chunk, part, kind);
        } else {
            copy_by_driver(chunk, from, part, kind);
            call_host([=] { copy_on_host(to, chunk, part); });
        }
    }
}

void CudaQueue::fill(DeviceAddress destination, std::uint64_t pattern, std::size_t pattern_bytes,
                     std::size_t count) {
    if (count == 0) return;
    const PrimaryContext::Scope scope(context_);
    EventLog::Timing timing(device_.event_log(), stream_.stream);
    for (const FillNode& part : split_fill({destination, pattern, pattern_bytes, count})) {
        context_.check(fill_part(driver(), part, stream_.stream), "fill memory");
    }
    timing.done([&] { return runtime::record_of_fill(pattern_bytes * count); });
}

}  // namespace warpwise::cuda
