// See pool_lane.hpp.
#include "src/runtime/pool/pool_lane.hpp"

#include <new>

#include "src/runtime/pool/pool_pieces.hpp"

namespace warpwise::runtime {

Piece* PoolLane::pop(std::uint16_t size_class) noexcept {
    if (!heads_) return nullptr;
    Piece*& head = heads_[size_class];
    Piece* const piece = head;
    if (piece == nullptr) return nullptr;
    head = piece->next_recent;
    if (head == nullptr) filled_[size_class / 64] &= ~(std::uint64_t{1} << size_class % 64);
    return piece;
}

bool PoolLane::push(Piece& piece) noexcept {
    if (!heads_) {
        heads_.reset(new (std::nothrow) Piece*[kClasses]());
        if (!heads_) return false;
    }
    Piece*& head = heads_[piece.size_class];
    piece.next_recent = head;
    piece.state = Piece::State::Recent;
    head = &piece;
    filled_[piece.size_class / 64] |= std::uint64_t{1} << piece.size_class % 64;
    return true;
}

}  // namespace warpwise::runtime
