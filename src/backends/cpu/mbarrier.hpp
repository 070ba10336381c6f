// The word of an mbarrier object, which PTX leaves open: compiled code tests the phase, the run
// time counts. From the lowest bit: arrivals that a phase expects (20 bits), arrivals that are
// pending (20), bytes that are to come (23, signed), the parity of the phase (1).
#pragma once

#include <cstdint>
#include <optional>

namespace warpwise::cpu::mbarrier {

inline constexpr unsigned kCountBits = 20;
inline constexpr unsigned kPendingShift = kCountBits;
inline constexpr unsigned kBytesShift = 2 * kCountBits;
inline constexpr unsigned kPhaseShift = 63;
inline constexpr std::uint64_t kCountMask = (std::uint64_t{1} << kCountBits) - 1;

constexpr std::uint64_t pending(std::uint64_t word) {
    return word >> kPendingShift & kCountMask;
}

constexpr std::int64_t bytes_to_come(std::uint64_t word) {
    return static_cast<std::int64_t>(word << (64 - kPhaseShift)) >> (kBytesShift + 1);
}

// After arrivals and transactions; nothing for more arrivals than are pending. A phase whose last
// arrival and last byte have come gives way to the next.
constexpr std::optional<std::uint64_t> updated(std::uint64_t word, std::uint32_t arrivals,
                                               std::int32_t transactions, std::uint32_t leaving) {
    if (arrivals > pending(word)) return std::nullopt;
    const std::uint64_t expected = (word & kCountMask) - leaving;
    std::uint64_t left = pending(word) - arrivals;
    std::uint64_t phase = word >> kPhaseShift;
    const std::int64_t bytes = bytes_to_come(word) + transactions;
    if (left == 0 && bytes == 0) {
        left = expected;
        phase ^= 1;
    }
    const std::uint64_t field = static_cast<std::uint64_t>(bytes) << kBytesShift;
    return (expected & kCountMask) | left << kPendingShift |
           (field & ~(std::uint64_t{1} << kPhaseShift)) | phase << kPhaseShift;
}

}  // namespace warpwise::cpu::mbarrier
