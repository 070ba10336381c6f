// The life of one allocation: uses are added while it lives and handed to the pool at its end.
#include "src/runtime/pool/buffer_state.hpp"

#include <algorithm>
#include <utility>

#include "src/runtime/context.hpp"
#include "src/runtime/pool/pool_state.hpp"
#include "src/runtime/refuse.hpp"

namespace warpwise::runtime {

BufferState::BufferState(PoolState& pool, std::size_t size) noexcept
    : context_(pool.context()), size_(size), pool_(pool) {}

BufferState::~BufferState() {
    if (!is_freed()) give_back();
}

void BufferState::refuse_freed(const char* what) const {
    if (!is_freed()) return;
    refuse_value("{} a buffer of {} bytes at {} that was freed before; allocate a new one", what,
                 size(), hex_address(block_.address));
}

void BufferState::free() {
    if (!is_freed()) settle(FlushReason::Free);
    if ((marks_.fetch_or(kFreed, std::memory_order_acq_rel) & kFreed) != 0) {
        refuse_value("the buffer of {} bytes at {} was freed before; a buffer is freed once",
                     size(), hex_address(block_.address));
    }
    give_back();
}

[[gnu::hot]] void BufferState::release_last(std::shared_ptr<BufferState>& last) noexcept {
    BufferState& self = *last;
#if !defined(__SANITIZE_THREAD__)  // which does not know fences, nor misses this one
    // What the other owners noted before they released it is seen from here on.
    std::atomic_thread_fence(std::memory_order_acquire);
#endif
    const bool is_of_one_stream = self.first_id_ != 0 && self.block_.piece != nullptr &&
                                  !self.has_more_uses_.load(std::memory_order_acquire) &&
                                  self.is_ready();
    if (is_of_one_stream && self.pool_.shelve(last, *self.first_use_, *self.block_.piece)) return;
    last.reset();
}

[[gnu::hot]] void BufferState::shelve(std::uint64_t key,
                                      std::shared_ptr<BufferState>& self) noexcept {
    marks_.store(kFreed, std::memory_order_release);
    shelf_key_ = key;
    shelved_at_ = first_use_->position();
    shelved_ = std::move(self);
}

[[gnu::hot]] std::shared_ptr<BufferState> BufferState::unshelve() noexcept {
    marks_.store(0, std::memory_order_release);
    return std::move(shelved_);
}

void BufferState::set_pending(std::shared_ptr<PendingWork> work) {
    MutexLock lock(mutex_);
    if (work) {
        marks_.fetch_or(kPending, std::memory_order_release);
    } else {
        marks_.fetch_and(static_cast<std::uint8_t>(~kPending), std::memory_order_release);
    }
    pending_.swap(work);  // what was there ends without the lock
}

std::shared_ptr<PendingWork> BufferState::pending() {
    MutexLock lock(mutex_);
    return pending_;
}

void BufferState::flush(FlushReason reason) {
    if (const auto work = pending()) flush_once(*work, {.reason = reason, .buffer = this});
}

void BufferState::expose() {
    if (!is_exposed()) marks_.fetch_or(kExposed, std::memory_order_acq_rel);
    settle(FlushReason::Address);
}

void BufferState::add_use(const std::shared_ptr<StreamCore>& core) {
    if (core->id() != first_id_) {
        MutexLock lock(mutex_);
        std::erase_if(more_uses_, [](const auto& use) { return use->is_closed(); });
        if (std::ranges::find(more_uses_, core) == more_uses_.end()) more_uses_.push_back(core);
        has_more_uses_.store(true, std::memory_order_release);
    }
    last_use_.store(core->id(), std::memory_order_relaxed);
}

void BufferState::give_back() noexcept {
    std::vector<std::shared_ptr<StreamCore>> more;
    if (has_more_uses_.load(std::memory_order_acquire)) {
        MutexLock lock(mutex_);
        more.swap(more_uses_);
    }
    pool_.give_back(block_, std::move(first_use_), std::move(more), shelved_at_);
}

}  // namespace warpwise::runtime
