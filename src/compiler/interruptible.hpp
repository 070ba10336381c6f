// A compile that its caller can leave: Ctrl-C ends the wait at once, and the compile at the next
// place where it asks is_abandoned(). Compilers cannot be stopped anywhere else.
//
// Threading: every function may be called from any thread.
#pragma once

#include <atomic>
#include <functional>
#include <string>

#include "src/compiler/program.hpp"
#include "warpwise/export.hpp"

namespace warpwise::compiler {

// Runs `work` and returns or throws what it does: on a thread of its own where the calling one may
// be interrupted, else on the calling one. Interrupted, it throws Interrupted naming `name`; `work`
// goes on, so it must own what it uses.
Program run_interruptibly(const std::string& name, std::function<Program()> work);

// Set when no thread waits any more for the compile that the calling thread does; null outside of
// run_interruptibly(). Lives until `work` returns.
WARPWISE_API const std::atomic<bool>* abandoned_flag() noexcept;

}  // namespace warpwise::compiler
