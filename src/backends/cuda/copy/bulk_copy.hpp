// Large copies between pageable memory and a GPU: several threads move pieces through page-locked
// chunks, so that the processor's copying and the bus work at the same time. The driver does the
// same with one thread, which reaches a fraction of the bus.
//
// The stream must be idle: the calling thread waits until everything has been read, or written.
//
// Threading: as many copies at once as there are callers.
#pragma once

#include <cstddef>

#include "src/backends/cuda/device/staging.hpp"
#include "src/backends/cuda/driver/primary_context.hpp"
#include "src/runtime/backend.hpp"

namespace warpwise::cuda {

// From here on it is faster than the driver's own copy: that takes 60 us a MiB up, 180 down, and
// waking the threads as much as some of them.
constexpr std::size_t bulk_bytes(runtime::CopyKind kind) noexcept {
    return std::size_t{kind == runtime::CopyKind::HostToDevice ? 8U : 4U} << 20;
}

// With the context current. `kind` is HostToDevice or DeviceToHost. Throws as the driver's calls
// do, after every thread has stopped; what is begun then ends in the order of the stream.
void copy_in_bulk(PrimaryContext& context, Staging& staging, StreamHandle stream,
                  runtime::DeviceAddress destination, runtime::DeviceAddress source,
                  std::size_t bytes, runtime::CopyKind kind);

}  // namespace warpwise::cuda
