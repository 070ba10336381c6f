// The memory of a pool: segments, each one allocation of the device, cut into pieces.
//
// Invariants:
//  - The pieces of a segment lie side by side and cover it.
//  - A piece is Used (a buffer has it), Recent (given back, kept whole for the next request of its
//    size by the same stream) or Free. Free ones alone are split, coalesced and released.
//  - No two Free neighbours have uses by the same streams: they are one piece. Neighbours after
//    which different streams come stay apart until that work has ended (settle()), since the whole
//    could be given to nobody before.
//  - Small requests are served from small segments, others from large ones, so that small buffers
//    with long lives do not break up large pieces.
// Threading: none of its own; the pool's lock is held.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <set>
#include <vector>

#include "src/runtime/pool_uses.hpp"

namespace warpwise::runtime {

class BufferState;
struct Piece;

struct BySize {
    bool operator()(const Piece* left, const Piece* right) const noexcept;
};
using FreePieces = std::set<Piece*, BySize>;

struct Segment {
    DeviceAddress address = 0;
    std::size_t bytes = 0;
    bool is_small = false;
};

struct Piece {
    enum class State : std::uint8_t { Used, Recent, Free };

    DeviceAddress address = 0;
    std::size_t bytes = 0;
    State state = State::Free;
    std::uint16_t size_class = 0;  // while Used or Recent
    const Segment* segment = nullptr;
    Uses uses;                      // empty while Used
    BufferState* buffer = nullptr;  // while Used
    Piece* next_recent = nullptr;   // while Recent
    FreePieces::node_type node;     // while not Free: so that giving back allocates nothing
};

class PieceMap {
  public:
    PieceMap() = default;
    PieceMap(const PieceMap&) = delete;
    PieceMap& operator=(const PieceMap&) = delete;

    // One Free piece without uses.
    Piece& add_segment(const Segment& segment);
    // The smallest Free piece of at least `bytes` (of exactly as many, if `is_exact`) that `usable`
    // accepts, of the first kTried; null if there is none.
    template <class Usable>
    Piece* fit(std::size_t bytes, bool is_small, bool is_exact, Usable&& usable) {
        constexpr int kTried = 64;
        FreePieces& pieces = free_[is_small ? 1 : 0];
        probe_.bytes = bytes;
        int tried = 0;
        for (auto it = pieces.lower_bound(&probe_); it != pieces.end(); ++it) {
            if ((is_exact && (*it)->bytes != bytes) || ++tried > kTried) return nullptr;
            if (usable(**it)) return *it;
        }
        return nullptr;
    }
    // Free to Used; what is beyond `bytes` stays Free, after the same work. The uses stay with the
    // piece until the caller takes them.
    Piece& take(Piece& piece, std::size_t bytes);
    // Used or Recent to Free, with the uses set. Returns the piece it has become a part of.
    Piece& put(Piece& piece) noexcept;
    // Drops the uses that `has_passed` and coalesces what was kept apart by them.
    template <class Passed>
    void settle(Passed&& has_passed) {
        for (auto it = pieces_.begin(); it != pieces_.end();) {
            Piece& piece = it->second;
            if (piece.state == Piece::State::Free && !piece.uses.empty() &&
                piece.uses.all_of(has_passed)) {
                piece.uses.clear();
                it = pieces_.upper_bound(coalesce(piece).address);
            } else {
                ++it;
            }
        }
    }
    // Takes out segments that are one Free piece without uses, largest first, until `bytes` are
    // reached. The caller releases them.
    std::vector<Segment> remove_free(std::uint64_t bytes);

    // The piece that `address` lies in; null if it lies in no segment.
    Piece* find(DeviceAddress address) noexcept;
    std::size_t segment_count() const noexcept { return segments_.size(); }
    std::size_t piece_count() const noexcept { return pieces_.size(); }
    template <class Visit>
    void for_each(Visit&& visit) const {
        for (const auto& [address, piece] : pieces_) visit(piece);
    }

  private:
    using Pieces = std::map<DeviceAddress, Piece>;

    Pieces::iterator emplace(DeviceAddress address, std::size_t bytes, const Segment& segment);
    void set_free(Piece& piece) noexcept;
    void set_not_free(Piece& piece) noexcept;
    Piece& coalesce(Piece& piece) noexcept;
    bool is_joined(Piece& lower, Piece& upper) noexcept;

    std::map<DeviceAddress, Segment> segments_;
    Pieces pieces_;
    std::array<FreePieces, 2> free_;  // of large segments, of small ones
    Piece probe_;                     // what fit() looks for
};

}  // namespace warpwise::runtime
