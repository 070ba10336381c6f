// Reserved ranges: which parts get memory for a request, and which can do without.
//
// Mapping and unmapping happen without the pool's lock. So the pieces concerned are first put
// aside (claim(), vacate()), which is all that may fail, and change for good afterwards.
#include <algorithm>
#include <bit>
#include <iterator>
#include <new>

#include "src/runtime/pool/pool_pieces.hpp"

namespace warpwise::runtime {
namespace {

// Chunks go whole, so they are small beside what they are for; but each costs calls of the driver.
constexpr std::size_t kChunksOfGrowth = 16;

std::size_t round_up(std::size_t bytes, std::size_t granule) {
    return (bytes + granule - 1) / granule * granule;
}

}  // namespace

void PieceMap::add_range(const Segment& range) {
    const auto known = segments_.emplace(range.address, range).first;
    try {
        emplace(range.address, range.bytes, known->second)->second.state = Piece::State::Hole;
    } catch (...) {
        segments_.erase(known);
        throw;
    }
    ++ranges_;
}

Claim PieceMap::claim_window(const Window& window, std::size_t bytes, const GrowthStep& step) {
    Piece& last = std::prev(window.end)->second;
    Claim claim{.address = window.first->first, .bytes = bytes, .end = 0, .gaps = {}};
    const std::size_t needed = claim.address + bytes - last.address;  // of the last piece
    const bool ends_in_hole = last.state == Piece::State::Hole;
    std::size_t taken = last.bytes;
    if (ends_in_hole) {
        const std::size_t least = round_up(needed, step.granule);
        const std::size_t before = window.missing - least;
        const std::size_t target = step.at_least > before ? step.at_least - before : 0;
        taken = std::min(last.bytes, std::max(least, round_up(target, step.granule)));
    }
    claim.end = last.address + taken;
    for (auto it = window.first; it != window.end; ++it) {
        const Piece& piece = it->second;
        if (piece.state != Piece::State::Hole) continue;
        claim.gaps.push_back({piece.address, &piece == &last ? taken : piece.bytes});
        claim.new_bytes += claim.gaps.back().bytes;
    }
    claim.chunk = std::clamp(std::bit_floor(claim.new_bytes / kChunksOfGrowth), step.granule,
                             std::max(step.granule, step.most_chunk));
    add_chunks(claim);
    Piece *rest = nullptr, *hole = nullptr;
    try {
        if (taken < last.bytes) hole = &emplace_rest(last, taken);
        if (needed < taken) rest = &emplace_rest(last, needed);
    } catch (...) {
        for (const Extent& gap : claim.gaps) erase_chunks(gap);
        if (hole != nullptr) pieces_.erase(hole->address);
        throw;
    }
    for (auto it = window.first; it != window.end; ++it) {
        Piece& piece = it->second;
        const bool has_memory = piece.state == Piece::State::Free;
        if (has_memory) set_not_free(piece);
        piece.state = has_memory ? Piece::State::Claimed : Piece::State::Mapping;
        if (&piece == &last) break;  // what follows was split off it
    }
    last.bytes = needed;
    if (rest != nullptr) {
        rest->bytes = taken - needed;
        rest->state = last.state;
    }
    if (hole != nullptr) hole->state = Piece::State::Hole;
    return claim;
}

void PieceMap::add_chunks(const Claim& claim) {
    try {
        for (const Extent& gap : claim.gaps) {
            for (std::size_t done = 0; done < gap.bytes; done += claim.chunk) {
                chunks_.emplace(gap.address + done, std::min(claim.chunk, gap.bytes - done));
            }
        }
    } catch (...) {
        for (const Extent& gap : claim.gaps) erase_chunks(gap);
        throw;
    }
}

void PieceMap::erase_chunks(const Extent& extent) noexcept {
    chunks_.erase(chunks_.lower_bound(extent.address),
                  chunks_.lower_bound(extent.address + extent.bytes));
}

Piece& PieceMap::commit(const Claim& claim) noexcept {
    const auto whole = pieces_.find(claim.address);
    const DeviceAddress rest = claim.address + claim.bytes;
    pieces_.erase(std::next(whole), pieces_.lower_bound(rest));
    whole->second.bytes = claim.bytes;
    whole->second.state = Piece::State::Used;
    if (rest < claim.end) put(pieces_.find(rest)->second);
    return whole->second;
}

void PieceMap::abandon(const Claim& claim) noexcept {
    for (const Extent& gap : claim.gaps) erase_chunks(gap);
    auto it = pieces_.find(claim.address);
    while (it != pieces_.end() && it->first < claim.end) {
        Piece& piece = it->second;
        if (piece.state == Piece::State::Mapping) {
            piece.state = Piece::State::Hole;
        } else {
            set_free(piece);
        }
        it = pieces_.upper_bound(coalesce(piece).address);
    }
}

Extent PieceMap::last_chunks(const Piece& piece, std::uint64_t most) const noexcept {
    const DeviceAddress end = piece.address + piece.bytes;
    Extent found;
    for (auto after = chunks_.lower_bound(end); after != chunks_.begin(); --after) {
        const auto& [address, bytes] = *std::prev(after);
        if (address < piece.address || found.bytes >= most) break;
        // The last one may reach into the next piece.
        if (address + bytes <= end) found = {address, found.bytes + bytes};
    }
    return found;
}

void PieceMap::cut_out(Piece& piece, const Extent& extent) {
    const std::size_t begin = extent.address - piece.address;
    const std::size_t end = begin + extent.bytes;
    Piece *middle = &piece, *upper = nullptr;
    if (end < piece.bytes) upper = &emplace_rest(piece, end);
    try {
        if (begin > 0) middle = &emplace_rest(piece, begin);
    } catch (...) {
        if (upper != nullptr) pieces_.erase(upper->address);
        throw;
    }
    set_not_free(piece);
    if (begin > 0) {
        piece.bytes = begin;
        set_free(piece);
    }
    middle->bytes = extent.bytes;
    middle->state = Piece::State::Mapping;
    if (upper != nullptr) set_free(*upper);
    erase_chunks(extent);
}

std::vector<Extent> PieceMap::vacate(std::uint64_t bytes) noexcept {
    std::vector<Extent> vacated;
    std::uint64_t sum = 0;
    try {
        for (auto it = pieces_.end(); it != pieces_.begin() && sum < bytes;) {
            Piece& piece = (--it)->second;
            const bool is_free = piece.state == Piece::State::Free && piece.uses.empty();
            if (!piece.segment->is_range || !is_free) continue;
            const Extent extent = last_chunks(piece, bytes - sum);
            if (extent.bytes == 0) continue;
            vacated.reserve(vacated.size() + 1);
            cut_out(piece, extent);
            vacated.push_back(extent);
            sum += extent.bytes;
        }
    } catch (const std::bad_alloc&) {
        return vacated;  // what was found till then
    }
    return vacated;
}

void PieceMap::note_unmapped(const std::vector<Extent>& vacated) noexcept {
    for (const Extent& extent : vacated) {
        Piece& piece = pieces_.find(extent.address)->second;
        piece.state = Piece::State::Hole;
        coalesce(piece);
    }
}

std::vector<Segment> PieceMap::remove_empty_ranges() {
    std::vector<Segment> removed;
    removed.reserve(ranges_);
    for (auto it = segments_.begin(); it != segments_.end();) {
        const Segment range = it->second;
        const auto piece = pieces_.find(range.address);
        const bool is_empty = range.is_range && piece->second.state == Piece::State::Hole &&
                              piece->second.bytes == range.bytes;
        if (is_empty) {
            removed.push_back(range);
            pieces_.erase(piece);
            it = segments_.erase(it);
            --ranges_;
        } else {
            ++it;
        }
    }
    return removed;
}

}  // namespace warpwise::runtime
