// Whole messages over a stream socket: a side writes one, closes its half, and reads the answer.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "warpwise/export.hpp"

namespace warpwise::compiler {

// The descriptor the worker finds its socket at.
inline constexpr int kWorkerDescriptor = 3;

// False when the other side is gone. Never raises SIGPIPE.
WARPWISE_API bool send_message(int descriptor, std::span<const std::byte> bytes);
// Everything up to the other side's end; what came so far when reading fails.
WARPWISE_API std::vector<std::byte> receive_message(int descriptor);

}  // namespace warpwise::compiler
