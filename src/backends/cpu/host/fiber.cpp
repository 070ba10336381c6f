// The four switches, each announced to the sanitizers before and after.
#include "src/backends/cpu/host/fiber.hpp"

#include "src/backends/cpu/host/sanitizers.hpp"

namespace warpwise::cpu {

using boost::context::detail::jump_fcontext;
using boost::context::detail::make_fcontext;
using boost::context::detail::transfer_t;

namespace {

constexpr std::size_t kColours = 16;
constexpr std::size_t kColourBytes = 192;  // three cache lines: spreads tops over the sets

}  // namespace

void Fiber::start(const Stack& stack, Body body, void* argument, std::size_t colour) noexcept {
    stack_ = stack;
    body_ = body;
    argument_ = argument;
    has_ended_ = false;
    fake_stack_ = nullptr;
#if defined(WARPWISE_ASAN)
    // Frames abandoned by a fault never took their red zones away.
    __asan_unpoison_memory_region(stack.low, stack.size);
#endif
#if defined(WARPWISE_TSAN)
    stack.tsan->start();
#endif
    const std::size_t shift = (colour % kColours) * kColourBytes;
    context_ = make_fcontext(stack.low + stack.size - shift, stack.size - shift, &Fiber::main);
}

WARPWISE_UNCOUNTED void Fiber::main(transfer_t transfer) {
    auto* fiber = static_cast<Fiber*>(transfer.data);
    fiber->back_ = transfer.fctx;
#if defined(WARPWISE_ASAN)
    __sanitizer_finish_switch_fiber(nullptr, &fiber->back_bottom_, &fiber->back_size_);
#endif
    fiber->body_(fiber->argument_);
#if defined(WARPWISE_TSAN)
    fiber->stack_.tsan->has_open_calls = false;
#endif
    fiber->leave();
}

void Fiber::resume() noexcept {
#if defined(WARPWISE_ASAN)
    void* own_fake_stack = nullptr;
    __sanitizer_start_switch_fiber(&own_fake_stack, stack_.low, stack_.size);
#endif
#if defined(WARPWISE_TSAN)
    back_tsan_ = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(stack_.tsan->handle, 0);
#endif
    const transfer_t transfer = jump_fcontext(context_, this);
    context_ = transfer.fctx;
#if defined(WARPWISE_ASAN)
    __sanitizer_finish_switch_fiber(own_fake_stack, nullptr, nullptr);
#endif
}

void Fiber::suspend() noexcept {
#if defined(WARPWISE_ASAN)
    __sanitizer_start_switch_fiber(&fake_stack_, back_bottom_, back_size_);
#endif
#if defined(WARPWISE_TSAN)
    __tsan_switch_to_fiber(back_tsan_, 0);
#endif
    back_ = jump_fcontext(back_, nullptr).fctx;
#if defined(WARPWISE_ASAN)
    __sanitizer_finish_switch_fiber(fake_stack_, &back_bottom_, &back_size_);
#endif
}

WARPWISE_UNCOUNTED void Fiber::leave() noexcept {
    has_ended_ = true;
#if defined(WARPWISE_ASAN)
    __sanitizer_start_switch_fiber(nullptr, back_bottom_, back_size_);
#endif
#if defined(WARPWISE_TSAN)
    __tsan_switch_to_fiber(back_tsan_, 0);
#endif
    jump_fcontext(back_, nullptr);
    __builtin_unreachable();
}

}  // namespace warpwise::cpu
