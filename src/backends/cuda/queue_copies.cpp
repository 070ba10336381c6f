// Copies and fills of a stream.
#include <algorithm>
#include <cstring>

#include "src/backends/cuda/bulk_copy.hpp"
#include "src/backends/cuda/queue.hpp"
#include "src/backends/cuda/waiting.hpp"

namespace warpwise::cuda {
namespace {

using runtime::CopyKind;
using runtime::DeviceAddress;

// The driver takes so much pageable memory into its own at once, whatever the stream is doing ("API
// synchronization behavior" of the driver's documentation; tried on an H200).
constexpr std::size_t kTakenAtOnce = std::size_t{64} << 10;

// Of memory that the driver can copy from and to by itself, at any time.
bool is_known_to_driver(DeviceAddress address) {
    int type = 0;
    return driver().pointer_attribute(&type, PointerAttribute::MemoryType, address) ==
           Status::Success;
}

bool has_equal_bytes(std::uint64_t pattern, std::size_t bytes) {
    const std::uint64_t mask = bytes == 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << 8 * bytes) - 1;
    return (pattern & mask) == ((pattern & 0xff) * 0x0101010101010101 & mask);
}

}  // namespace

void CudaQueue::copy(DeviceAddress destination, DeviceAddress source, std::size_t bytes,
                     CopyKind kind) {
    if (bytes == 0) return;
    const PrimaryContext::Scope scope(context_);
    const DeviceAddress host = kind == CopyKind::HostToDevice ? source : destination;
    const bool never_waits = kind == CopyKind::DeviceToDevice ||
                             (kind == CopyKind::HostToDevice && bytes <= kTakenAtOnce) ||
                             device_.page_locked().contains(host);
    const bool is_idle = never_waits || device_.is_idle(stream_);
    if (never_waits || (is_idle && bytes < kBulkBytes) || is_known_to_driver(host)) {
        copy_by_driver(destination, source, bytes, kind);
    } else if (is_idle) {
        copy_in_bulk(context_, device_.staging(), stream_.stream, destination, source, bytes, kind);
    } else {
        with_chunk(
            [&](DeviceAddress chunk) { queue_staged(chunk, destination, source, bytes, kind); });
    }
}

void CudaQueue::copy_by_driver(DeviceAddress destination, DeviceAddress source, std::size_t bytes,
                               CopyKind kind) {
    const Driver& driver = cuda::driver();
    switch (kind) {
        case CopyKind::HostToDevice:
            context_.check(driver.copy_to_device(destination, reinterpret_cast<const void*>(source),
                                                 bytes, stream_.stream),
                           "copy to the device");
            break;
        case CopyKind::DeviceToHost:
            context_.check(driver.copy_to_host(reinterpret_cast<void*>(destination), source, bytes,
                                               stream_.stream),
                           "copy to the host");
            break;
        case CopyKind::DeviceToDevice:
            context_.check(driver.copy_on_device(destination, source, bytes, stream_.stream),
                           "copy on the device");
            break;
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
        call_host([&staging, chunk] { staging.give_back(chunk); });
    } catch (...) {
        // What is queued of it uses the chunk and the caller's memory.
        wait_until([this] { return driver().stream_query(stream_.stream) != Status::NotReady; });
        staging.give_back(chunk);
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
    const Driver& driver = cuda::driver();
    if (has_equal_bytes(pattern, pattern_bytes)) {
        context_.check(driver.set_8(destination, static_cast<unsigned char>(pattern),
                                    count * pattern_bytes, stream_.stream),
                       "fill memory");
    } else if (destination % std::min<std::size_t>(pattern_bytes, 4) != 0) {
        fill_bytewise(destination, pattern, pattern_bytes, count);
    } else if (pattern_bytes == 2) {
        context_.check(
            driver.set_16(destination, static_cast<unsigned short>(pattern), count, stream_.stream),
            "fill memory");
    } else if (pattern_bytes == 4) {
        context_.check(
            driver.set_32(destination, static_cast<unsigned>(pattern), count, stream_.stream),
            "fill memory");
    } else {
        for (int half = 0; half < 2; ++half) {
            context_.check(driver.set_32_pitched(destination + 4 * half, 8,
                                                 static_cast<unsigned>(pattern >> 32 * half), 1,
                                                 count, stream_.stream),
                           "fill memory");
        }
    }
}

// The driver's fills want aligned addresses; those of single bytes do not.
void CudaQueue::fill_bytewise(DeviceAddress destination, std::uint64_t pattern,
                              std::size_t pattern_bytes, std::size_t count) {
    for (std::size_t i = 0; i < pattern_bytes; ++i) {
        context_.check(driver().set_8_pitched(destination + i, pattern_bytes,
                                              static_cast<unsigned char>(pattern >> 8 * i), 1,
                                              count, stream_.stream),
                       "fill memory");
    }
}

}  // namespace warpwise::cuda
