// A GPU that is not here: the library makes the same kernels for it as for a real one, and the CPU
// device runs them, so that calls go on by right values.
//
// Whether kernels for a GPU differ from the CPU device's is asked of DeviceInfo and of the optional
// interfaces of a back end (src/runtime/backend.hpp); nothing asks which GPU it is.
//
// Threading: as a Backend.
#pragma once

#include <memory>

#include "src/compiler/compiler.hpp"
#include "src/runtime/context.hpp"

namespace warpwise::prebuild {

// The one of this process, made at its first use.
std::shared_ptr<runtime::Context> described_gpu();
// Its requests have a target that no compiler knows.
const compiler::Compiler& compiler_of_described_gpu();

}  // namespace warpwise::prebuild
