// The kernel of a group, compiled and loaded.
//
// Threading: as Fused.
#pragma once

#include <memory>

#include "src/codegen/fused.hpp"

namespace warpwise::compiler {
class Compiler;
}

namespace warpwise::codegen {

// Points up to which the calling thread computes a group, where the device is the host and its
// stream has nothing to do.
inline constexpr std::int64_t kRunsHere = 16384;

// Compiles it, through the cache on disk. Throws as Fused::compile(). `fully`: nobody waits for it,
// so that the CPU device's compiler takes its time at once, for the only shape of its blocks.
std::shared_ptr<Fused> compile_kernel(const Group& group, runtime::Context& context,
                                      compiler::Compiler& compiler, bool fully = false);

}  // namespace warpwise::codegen
