// Compiling in a child process, for when this one is no longer to be trusted with it.
#pragma once

#include "src/backends/cpu/compiler/worker/wire.hpp"

namespace warpwise::cpu_compiler {

// Starts `warpwise-compile-worker`, which lies beside the library, for this one job. Throws what
// the job throws, CompileError when the worker dies, DeviceError when it cannot be started.
compiler::Program run_in_child(Job job, const compiler::CompileRequest& request);

}  // namespace warpwise::cpu_compiler
