// Giving memory back to the device. Lambdas: see pool_ledger.hpp.
#include <algorithm>
#include <iterator>
#include <utility>

#include "src/base/log.hpp"
#include "src/runtime/context.hpp"
#include "src/runtime/pool/pool_state.hpp"

namespace warpwise::runtime {

void PoolState::give_back_beyond_policy() {
    PoolCores unmarked;
    UnneededMemory unneeded;
    {
        MutexLock lock(ledger_.mutex);
        if (ledger_.kept_bytes() <= ledger_.policy.most_kept) {
            ledger_.look_above = ledger_.policy.most_kept;
            return;
        }
        ++ledger_.search;
        ledger_.drain_lanes();
        ledger_.settle();
        unneeded = ledger_.take_unneeded(ledger_.kept_bytes() - ledger_.policy.most_kept);
        ledger_.pieces.for_each([&](const Piece& piece) WARPWISE_NO_THREAD_SAFETY_ANALYSIS {
            if (piece.state == Piece::State::Free) ledger_.note_unmarked(piece.uses, unmarked);
        });
        ledger_.look_above = std::max(ledger_.policy.most_kept,
                                      ledger_.kept_bytes() + ledger_.policy.most_kept / 16);
    }
    marks_.mark_all(unmarked);
    source_.release(unneeded);
}

void PoolState::sweep() noexcept {
    std::vector<LeavingMemory> done;
    bool must_look = false;
    try {
        MutexLock lock(ledger_.mutex);
        ++ledger_.search;
        done.reserve(ledger_.leaving.size());
        const auto first = std::partition(
            ledger_.leaving.begin(), ledger_.leaving.end(),
            [&](const LeavingMemory& leaving) WARPWISE_NO_THREAD_SAFETY_ANALYSIS {
                return !leaving.uses.all_of([&](const Use& use) WARPWISE_NO_THREAD_SAFETY_ANALYSIS {
                    return ledger_.has_passed(use);
                });
            });
        std::move(first, ledger_.leaving.end(), std::back_inserter(done));
        ledger_.leaving.erase(first, ledger_.leaving.end());
        ledger_.has_leaving.store(!ledger_.leaving.empty(), std::memory_order_relaxed);
        for (const LeavingMemory& leaving : done) {
            // Wrapped memory may lie at the address of an allocation that lives on.
            const bool is_listed = leaving.block.origin == Block::Origin::Direct;
            if (is_listed) ledger_.direct.erase(leaving.block.address);
        }
        must_look = ledger_.kept_bytes() > ledger_.policy.most_kept;
    } catch (const std::bad_alloc&) {
        return;  // tried again at the next sweep
    }
    // Owners are released here, outside of the lock: their deleters are not ours.
    for (const auto& [block, uses] : done) {
        if (block.origin == Block::Origin::Direct) source_.release_direct(block);
    }
    if (!must_look) return;
    try {
        give_back_beyond_policy();
    } catch (const std::bad_alloc&) {
        return;
    }
}

// All that may help a request that would fail.
void PoolState::trim() {
    log::info("{}: out of memory; what the pools keep is given back", ledger_.context.name());
    free_held();
    if (!ledger_.context.info().shares_host_memory) return;
    PoolState& device_pool = *ledger_.context.pool();
    PoolState& other = &device_pool == this ? *ledger_.context.host_pool() : device_pool;
    other.free_held();
}

bool PoolState::settle_pending() {
    try {
        return ledger_.context.settle(FlushReason::Memory);
    } catch (const OutOfMemoryError& error) {
        // Some of it may have run, and released what it held.
        log::info("{}: while pending work was run for want of memory: {}", ledger_.context.name(),
                  error.what());
        return true;
    }
}

void PoolState::free_held() {
    refuse_in_host_function(ledger_.context);
    clear_shelf();
    PoolCores users;
    const auto note_users = [&](const Uses& uses) WARPWISE_NO_THREAD_SAFETY_ANALYSIS {
        uses.all_of([&](const Use& use) WARPWISE_NO_THREAD_SAFETY_ANALYSIS {
            if (!ledger_.has_passed(use) && std::ranges::find(users, use.core) == users.end()) {
                users.push_back(use.core);
            }
            return true;
        });
    };
    {
        MutexLock lock(ledger_.mutex);
        ++ledger_.search;
        ledger_.drain_lanes();
        ledger_.pieces.for_each([&](const Piece& piece) WARPWISE_NO_THREAD_SAFETY_ANALYSIS {
            if (piece.state == Piece::State::Free) note_users(piece.uses);
        });
        for (const LeavingMemory& leaving : ledger_.leaving) note_users(leaving.uses);
    }
    for (const auto& core : users) marks_.wait_for(core);
    UnneededMemory unneeded;
    {
        MutexLock lock(ledger_.mutex);
        ++ledger_.search;
        ledger_.drain_lanes();
        ledger_.settle();
        unneeded = ledger_.take_unneeded(ledger_.held_bytes);
    }
    source_.release(unneeded);
    sweep();
}

}  // namespace warpwise::runtime
