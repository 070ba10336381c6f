// The pieces of a job as contiguous ranges, one for each of its members, so that consecutive jobs
// over the same data give each thread the same part of it, which its core's cache may still hold.
//
// A member owns a range and claims chunks from its start upwards, which shrink, so that a late or
// slow owner leaves some to others: a member whose range is empty, or that has found none without
// an owner, takes chunks from the end of the range with most left. They are small, for where one
// member has nothing left to do the others will soon have come, too.
//
// Invariants: every piece is claimed once. A range only shrinks, at either end, by a compare-and-
// swap of both of its ends. Pieces are claimed in no order that holds between ranges.
//
// Threading: split() before any other thread knows of the job, the rest from all its members.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>

namespace warpwise {

class ClaimRanges {
  public:
    static constexpr unsigned kNone = ~0u;

    // How many pieces a claim may have, where there are so many: `usual`, where that is no more
    // than half of what is left and no less than a quarter.
    struct ChunkSize {
        std::uint64_t least = 1;
        std::uint64_t usual = 1;
        std::uint64_t most = 1;
    };
    struct Chunk {
        std::uint64_t begin = 0;
        std::uint64_t end = 0;
        bool is_empty() const noexcept { return begin == end; }
    };

    explicit ClaimRanges(unsigned most);

    // For one job at a time: false where another has it.
    bool try_acquire() noexcept { return !is_taken_.exchange(true, std::memory_order_acquire); }
    void release() noexcept { is_taken_.store(false, std::memory_order_release); }
    bool is_taken() const noexcept { return is_taken_.load(std::memory_order_relaxed); }

    static bool can_split(std::uint64_t pieces) noexcept {
        return pieces <= std::numeric_limits<std::uint32_t>::max();
    }
    // Pieces [begin, end) into `count` ranges, at most as many as there are, none longer than
    // another one by more than a piece.
    void split(std::uint64_t begin, std::uint64_t end, unsigned count) noexcept;
    // A range without an owner, number `preferred` if it is one; kNone where all have owners.
    unsigned own(unsigned preferred) noexcept;
    // The next pieces for the owner of range `own`, or for a member without one (kNone). Empty when
    // all are claimed.
    Chunk claim(unsigned own, ChunkSize size) noexcept;

  private:
    // Both ends, counted from base_, in one word: the first piece and, above it, the end.
    using Span = std::uint64_t;
    struct alignas(128) Range {
        std::atomic<Span> span = 0;
        std::atomic<bool> has_owner = false;
    };

    static std::uint64_t left_in(Span span) noexcept;
    std::uint64_t chunk_of(std::uint64_t left, bool is_own, ChunkSize size) const noexcept;
    bool take(Range& range, bool is_own, ChunkSize size, Chunk& chunk) const noexcept;
    Range* fullest() noexcept;

    const unsigned most_;
    const std::unique_ptr<Range[]> ranges_;
    std::uint64_t base_ = 0;
    unsigned count_ = 0;
    alignas(128) std::atomic<bool> is_taken_ = false;
};

}  // namespace warpwise
