// Fills with patterns of 1 to 8 bytes, as fills that the driver has: of 1, 2 or 4 bytes, aligned,
// in rows of one length.
#pragma once

#include <vector>

#include "src/backends/cuda/driver/abi.hpp"
#include "src/runtime/graphs.hpp"

namespace warpwise::cuda {

// At least one; all together make `fill`, in any order. The count is not 0.
std::vector<FillNode> split_fill(const runtime::Fill& fill);

}  // namespace warpwise::cuda
