// Compiling in a child process: where this one is no longer to be trusted with it, and in the
// background, where a compile must not hold up the end of the process nor fork().
//
// The compiler library is not opened here for it. A child does one job; it ends with its parent.
//
// Threading: run_in_child() from any thread.
#pragma once

#include "src/compiler/worker/wire.hpp"
#include "warpwise/export.hpp"

namespace warpwise::compiler {

// Starts `warpwise-compile-worker`, which lies beside the library, for this one job. Settings are
// not sent: `request.target` is a level of processors, and the mode has all that it depends on.
// Throws what the job throws, CompileError when the worker dies, DeviceError when it cannot be
// started.
WARPWISE_API Program run_in_child(Job job, const CompileRequest& request);

}  // namespace warpwise::compiler
