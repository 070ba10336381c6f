// The two handlers. Each call works on its own reference, so that a handler may be replaced while
// another thread is inside it.
#include "src/runtime/stream/output.hpp"

#include <cstdio>
#include <memory>
#include <utility>

#include "src/base/mutex.hpp"

namespace warpwise {
namespace {

template <class Handler>
class Slot {
  public:
    Handler exchange(Handler handler) {
        auto next = handler ? std::make_shared<Handler>(std::move(handler)) : nullptr;
        MutexLock lock(mutex_);
        handler_.swap(next);
        return next ? *next : Handler{};
    }
    std::shared_ptr<Handler> get() {
        MutexLock lock(mutex_);
        return handler_;
    }

  private:
    Mutex mutex_;
    std::shared_ptr<Handler> handler_ WARPWISE_GUARDED_BY(mutex_);
};

// Never destroyed: a thread may still wait while the process ends.
Slot<OutputHandler>& output_slot() {
    static auto* slot = new Slot<OutputHandler>;
    return *slot;
}

Slot<InterruptHandler>& interrupt_slot() {
    static auto* slot = new Slot<InterruptHandler>;
    return *slot;
}

}  // namespace

OutputHandler set_output_handler(OutputHandler handler) {
    return output_slot().exchange(std::move(handler));
}

InterruptHandler set_interrupt_handler(InterruptHandler handler) {
    return interrupt_slot().exchange(std::move(handler));
}

namespace runtime {

void write_output(std::string_view text) {
    if (const auto handler = output_slot().get()) {
        (*handler)(text);
        return;
    }
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
}

bool interrupt_requested() {
    const auto handler = interrupt_slot().get();
    return handler && (*handler)();
}

}  // namespace runtime
}  // namespace warpwise
