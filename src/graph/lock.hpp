// The lock of the graph, and what is released behind it.
//
// Releasing the last handle of foreign memory, of a stream or of a user's function may run code
// that takes other locks (Python's among them). Under the lock such things are discarded; they end
// when it is released.
#pragma once

#include <memory>
#include <utility>

namespace warpwise::graph {

// Holds the lock to the end of the scope; may be released and taken again in between.
class GraphLock {
  public:
    GraphLock() { lock(); }
    ~GraphLock() {
        if (is_held_) unlock();
    }
    GraphLock(const GraphLock&) = delete;
    GraphLock& operator=(const GraphLock&) = delete;
    void lock();
    void unlock() noexcept;

    // Whether this thread holds it: the runtime asks for pending work while it serves us.
    static bool is_held_here() noexcept;

  private:
    bool is_held_ = false;
};

// Under the lock. Keeps `object` until the lock is released, if it might end now.
void discard(std::shared_ptr<const void> object);
template <class T>
void discard_last(std::shared_ptr<T>& object) {
    if (object.use_count() == 1) {
        discard(std::move(object));
    } else {
        object.reset();
    }
}

}  // namespace warpwise::graph
