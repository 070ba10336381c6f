// Threads that compile and load kernels while the program goes on, for devices whose back end has
// none of its own.
//
// Threading: any thread. The end of the process waits for what runs, as for every compile
// (src/base/hooks/work_at_exit.hpp). A forked child starts with nothing to do.
#pragma once

#include <functional>

namespace warpwise::codegen {

// Runs `work` once; what it throws is logged. Never throws: without a
// thread to spare it is not run, nor when the process ends before.
void run_in_background(std::function<void()> work) noexcept;

}  // namespace warpwise::codegen
