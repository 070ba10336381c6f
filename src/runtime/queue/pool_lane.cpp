// See pool_lane.hpp.
#include "src/runtime/queue/pool_lane.hpp"

#include <new>

namespace warpwise::runtime {

LaneEntry* PoolLane::pop(std::uint16_t size_class) noexcept {
    if (!heads_) return nullptr;
    LaneEntry*& head = heads_[size_class];
    LaneEntry* const piece = head;
    if (piece == nullptr) return nullptr;
    head = piece->next_recent;
    if (head == nullptr) filled_[size_class / 64] &= ~(std::uint64_t{1} << size_class % 64);
    return piece;
}

bool PoolLane::push(LaneEntry& piece) noexcept {
    if (!heads_) {
        heads_.reset(new (std::nothrow) LaneEntry*[kClasses]());
        if (!heads_) return false;
    }
    LaneEntry*& head = heads_[piece.size_class];
    piece.next_recent = head;
    head = &piece;
    filled_[piece.size_class / 64] |= std::uint64_t{1} << piece.size_class % 64;
    return true;
}

}  // namespace warpwise::runtime
