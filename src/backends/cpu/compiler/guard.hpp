// Runs compiler work where it can do no harm: on a thread of its own with a large stack (deeply
// nested sources), from which a crash returns. Invariant: signals of threads that are
// not inside run_guarded() are handed on untouched.
#pragma once

#include <functional>

namespace warpwise::cpu_compiler {

// Names the step that is running, for the message of a crash: "parsing", "lowering barriers".
// `name` must be a literal. Any part of the compiler may call it, at any time.
// Does what leave_if_abandoned() does, too.
void enter_stage(const char* name) noexcept;

// Ends the compile at once when no thread waits for it any more: as after a crash, what is on the
// stack is abandoned and its memory lost. For places that hold no lock: run_guarded() throws
// Interrupted then.
void leave_if_abandoned() noexcept;

// Runs `work` to its end, or until it is abandoned (see src/compiler/interruptible.hpp; the flag is
// the calling thread's), and passes on what it throws. A crash inside becomes a CompileError that
// names the stage; crashed() is true from then on.
void run_guarded(const std::function<void()>& work);

// Whether a compile of this process has crashed: LLVM's state is not to be trusted any more.
bool crashed() noexcept;

}  // namespace warpwise::cpu_compiler
