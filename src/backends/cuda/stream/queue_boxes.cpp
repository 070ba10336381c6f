// Copies of boxes between arrays, memory of the device and memory of the host, in a stream.
#include "src/backends/cuda/copy/boxes.hpp"
#include "src/backends/cuda/stream/queue.hpp"
#include "src/runtime/profile/work_records.hpp"

namespace warpwise::cuda {

using runtime::BoxCopy;
using runtime::BoxPlace;
using runtime::DeviceAddress;

void CudaQueue::copy_box(const BoxCopy& copy) {
    check_texels(copy);
    const PrimaryContext::Scope scope(context_);
    queue_box(copy);
    if (const std::uint64_t group = launches_.add(copy.keep_alive)) seal_launches(group);
}

void CudaQueue::queue_box(const BoxCopy& copy) {
    if (is_host_memory(copy.source) && is_host_memory(copy.destination)) {
        call_host([=] {
            for_each_part(copy, SIZE_MAX, [&](const BoxPart& part) {
                copy_on_host(copy.destination, copy.source, part);
            });
        });
        return;
    }
    const bool is_up = is_host_memory(copy.source);
    const bool would_wait = (is_up || is_host_memory(copy.destination)) &&
                            holds_up(start_of(is_up ? copy.source : copy.destination));
    EventLog::Timing timing(device_.event_log(), stream_.stream);
    if (would_wait) {
        with_chunk([&](DeviceAddress chunk) { queue_staged_box(chunk, copy, is_up); });
    } else {
        for_each_part(copy, SIZE_MAX, [&](const BoxPart& part) {
            const BoxParameters parameters = parameters_of(copy.destination, copy.source, part);
            context_.check(driver().copy_box(&parameters, stream_.stream), "copy a box");
        });
    }
    timing.done([&] {
        return runtime::record_of_copy(runtime::direction_of(copy),
                                       copy.width_bytes * copy.height * copy.depth);
    });
}

void CudaQueue::queue_staged_box(DeviceAddress chunk, const BoxCopy& copy, bool is_up) {
    for_each_part(copy, Staging::kChunk, [&](const BoxPart& part) {
        const BoxPlace between = packed_at(chunk, part);
        const BoxParameters parameters = is_up ? parameters_of(copy.destination, between, part)
                                               : parameters_of(between, copy.source, part);
        if (is_up) {
            call_host([=, from = copy.source] { copy_on_host(between, from, part); });
        }
        context_.check(driver().copy_box(&parameters, stream_.stream), "copy a box");
        if (!is_up) {
            call_host([=, to = copy.destination] { copy_on_host(to, between, part); });
        }
    });
}

}  // namespace warpwise::cuda
