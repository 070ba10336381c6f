// Splitting, owning, claiming.
#include "src/base/workers/claim_ranges.hpp"

#include <algorithm>

namespace warpwise {
namespace {

constexpr unsigned kEndShift = 32;

constexpr std::uint64_t first_of(std::uint64_t span) {
    return span & std::numeric_limits<std::uint32_t>::max();
}
constexpr std::uint64_t end_of(std::uint64_t span) {
    return span >> kEndShift;
}
constexpr std::uint64_t span_of(std::uint64_t first, std::uint64_t end) {
    return first | end << kEndShift;
}

}  // namespace

ClaimRanges::ClaimRanges(unsigned most) : most_(most), ranges_(new Range[most]) {}

void ClaimRanges::split(std::uint64_t begin, std::uint64_t end, unsigned count) noexcept {
    base_ = begin;
    count_ = std::clamp(count, 1u, most_);
    const std::uint64_t pieces = end - begin;
    for (std::uint64_t i = 0; i < count_; ++i) {
        const Span span = span_of(pieces * i / count_, pieces * (i + 1) / count_);
        ranges_[i].span.store(span, std::memory_order_relaxed);
        ranges_[i].has_owner.store(false, std::memory_order_relaxed);
    }
}

// Threads that have no place among the workers look from the end, where workers come last.
unsigned ClaimRanges::own(unsigned preferred) noexcept {
    const auto try_own = [this](unsigned number) {
        std::atomic<bool>& has_owner = ranges_[number].has_owner;
        return !has_owner.load(std::memory_order_relaxed) &&
               !has_owner.exchange(true, std::memory_order_relaxed);
    };
    if (preferred < count_ && try_own(preferred)) return preferred;
    for (unsigned number = count_; number-- > 0;) {
        if (try_own(number)) return number;
    }
    return kNone;
}

std::uint64_t ClaimRanges::left_in(Span span) noexcept {
    return end_of(span) - first_of(span);
}

std::uint64_t ClaimRanges::chunk_of(std::uint64_t left, bool is_own,
                                    ChunkSize size) const noexcept {
    const std::uint64_t wanted =
        is_own ? std::min(left / 2, std::max(left / 4, size.usual)) : left / std::max(2u, count_);
    return std::min(left, std::clamp(wanted, size.least, size.most));
}

// At the start for the owner, at the end for others. What the pieces read and write is ordered by
// other means, the launch and the end of the job.
bool ClaimRanges::take(Range& range, bool is_own, ChunkSize size, Chunk& chunk) const noexcept {
    Span span = range.span.load(std::memory_order_relaxed);
    for (;;) {
        const std::uint64_t left = left_in(span);
        if (left == 0) return false;
        const std::uint64_t count = chunk_of(left, is_own, size);
        const std::uint64_t first = is_own ? first_of(span) : end_of(span) - count;
        const Span rest =
            is_own ? span_of(first + count, end_of(span)) : span_of(first_of(span), first);
        if (!range.span.compare_exchange_weak(span, rest, std::memory_order_relaxed)) continue;
        chunk = {base_ + first, base_ + first + count};
        return true;
    }
}

ClaimRanges::Range* ClaimRanges::fullest() noexcept {
    Range* found = nullptr;
    std::uint64_t most = 0;
    for (unsigned i = 0; i < count_; ++i) {
        const std::uint64_t left = left_in(ranges_[i].span.load(std::memory_order_relaxed));
        if (left <= most) continue;
        most = left;
        found = &ranges_[i];
    }
    return found;
}

ClaimRanges::Chunk ClaimRanges::claim(unsigned own, ChunkSize size) noexcept {
    Chunk chunk;
    if (own != kNone && take(ranges_[own], true, size, chunk)) return chunk;
    while (Range* range = fullest()) {
        if (take(*range, false, size, chunk)) break;
    }
    return chunk;
}

}  // namespace warpwise
