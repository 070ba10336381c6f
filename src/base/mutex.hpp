// Mutex, lock and condition variable with clang's thread-safety annotations: clang -Wthread-safety
// proves that guarded members are touched under their mutex. Other compilers ignore the macros.
//
// House rule: no Mutex of the library is held while calling out (handlers, sinks, compilers).
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>

#if defined(__clang__)
#define WARPWISE_THREAD_ATTRIBUTE(x) __attribute__((x))
#else
#define WARPWISE_THREAD_ATTRIBUTE(x)
#endif

#define WARPWISE_CAPABILITY(name) WARPWISE_THREAD_ATTRIBUTE(capability(name))
#define WARPWISE_SCOPED_CAPABILITY WARPWISE_THREAD_ATTRIBUTE(scoped_lockable)
#define WARPWISE_GUARDED_BY(mutex) WARPWISE_THREAD_ATTRIBUTE(guarded_by(mutex))
#define WARPWISE_POINTEE_GUARDED_BY(mutex) WARPWISE_THREAD_ATTRIBUTE(pt_guarded_by(mutex))
#define WARPWISE_REQUIRES(...) WARPWISE_THREAD_ATTRIBUTE(requires_capability(__VA_ARGS__))
#define WARPWISE_EXCLUDES(...) WARPWISE_THREAD_ATTRIBUTE(locks_excluded(__VA_ARGS__))
#define WARPWISE_ACQUIRE(...) WARPWISE_THREAD_ATTRIBUTE(acquire_capability(__VA_ARGS__))
#define WARPWISE_RELEASE(...) WARPWISE_THREAD_ATTRIBUTE(release_capability(__VA_ARGS__))
#define WARPWISE_TRY_ACQUIRE(...) WARPWISE_THREAD_ATTRIBUTE(try_acquire_capability(__VA_ARGS__))
// For the rare function whose locking clang cannot follow; state why beside it.
#define WARPWISE_NO_THREAD_SAFETY_ANALYSIS WARPWISE_THREAD_ATTRIBUTE(no_thread_safety_analysis)

namespace warpwise {

class WARPWISE_CAPABILITY("mutex") Mutex {
  public:
    Mutex() = default;
    Mutex(const Mutex&) = delete;
    Mutex& operator=(const Mutex&) = delete;

    void lock() WARPWISE_ACQUIRE() { mutex_.lock(); }
    void unlock() WARPWISE_RELEASE() { mutex_.unlock(); }
    bool try_lock() WARPWISE_TRY_ACQUIRE(true) { return mutex_.try_lock(); }

  private:
    friend class MutexLock;
    std::mutex mutex_;
};

// Holds a Mutex to the end of the scope; may be released and taken again in between.
class WARPWISE_SCOPED_CAPABILITY MutexLock {
  public:
    explicit MutexLock(Mutex& mutex) WARPWISE_ACQUIRE(mutex) : lock_(mutex.mutex_) {}
    // Of a mutex that this thread has locked.
    MutexLock(Mutex& mutex, std::adopt_lock_t adopt) WARPWISE_REQUIRES(mutex)
        : lock_(mutex.mutex_, adopt) {}
    ~MutexLock() WARPWISE_RELEASE() = default;
    MutexLock(const MutexLock&) = delete;
    MutexLock& operator=(const MutexLock&) = delete;

    void lock() WARPWISE_ACQUIRE() { lock_.lock(); }
    void unlock() WARPWISE_RELEASE() { lock_.unlock(); }
    bool try_lock() WARPWISE_TRY_ACQUIRE(true) { return lock_.try_lock(); }

  private:
    friend class Condition;
    std::unique_lock<std::mutex> lock_;
};

// A Mutex that is acquired and released by one instruction each, in place, without contention:
// for what every launch goes through, where a call of the C library costs more lines of code than
// what it guards. It knows no Condition.
class WARPWISE_CAPABILITY("mutex") InlineMutex {
  public:
    InlineMutex() = default;
    InlineMutex(const InlineMutex&) = delete;
    InlineMutex& operator=(const InlineMutex&) = delete;

    void lock() WARPWISE_ACQUIRE() {
        int expected = kFree;
        if (!state_.compare_exchange_strong(expected, kTaken, std::memory_order_acquire))
            [[unlikely]] {
            wait();
        }
    }
    void unlock() WARPWISE_RELEASE() {
        if (state_.exchange(kFree, std::memory_order_release) == kContended) [[unlikely]]
            state_.notify_one();
    }

  private:
    static constexpr int kFree = 0, kTaken = 1;
    static constexpr int kContended = 2;  // taken, a thread sleeps

    // U. Drepper, "Futexes Are Tricky", 2011, mutex2.
    [[gnu::noinline, gnu::cold]] void wait() {
        while (state_.exchange(kContended, std::memory_order_acquire) != kFree)
            state_.wait(kContended);
    }

    std::atomic<int> state_{kFree};
};

class WARPWISE_SCOPED_CAPABILITY InlineLock {
  public:
    explicit InlineLock(InlineMutex& mutex) WARPWISE_ACQUIRE(mutex) : mutex_(mutex) {
        mutex_.lock();
    }
    ~InlineLock() WARPWISE_RELEASE() { mutex_.unlock(); }
    InlineLock(const InlineLock&) = delete;
    InlineLock& operator=(const InlineLock&) = delete;

  private:
    InlineMutex& mutex_;
};

// A condition variable for MutexLock. wait() returns with the lock held; spurious wakeups happen,
// so callers loop over their condition.
class Condition {
  public:
    void wait(MutexLock& lock) { condition_.wait(lock.lock_); }
    template <class Duration>
    std::cv_status wait_for(MutexLock& lock, const Duration& duration) {
        return condition_.wait_for(lock.lock_, duration);
    }
    template <class Time>
    std::cv_status wait_until(MutexLock& lock, const Time& time) {
        return condition_.wait_until(lock.lock_, time);
    }
    void notify_one() noexcept { condition_.notify_one(); }
    void notify_all() noexcept { condition_.notify_all(); }

  private:
    std::condition_variable condition_;
};

}  // namespace warpwise
