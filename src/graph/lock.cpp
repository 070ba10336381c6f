// The lock itself, and the list of what ends behind it.
#include "src/graph/lock.hpp"

#include <utility>
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
    Discarded& list = discarded();
    is_held_ = t_holds = false;
    if (list.empty()) return g_mutex.unlock();
    if (list.size() == 1) {  // the usual number: the list keeps its memory
        const std::shared_ptr<const void> end = std::move(list.front());
        list.clear();
        return g_mutex.unlock();
    }
    Discarded ends;
    ends.swap(list);
    g_mutex.unlock();
}

bool GraphLock::is_held_here() noexcept {
    return t_holds;
}

void discard(std::shared_ptr<const void> object) {
    discarded().push_back(std::move(object));
}

}  // namespace warpwise::graph
