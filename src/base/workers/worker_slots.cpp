// Calling, taking calls back, spinning and sleeping.
#include "src/base/workers/worker_slots.hpp"

#include <algorithm>
#include <utility>

#include "src/base/workers/bounded_spin.hpp"

namespace warpwise {

WorkerSlots::WorkerSlots(unsigned size) : size_(size), slots_(new Slot[size]) {}

void WorkerSlots::clear() noexcept {
    for (unsigned i = 0; i < size_; ++i) slots_[i].state.store(kBusy, std::memory_order_relaxed);
}

WorkerSlots::Call WorkerSlots::wait_for_call(Slot& slot) noexcept {
    const auto has_come = [&slot] { return is_call(slot.state.load(std::memory_order_acquire)); };
    while (!has_come()) {
        BoundedSpin spin;
        while (!has_come() && spin.step(has_come)) continue;
        if (!has_come()) sleep(slot);
    }
    return take(slot);
}

// Returns at once where a caller has reserved the slot.
void WorkerSlots::sleep(Slot& slot) noexcept {
    std::uint32_t alarm = slot.alarm.load(std::memory_order_acquire);
    Call expected = kSpins;
    if (!slot.state.compare_exchange_strong(expected, kSleeps, std::memory_order_acq_rel)) return;
    // The alarm of an earlier call, taken before it rang, may come late.
    while (!is_call(slot.state.load(std::memory_order_acquire))) {
        slot.alarm.wait(alarm);
        alarm = slot.alarm.load(std::memory_order_acquire);
    }
}

bool WorkerSlots::ring(Slot& slot, Call wait_state, Call call, const Task& task) noexcept {
    Call expected = wait_state;
    if (!slot.state.compare_exchange_strong(expected, kReserved, std::memory_order_acq_rel)) {
        return false;
    }
    slot.task = task;
    slot.state.store(call, std::memory_order_release);
    if (wait_state == kSleeps) {
        slot.alarm.fetch_add(1, std::memory_order_release);
        slot.alarm.notify_one();
    }
    return true;
}

// Of the workers found it calls the middle one, which is left the upper half, then goes on with the
// lower half.
unsigned WorkerSlots::call_waiting(Call wait_state, Call call, const Task& task,
                                   Called& called) noexcept {
    std::array<unsigned, kAtOnce> found;
    unsigned count = 0;
    const unsigned most = std::min({task.count, kAtOnce, task.last - task.first});
    for (unsigned i = task.first; i < task.last && count < most; ++i) {
        if (slots_[i].state.load(std::memory_order_relaxed) == wait_state) found[count++] = i;
    }
    unsigned rung = 0;
    for (unsigned rest = count; rest > 0 && !called.is_full();) {
        const unsigned half = rest / 2;
        Task left{found[half] + 1, found[rest - 1] + 1, rest - half - 1};
        if (wait_state == kSleeps) left.sleepers = left.count;
        if (ring(slots_[found[half]], wait_state, call, left)) {
            called.add(found[half]);
            rung += 1 + left.count;
        }
        rest = half;
    }
    return rung;
}

unsigned WorkerSlots::call(Call call, Task task, Called& called) noexcept {
    unsigned sum = 0;
    for (const Call wait_state : {kSpins, kSleeps}) {
        if (wait_state == kSleeps) task.count = std::min(task.count, task.sleepers);
        while (task.count > 0) {
            const unsigned rung = call_waiting(wait_state, call, task, called);
            if (rung == 0) break;
            sum += rung;
            task.count -= std::min(task.count, rung);
        }
    }
    return sum;
}

bool WorkerSlots::call_one() noexcept {
    for (const Call wait_state : {kSpins, kSleeps}) {
        for (unsigned i = 0; i < size_; ++i) {
            if (slots_[i].state.load(std::memory_order_seq_cst) != wait_state) continue;
            if (ring(slots_[i], wait_state, kLook, {})) return true;
        }
    }
    return false;
}

unsigned WorkerSlots::revoke(Call call, const Called& called) noexcept {
    unsigned count = 0;
    for (const unsigned worker : called) {
        Call expected = call;
        if (slots_[worker].state.compare_exchange_strong(expected, kLook,
                                                         std::memory_order_acq_rel)) {
            ++count;
        }
    }
    return count;
}

}  // namespace warpwise
