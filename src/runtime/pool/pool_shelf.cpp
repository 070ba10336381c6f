// See pool_shelf.hpp. A shelved buffer owns itself (BufferState::shelved_), so that a place holds
// one plain pointer. Behind it, what the pool does with its shelf.
#include "src/runtime/pool/pool_shelf.hpp"

#include <algorithm>
#include <utility>

#include "src/runtime/pool/buffer_state.hpp"
#include "src/runtime/pool/pool_state.hpp"

namespace warpwise::runtime {
namespace {

// What lies on the shelf has no mark: other streams wait for it longer. The largest block that is
// shelved while there are several streams.
constexpr std::size_t kMostShelved = std::size_t{2} << 20;

}  // namespace

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
    // Another buffer was shelved meanwhile: it is released, and so returned to the pool.
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

[[gnu::hot]] BufferState* PoolState::take_shelved(const PoolRequest& request) noexcept {
    if (request.core == nullptr || request.size_class == 0) return nullptr;
    BufferState* const shelved =
        ledger_.shelf.take(PoolShelf::key(*request.core, request.size_class));
    if (shelved == nullptr) return nullptr;
    shelved->reuse(request.asked);
    if (ledger_.is_peak()) {
        MutexLock lock(ledger_.mutex);
        ledger_.note_peak();
    }
    return shelved;
}

[[gnu::hot]] bool PoolState::shelve(std::shared_ptr<BufferState>& buffer, const StreamCore& core,
                                    const Piece& piece) noexcept {
    if (piece.size_class == 0 || ledger_.policy.kind != MemoryKind::Device) return false;
    const bool is_wanted = ledger_.context.has_several_streams() && piece.bytes > kMostShelved;
    // Kept, though kept_bytes() does not count it.
    if (is_wanted || piece.bytes > ledger_.policy.most_kept / 16) return false;
    const auto key = PoolShelf::key(core, piece.size_class);
    if (BufferState* const other = ledger_.shelf.put(key, piece.bytes, buffer)) other->unshelve();
    return true;
}

void PoolState::clear_shelf() noexcept {
    while (BufferState* const shelved = ledger_.shelf.take_any()) shelved->unshelve();
}

}  // namespace warpwise::runtime
