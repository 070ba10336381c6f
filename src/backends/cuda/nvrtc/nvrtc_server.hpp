// The other side of NvrtcPool: `warpwise-nvrtc-worker FILE`, a process that opens NVRTC once and
// forks one child for each worker that is requested. Forking costs a millisecond where starting
// afresh costs a tenth of a second, and is safe because neither this process nor NVRTC has threads.
//
// Protocol. At kWorkerDescriptor is a stream socket: the server writes kServerReady once NVRTC has
// compiled something, then receives one byte with a descriptor for each worker. A worker's own
// socket carries frames: a job; kJobTaken; an answer; and so on. A process that sees the end of its
// socket ends, so that nothing outlives the process that requested it, however that ended.
#pragma once

#include <cstddef>

#include "warpwise/export.hpp"

namespace warpwise::cuda {

inline constexpr std::byte kServerReady{'R'};
inline constexpr std::byte kJobTaken{'T'};

// Sends a duplicate of `descriptor`; false when the other side is gone.
bool send_descriptor(int socket, int descriptor);

// What main() does; returns its status. `library`: NVRTC's file.
WARPWISE_API int serve_nvrtc(const char* library);

}  // namespace warpwise::cuda
