// Work done before it is needed, in the background: opening libraries of 100 MB, say, which takes a
// tenth of a second.
//
// Threading: any thread. fork() waits until what was begun has ended, for a child would have half
// of it; the end of the process does, too (work_at_exit.hpp).
#pragma once

#include <functional>

#include "warpwise/export.hpp"

namespace warpwise {

// Begins `work` on a thread of its own and returns at once; the first time for `subject`, whose
// address stands for it to the end of the process, and never again. What it throws is logged: who
// needs the result does the work again and reports why it cannot be done. Nothing without a thread
// to spare.
WARPWISE_API void begin_early(const void* subject, std::function<void()> work) noexcept;

// Whether any goes on: for tests.
WARPWISE_API bool has_early_work() noexcept;

}  // namespace warpwise
