// The life of one allocation: uses are added while it lives and handed to the pool at its end.
#include "src/runtime/buffer_state.hpp"

#include <algorithm>
#include <utility>

#include "src/runtime/context.hpp"
#include "src/runtime/pool_state.hpp"
#include "src/runtime/refuse.hpp"

namespace warpwise::runtime {

BufferState::BufferState(std::shared_ptr<PoolState> pool, std::size_t size) noexcept
    : pool_(std::move(pool)), context_(pool_->context()), size_(size) {}

BufferState::~BufferState() {
    if (!freed_.load(std::memory_order_acquire)) give_back();
}

void BufferState::refuse_freed(const char* what) const {
    if (!is_freed()) return;
    refuse_value("{} a buffer of {} bytes at {} that was freed before; allocate a new one", what,
                 size_, hex_address(block_.address));
}

void BufferState::free() {
    if (freed_.exchange(true, std::memory_order_acq_rel)) {
        refuse_value("the buffer of {} bytes at {} was freed before; a buffer is freed once", size_,
                     hex_address(block_.address));
    }
    give_back();
}

void BufferState::add_use(const std::shared_ptr<StreamCore>& core) {
    MutexLock lock(mutex_);
    std::erase_if(uses_, [](const auto& use) { return use->is_closed(); });
    if (std::ranges::find(uses_, core) == uses_.end()) uses_.push_back(core);
    last_use_.store(core->id(), std::memory_order_relaxed);
}

void BufferState::give_back() noexcept {
    std::vector<std::shared_ptr<StreamCore>> uses;
    {
        MutexLock lock(mutex_);
        uses.swap(uses_);
    }
    pool_->give_back(block_, uses);
}

}  // namespace warpwise::runtime
