// Keeps what Ctrl-C does while NVRTC compiles in this process.
//
// NVRTC's front end replaces the handler of SIGINT for the time of a compile: a Ctrl-C then ends
// the process with status 4. At its end it puts the old handler back with signal(), which loses
// flags, and where two compiles overlap it puts back the other one's. A thread that runs as long as
// there is a guard undoes both within a millisecond.
//
// Threading: guards may be made and destroyed on any thread.
#pragma once

namespace warpwise::cuda {

class InterruptGuard {
  public:
    InterruptGuard();
    ~InterruptGuard();
    InterruptGuard(const InterruptGuard&) = delete;
    InterruptGuard& operator=(const InterruptGuard&) = delete;
};

}  // namespace warpwise::cuda
