// Splitting and coalescing. Only add_segment(), take() and remove_free() allocate, and those that
// fail change nothing.
#include "src/runtime/pool/pool_pieces.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace warpwise::runtime {

bool BySize::operator()(const Piece* left, const Piece* right) const noexcept {
    return std::pair(left->bytes, left->address) < std::pair(right->bytes, right->address);
}

PieceMap::Pieces::iterator PieceMap::emplace(DeviceAddress address, std::size_t bytes,
                                             const Segment& segment) {
    FreePieces spare;
    Piece piece;
    piece.node = spare.extract(spare.insert(&probe_).first);
    piece.address = address;
    piece.bytes = bytes;
    piece.segment = &segment;
    piece.state = Piece::State::Used;
    const auto at = pieces_.emplace(address, std::move(piece)).first;
    at->second.node.value() = &at->second;
    return at;
}

Piece& PieceMap::add_segment(const Segment& segment) {
    const auto known = segments_.emplace(segment.address, segment).first;
    try {
        Piece& piece = emplace(segment.address, segment.bytes, known->second)->second;
        set_free(piece);
        return piece;
    } catch (...) {
        segments_.erase(known);
        throw;
    }
}

void PieceMap::set_free(Piece& piece) noexcept {
    piece.state = Piece::State::Free;
    free_[piece.segment->is_small ? 1 : 0].insert(std::move(piece.node));
}

void PieceMap::set_not_free(Piece& piece) noexcept {
    piece.node = free_[piece.segment->is_small ? 1 : 0].extract(&piece);
    piece.state = Piece::State::Used;
}

Piece& PieceMap::emplace_rest(const Piece& piece, std::size_t offset) {
    Uses uses = piece.uses;
    Piece& rest = emplace(piece.address + offset, piece.bytes - offset, *piece.segment)->second;
    rest.uses = std::move(uses);
    return rest;
}

Piece& PieceMap::take(Piece& piece, std::size_t bytes) {
    Piece* const rest = piece.bytes > bytes ? &emplace_rest(piece, bytes) : nullptr;
    set_not_free(piece);
    if (rest != nullptr) {
        piece.bytes = bytes;
        set_free(*rest);
    }
    return piece;
}

bool PieceMap::is_joined(Piece& lower, Piece& upper) noexcept {
    return lower.segment == upper.segment && lower.state == upper.state &&
           (lower.state == Piece::State::Free || lower.state == Piece::State::Hole) &&
           lower.uses.has_same_streams(upper.uses);
}

Piece& PieceMap::coalesce(Piece& piece) noexcept {
    auto at = pieces_.find(piece.address);
    const bool is_hole = piece.state == Piece::State::Hole;
    const auto join = [this, is_hole](Pieces::iterator lower, Pieces::iterator upper) {
        if (!is_hole) {
            set_not_free(upper->second);
            set_not_free(lower->second);
        }
        lower->second.bytes += upper->second.bytes;
        lower->second.uses.merge(upper->second.uses);
        pieces_.erase(upper);
        if (!is_hole) set_free(lower->second);
        return lower;
    };
    if (const auto next = std::next(at);
        next != pieces_.end() && is_joined(at->second, next->second)) {
        at = join(at, next);
    }
    if (at != pieces_.begin()) {
        if (const auto previous = std::prev(at); is_joined(previous->second, at->second)) {
            at = join(previous, at);
        }
    }
    return at->second;
}

Piece& PieceMap::put(Piece& piece) noexcept {
    set_free(piece);
    return coalesce(piece);
}

std::vector<Segment> PieceMap::remove_free(std::uint64_t bytes) {
    std::vector<Segment> whole;
    for (const auto& [address, segment] : segments_) {
        if (segment.is_range) continue;
        const Piece& piece = pieces_.find(address)->second;
        if (piece.bytes == segment.bytes && piece.state == Piece::State::Free &&
            piece.uses.empty()) {
            whole.push_back(segment);
        }
    }
    std::ranges::sort(whole, [](const Segment& left, const Segment& right) {
        return std::pair(right.bytes, left.address) < std::pair(left.bytes, right.address);
    });
    std::size_t count = 0;
    for (std::uint64_t sum = 0; count < whole.size() && sum < bytes; ++count) {
        sum += whole[count].bytes;
        const auto piece = pieces_.find(whole[count].address);
        set_not_free(piece->second);
        pieces_.erase(piece);
        segments_.erase(whole[count].address);
    }
    whole.resize(count);
    return whole;
}

Piece* PieceMap::find(DeviceAddress address) noexcept {
    auto after = pieces_.upper_bound(address);
    if (after == pieces_.begin()) return nullptr;
    Piece& piece = std::prev(after)->second;
    return address - piece.address < piece.bytes ? &piece : nullptr;
}

}  // namespace warpwise::runtime
