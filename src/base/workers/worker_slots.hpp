// Where the workers of a thread pool wait to be called: a slot each, on a cache line of its own, so
// that a caller reaches one worker without a lock and without disturbing the others.
//
// A worker that waits spins for a bounded while, then sleeps. A call carries what it is about, or
// kLook: there may be something in a list that the pool keeps. Who calls several calls the first of
// each half and leaves the rest of that half to it, so that sixteen are called in four steps.
//
// Invariants: a slot is written by its worker, or by the one caller that has reserved it. Each call
// is either taken by the worker or revoked, once.
//
// Threading: wait() and passed_on() for a slot's own worker, everything else from any thread.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>

namespace warpwise {

class WorkerSlots {
  public:
    // What a call is about: the address of an object, or kLook.
    using Call = std::uintptr_t;
    static constexpr Call kLook = 4;

    // Workers first <= i < last, of which up to `count` are to be called, up to `sleepers` of them
    // from sleep.
    struct Task {
        unsigned first = 0;
        unsigned last = 0;
        unsigned count = 0;
        unsigned sleepers = 0;
    };

    // The workers that one caller has called: those at the tops of its halves.
    class Called {
      public:
        void add(unsigned worker) noexcept {
            if (count_ < kMost) workers_[count_++] = worker;
        }
        const unsigned* begin() const noexcept { return workers_.data(); }
        const unsigned* end() const noexcept { return workers_.data() + count_; }
        unsigned count() const noexcept { return count_; }
        bool is_full() const noexcept { return count_ == kMost; }

      private:
        static constexpr unsigned kMost = 24;
        std::array<unsigned, kMost> workers_;
        unsigned count_ = 0;
    };

    explicit WorkerSlots(unsigned size);

    unsigned size() const noexcept { return size_; }

    // Waits to be called. `may_stay` is asked once after the worker has become visible as waiting:
    // when it returns false the call is kLook at once.
    template <class MayStay>
    Call wait(unsigned worker, const MayStay& may_stay) noexcept;
    // Of the call that wait() has returned: the callers' work that comes with it.
    Task passed_on(unsigned worker) const noexcept { return slots_[worker].task; }

    // Calls workers for `call`, first those that spin, then those that sleep. Returns how many are
    // called, of which those in `called` by this thread. Those called call the others themselves.
    unsigned call(Call call, Task task, Called& called) noexcept;
    // One worker to look at the list. False when none waits.
    bool call_one() noexcept;
    // Takes calls back that have not been taken; returns how many of the called that concerns.
    unsigned revoke(Call call, const Called& called) noexcept;

    // In the child of a fork: no worker is left.
    void clear() noexcept;

  private:
    // What a slot holds besides calls.
    static constexpr Call kBusy = 0, kSpins = 1, kSleeps = 2, kReserved = 3;
    static constexpr unsigned kAtOnce = 64;  // found in one pass

    struct alignas(128) Slot {
        std::atomic<Call> state = kBusy;
        std::atomic<std::uint32_t> alarm = 0;  // counts the calls that came while it slept
        Task task;
    };

    static bool is_call(Call state) noexcept { return state > kReserved; }
    Call take(Slot& slot) noexcept { return slot.state.exchange(kBusy, std::memory_order_acq_rel); }
    Call wait_for_call(Slot& slot) noexcept;
    void sleep(Slot& slot) noexcept;
    unsigned call_waiting(Call wait_state, Call call, const Task& task, Called& called) noexcept;
    bool ring(Slot& slot, Call wait_state, Call call, const Task& task) noexcept;

    const unsigned size_;
    const std::unique_ptr<Slot[]> slots_;
};

template <class MayStay>
WorkerSlots::Call WorkerSlots::wait(unsigned worker, const MayStay& may_stay) noexcept {
    Slot& slot = slots_[worker];
    // Both are sequentially consistent, as is what a pool writes before it calls: either it finds
    // this worker, or may_stay() finds what it has written.
    slot.state.store(kSpins, std::memory_order_seq_cst);
    if (!may_stay()) {
        Call expected = kSpins;
        if (slot.state.compare_exchange_strong(expected, kBusy)) return kLook;
    }
    return wait_for_call(slot);
}

}  // namespace warpwise
