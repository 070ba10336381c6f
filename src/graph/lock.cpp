// The lock itself, and the list of what ends behind it.
#include "src/graph/lock.hpp"

#include <vector>

#include "src/base/mutex.hpp"

namespace warpwise::graph {
namespace {

InlineMutex g_mutex;
thread_local bool t_holds = false;

using Discarded = std::vector<std::shared_ptr<const void>>;

// Never destroyed: arrays may outlive static objects.
Discarded& discarded() {
    static auto* const list = new Discarded;
    return *list;
}

}  // namespace

void GraphLock::lock() WARPWISE_NO_THREAD_SAFETY_ANALYSIS {  // released by unlock()
    g_mutex.lock();
    is_held_ = t_holds = true;
}

void GraphLock::unlock() noexcept WARPWISE_NO_THREAD_SAFETY_ANALYSIS {
    Discarded ends;
    ends.swap(discarded());
    is_held_ = t_holds = false;
    g_mutex.unlock();
}

bool GraphLock::is_held_here() noexcept {
    return t_holds;
}

void discard(std::shared_ptr<const void> object) {
    discarded().push_back(std::move(object));
}

}  // namespace warpwise::graph
