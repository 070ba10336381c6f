// The memory of a pool: segments, cut into pieces. A segment is one allocation of the device, or a
// reserved range: addresses, of which parts have memory, in chunks that come and go whole
// (pool_ranges.cpp).
//
// Invariants:
//  - The pieces of a segment lie side by side and cover it.
//  - A piece is Used (a buffer has it), Recent (given back, kept whole for the next request of its
//    size by the same stream) or Free. Free ones alone are split, coalesced and released.
//  - No two Free neighbours have uses by the same streams: they are one piece. Neighbours after
//    which different streams come stay apart until that work has ended (settle()), since the whole
//    could be given to no request before.
//  - Small requests are served from small segments, others from large ones, so that small buffers
//    with long lives do not break up large pieces.
//  - In a range a piece may also be a Hole, without memory, or held by the one thread that maps or
//    unmaps just now: Claimed (memory, to be a part of what is asked for) or Mapping (none yet, or
//    no more). Used, Recent, Free and Claimed pieces lie in chunks, Holes beside them; no two Holes
//    are neighbours.
// Threading: none of its own; the pool's lock is held.
#pragma once

#include <array>
#include <cstddef>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "src/runtime/pool/pool_uses.hpp"
#include "src/runtime/queue/pool_lane.hpp"

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
    bool is_range = false;
};

// Addresses of a range.
struct Extent {
    DeviceAddress address = 0;
    std::size_t bytes = 0;
};

// How a range grows.
struct GrowthStep {
    std::size_t granule = 0;
    std::size_t at_least = 0;    // bytes of new memory, where they fit into the range
    std::size_t most_chunk = 0;  // bytes; a power of two
};

// Neighbours in a range that become one Used piece when there is memory behind them; from claim()
// to commit() or abandon().
struct Claim {
    DeviceAddress address = 0;
    std::size_t bytes = 0;     // of what will be Used
    DeviceAddress end = 0;     // of what is mapped for it, which may be more
    std::vector<Extent> gaps;  // to be mapped, in chunks of `chunk` bytes
    std::size_t chunk = 0;
    std::size_t new_bytes = 0;  // of all gaps
};

struct Piece : LaneEntry {
    enum class State : std::uint8_t { Used, Recent, Free, Hole, Claimed, Mapping };

    DeviceAddress address = 0;
    std::size_t bytes = 0;
    State state = State::Free;
    const Segment* segment = nullptr;
    Uses uses;                      // empty while Used
    BufferState* buffer = nullptr;  // while Used
    FreePieces::node_type node;     // while not Free: so that giving back allocates nothing

    bool is_kept() const noexcept { return state == State::Recent || state == State::Free; }
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

    // One Hole.
    void add_range(const Segment& range);
    // Of the runs of Holes and of Free pieces that `usable` accepts, in ranges for such requests,
    // that of at least `bytes` which needs the least new memory. Nothing if there is none.
    template <class Usable>
    std::optional<Claim> claim(std::size_t bytes, bool is_small, const GrowthStep& step,
                               Usable&& usable) {
        Window best;
        for (const auto& [address, segment] : segments_) {
            if (!segment.is_range || segment.is_small != is_small) continue;
            find_window(segment, bytes, step.granule, usable, best);
        }
        if (best.missing == kNothing) return std::nullopt;
        return claim_window(best, bytes, step);
    }
    // All gaps are mapped now. Returns the Used piece.
    Piece& commit(const Claim& claim) noexcept;
    // None is.
    void abandon(const Claim& claim) noexcept;
    // Takes the whole chunks out of Free pieces without uses, from the end of each range, until
    // `bytes` are reached. The caller unmaps them and calls note_unmapped().
    std::vector<Extent> vacate(std::uint64_t bytes) noexcept;
    void note_unmapped(const std::vector<Extent>& vacated) noexcept;
    // Takes out ranges that are one Hole. The caller releases them.
    std::vector<Segment> remove_empty_ranges();

    // The piece that `address` lies in; null if it lies in no segment.
    Piece* find(DeviceAddress address) noexcept;
    // Allocations of the device: segments of one each, and chunks.
    std::size_t segment_count() const noexcept {
        return segments_.size() - ranges_ + chunks_.size();
    }
    std::size_t range_count() const noexcept { return ranges_; }
    std::size_t piece_count() const noexcept { return pieces_.size(); }
    template <class Visit>
    void for_each(Visit&& visit) const {
        for (const auto& [address, piece] : pieces_) visit(piece);
    }

  private:
    using Pieces = std::map<DeviceAddress, Piece>;
    static constexpr std::size_t kNothing = std::numeric_limits<std::size_t>::max();

    // Pieces side by side, the first and the one behind the last.
    struct Window {
        Pieces::iterator first, end;
        std::size_t missing = kNothing;  // bytes without memory that are needed
    };
    // Walks over a range and improves `best`.
    template <class Usable>
    void find_window(const Segment& range, std::size_t bytes, std::size_t granule, Usable&& usable,
                     Window& best) {
        const DeviceAddress range_end = range.address + range.bytes;
        auto first = pieces_.find(range.address);
        std::size_t sum = 0, holes = 0;  // bytes from `first` on
        for (auto it = first; it != pieces_.end() && it->first < range_end; ++it) {
            const Piece& piece = it->second;
            const bool is_hole = piece.state == Piece::State::Hole;
            if (!is_hole && (piece.state != Piece::State::Free || !usable(piece))) {
                first = std::next(it);
                sum = holes = 0;
                continue;
            }
            sum += piece.bytes;
            if (is_hole) holes += piece.bytes;
            while (sum >= bytes) {
                // Of a hole at the end only the beginning is needed.
                const std::size_t unneeded = is_hole ? (sum - bytes) / granule * granule : 0;
                const std::size_t missing = holes - unneeded;
                if (missing < best.missing) best = {first, std::next(it), missing};
                sum -= first->second.bytes;
                if (first->second.state == Piece::State::Hole) holes -= first->second.bytes;
                ++first;
            }
        }
    }
    Claim claim_window(const Window& window, std::size_t bytes, const GrowthStep& step);
    void add_chunks(const Claim& claim);
    void erase_chunks(const Extent& extent) noexcept;
    // The last whole chunks in a Free piece, until `most` bytes are reached.
    Extent last_chunks(const Piece& piece, std::uint64_t most) const noexcept;
    void cut_out(Piece& piece, const Extent& extent);

    Pieces::iterator emplace(DeviceAddress address, std::size_t bytes, const Segment& segment);
    // A piece for what `piece` has from `offset` on, with its uses; `piece` is still whole.
    Piece& emplace_rest(const Piece& piece, std::size_t offset);
    void set_free(Piece& piece) noexcept;
    void set_not_free(Piece& piece) noexcept;
    Piece& coalesce(Piece& piece) noexcept;
    bool is_joined(Piece& lower, Piece& upper) noexcept;

    std::map<DeviceAddress, Segment> segments_;
    std::size_t ranges_ = 0;                       // of segments_
    std::map<DeviceAddress, std::size_t> chunks_;  // what was mapped at once, with its bytes
    Pieces pieces_;
    std::array<FreePieces, 2> free_;  // of large segments, of small ones
    Piece probe_;                     // what fit() looks for
};

}  // namespace warpwise::runtime
