// What a pool keeps for one stream: the pieces that stream gave back last, by size, and the marks
// in its work.
//
// A piece that one stream alone has used is handed to that stream again without an event: what it
// is used for next comes after what it was used for before. So giving back and taking again is
// pushing to and popping from a list. Other streams need to know that the work has ended. Each
// give-back has a position in its stream's work (StreamCore::position()); a mark is an event behind
// all give-backs up to a position. Marks are recorded when another stream asks, or for every so
// many bytes, never for each give-back.
//
// Threading: the pool's lock is held.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>

#include "src/runtime/backend.hpp"

namespace warpwise::runtime {

// What the lists link: the base of Piece (pool_pieces.hpp).
struct LaneEntry {
    std::uint16_t size_class = 0;      // while in use or in a list
    LaneEntry* next_recent = nullptr;  // while in a list
};

// Blocks begin at multiples of it, and the smallest are as large: what a GPU asks of memory that a
// texture reads.
inline constexpr std::size_t kSmallestBlock = 512;

// The size of the block that serves a request of `bytes` > 0: at most a sixteenth more, or the next
// multiple of kSmallestBlock.
inline std::size_t pool_block_bytes(std::size_t bytes) noexcept {
    constexpr int kStepBits = 4;  // 2^4 block sizes for each power of two
    const int exponent =
        static_cast<int>(std::bit_width(bytes - 1)) - 1;  // 2^exponent <= bytes - 1
    std::size_t step = kSmallestBlock;
    if (exponent - kStepBits > std::countr_zero(kSmallestBlock)) {
        step = std::size_t{1} << (exponent - kStepBits);
    }
    const std::size_t rounded = (bytes + step - 1) & ~(step - 1);
    return rounded < bytes ? bytes : rounded;
}

// Numbers the sizes of blocks: 1, 2, ...; 0 for blocks beyond all memory.
inline std::uint16_t pool_size_class(std::size_t block_bytes) noexcept {
    if (block_bytes <= 32 * kSmallestBlock) {
        return static_cast<std::uint16_t>(block_bytes / kSmallestBlock);
    }
    const int exponent = static_cast<int>(std::bit_width(block_bytes - 1)) - 1;
    if (exponent >= 46) return 0;
    const std::size_t step = (block_bytes - (std::size_t{1} << exponent)) >> (exponent - 4);
    return static_cast<std::uint16_t>(32 + (exponent - 14) * 16 + static_cast<int>(step));
}

class PoolLane {
  public:
    static constexpr std::size_t kClasses = 32 + (46 - 14) * 16 + 1;

    // The piece of this size class given back last; null if there is none.
    LaneEntry* pop(std::uint16_t size_class) noexcept;
    // False if there was no memory for the lists.
    bool push(LaneEntry& piece) noexcept;
    // Empties the lists through `take`.
    template <class Take>
    void drain(Take&& take) {
        for (std::size_t word = 0; word < filled_.size(); ++word) {
            while (filled_[word] != 0) {
                const auto bit = static_cast<std::size_t>(std::countr_zero(filled_[word]));
                take(*pop(static_cast<std::uint16_t>(word * 64 + bit)));
            }
        }
    }

    static constexpr std::size_t kMarkedBytes = std::size_t{4} << 20;
    static constexpr std::size_t kMostUnmarked = std::size_t{256} << 20;

    struct Mark {
        std::uint64_t position = 0;
        std::unique_ptr<EventImpl> event;
    };
    std::deque<Mark> marks;
    std::size_t unmarked_bytes = 0;  // resting here, given back since the last mark
    // So many of them are marked: more after each mark that only this stream had a use for.
    std::size_t mark_after = kMarkedBytes;
    std::uint64_t marked = 0;    // the position of the last mark
    std::uint64_t asked_in = 0;  // the search in which the first mark was asked last
    bool is_listed = false;      // the pool knows that there may be pieces in here

  private:
    std::unique_ptr<LaneEntry*[]> heads_;
    std::array<std::uint64_t, (kClasses + 63) / 64> filled_{};  // a bit for each list with pieces
};

}  // namespace warpwise::runtime
