// An object of each thread, for code that also runs at the very end of a thread.
//
// The end of the main thread destroys its thread_local objects before the handlers of atexit() run,
// and those still wait for work and help with it. What they use must not be a plain thread_local.
//
// Thread safety: each thread has its own object.
#pragma once

#include <utility>

namespace warpwise {

// The T of the calling thread, made at the first call and destroyed with the thread. A call after
// that makes another, which is never destroyed.
template <class T>
T& thread_object() {
    // Trivially destructible: it can be read as long as the thread runs.
    static thread_local T* object = nullptr;
    struct Owner {
        ~Owner() { delete std::exchange(object, nullptr); }
    };
    if (object == nullptr) {
        object = new T;
        static thread_local const Owner owner;
        static_cast<void>(&owner);
    }
    return *object;
}

}  // namespace warpwise
