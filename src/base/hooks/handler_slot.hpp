// A handler that users may replace while another thread is inside it: each call works on its own
// reference.
//
// Threading: every function may be called from any thread.
#pragma once

#include <memory>
#include <utility>

#include "src/base/mutex.hpp"

namespace warpwise {

template <class Handler>
class HandlerSlot {
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

}  // namespace warpwise
