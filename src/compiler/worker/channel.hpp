// Whole messages over a stream socket. A worker for one job: a side writes one, closes its half,
// and reads the answer. One for many: each goes as a frame, its length in front.
#pragma once

#include <cstddef>
#include <optional>
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

WARPWISE_API bool send_frame(int descriptor, std::span<const std::byte> bytes);
// Nothing when the other side is gone, or the length is none that memory can hold.
WARPWISE_API std::optional<std::vector<std::byte>> receive_frame(int descriptor);

}  // namespace warpwise::compiler
