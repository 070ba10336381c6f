// See pool_shelf.hpp. A shelved buffer owns itself (BufferState::shelved_), so that a place holds
// one plain pointer.
#include "src/runtime/pool_shelf.hpp"

#include <utility>

#include "src/runtime/buffer_state.hpp"

namespace warpwise::runtime {

[[gnu::hot]] std::uint64_t PoolShelf::key(const StreamCore& core,
                                          std::uint16_t size_class) noexcept {
    return size_class == 0 ? 0 : core.id() << 16 | size_class;
}

[[gnu::hot]] BufferState* PoolShelf::put(std::uint64_t key, std::size_t bytes,
                                         std::shared_ptr<BufferState>& buffer) noexcept {
    BufferState* const shelved = buffer.get();
    shelved->shelve(key, buffer);
    std::size_t place = 0;
    while (place < kPlaces && buffers_[place].load(std::memory_order_relaxed) != nullptr) ++place;
    if (place == kPlaces) {
        place = next_.load(std::memory_order_relaxed) % kPlaces;
        next_.store(static_cast<unsigned>(place + 1), std::memory_order_relaxed);
    }
    keys_[place].store(key, std::memory_order_relaxed);
    bytes_[place].store(bytes, std::memory_order_relaxed);
    return buffers_[place].exchange(shelved, std::memory_order_acq_rel);
}

[[gnu::hot]] BufferState* PoolShelf::take_from(std::size_t place, std::uint64_t key) noexcept {
    BufferState* const taken = buffers_[place].exchange(nullptr, std::memory_order_acq_rel);
    if (taken == nullptr || taken->shelf_key() == key) return taken;
    // Another one came here meanwhile: it is let go, and so given back.
    taken->unshelve();
    return nullptr;
}

BufferState* PoolShelf::take_any() noexcept {
    for (auto& place : buffers_) {
        if (place.load(std::memory_order_relaxed) == nullptr) continue;
        BufferState* const taken = place.exchange(nullptr, std::memory_order_acq_rel);
        if (taken != nullptr) return taken;
    }
    return nullptr;
}

std::size_t PoolShelf::bytes() const noexcept {
    std::size_t sum = 0;
    for (std::size_t i = 0; i < kPlaces; ++i) {
        const bool is_there = buffers_[i].load(std::memory_order_relaxed) != nullptr;
        if (is_there) sum += bytes_[i].load(std::memory_order_relaxed);
    }
    return sum;
}

}  // namespace warpwise::runtime
