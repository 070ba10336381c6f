// A fiber: a function with a stack of its own that can be left and resumed. Boost.Context does the
// switch (about 6 ns); this file adds the announcements that sanitizers require.
//
// Invariant: a fiber is resumed by one thread at a time, and left only by itself.
// Threading: a Fiber belongs to the thread that runs its block.
#pragma once

#include <boost/context/detail/fcontext.hpp>
#include <cstddef>

#include "src/backends/cpu/host/stack_pool.hpp"

namespace warpwise::cpu {

class Fiber {
  public:
    using Body = void (*)(void* argument);

    // Prepares `body(argument)` to run on `stack` at the next resume(). What ran there before is
    // gone. `colour` moves the top of the stack a little, so that the busy ends of many stacks do
    // not compete for the same lines of the cache.
    void start(const Stack& stack, Body body, void* argument, std::size_t colour = 0) noexcept;
    // Runs the fiber until it suspends, leaves, or ends.
    void resume() noexcept;
    bool has_ended() const noexcept { return has_ended_; }
    const Stack& stack() const noexcept { return stack_; }

    // From inside: back to who resumed, until the next resume().
    void suspend() noexcept;
    // From inside: back for good. Frames on the stack are abandoned, not unwound.
    [[noreturn]] void leave() noexcept;

  private:
    static void main(boost::context::detail::transfer_t transfer);

    boost::context::detail::fcontext_t context_ = nullptr;  // of the fiber while it is suspended
    boost::context::detail::fcontext_t back_ = nullptr;     // of who resumed it
    Body body_ = nullptr;
    void* argument_ = nullptr;
    Stack stack_;
    bool has_ended_ = true;
    // For sanitizers: the resumer's stack, and what ASan keeps of a stack that is left.
    [[maybe_unused]] const void* back_bottom_ = nullptr;
    [[maybe_unused]] std::size_t back_size_ = 0;
    [[maybe_unused]] void* fake_stack_ = nullptr;
    [[maybe_unused]] void* back_tsan_ = nullptr;
};

}  // namespace warpwise::cpu
