// The CUDA back end's one entry.
#pragma once

#include "src/runtime/backend.hpp"

namespace warpwise::cuda {

// Never destroyed. Without a driver it has no devices, and says why.
runtime::Backend& cuda_backend();

}  // namespace warpwise::cuda
