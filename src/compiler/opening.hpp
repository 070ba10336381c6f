// Opening a compiler before a source needs it: libraries of 100 MB take a tenth of a second to
// load.
//
// Threading: any thread. fork() and the end of the process wait for what is being opened.
#pragma once

#include "src/compiler/compiler.hpp"
#include "warpwise/export.hpp"

namespace warpwise::compiler {

// Begins compiler.open() on a thread of its own, the first time; returns at once. Failures are
// logged: the first compile reports them. Nothing for a compiler that does not live to the end of
// the process, nor without a thread to spare.
WARPWISE_API void open_in_background(Compiler& compiler) noexcept;

// Whether one is being opened: for tests.
WARPWISE_API bool is_opening() noexcept;

}  // namespace warpwise::compiler
