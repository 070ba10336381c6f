// CUPTI's activity interface: the GPU's own record of what it did.
//
// One subscription serves the whole process, held while any recording lives: CUPTI has no second
// one, in this process or of a tool around it. CUPTI writes records into buffers of ours and gives
// them back on a thread of its own, or in a flush; they are read there and then. Nothing of CUPTI
// is opened before the first recording.
//
// Threading: every function may be called from any thread.
#pragma once

#include <memory>

#include "src/backends/cuda/driver/primary_context.hpp"
#include "src/runtime/profiling.hpp"

namespace warpwise::cuda {

// Records all that the GPU of `context` does, in every context, from now on. Throws DeviceError
// when CUPTI is not found, is no CUPTI of CUDA 12 or newer, or refuses; with the reason and the
// remedy.
std::unique_ptr<runtime::Recording> start_cupti(PrimaryContext& context);

}  // namespace warpwise::cuda
