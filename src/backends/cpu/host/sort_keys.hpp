// Sorts of elements of 4 and 8 bytes by the host's widest vectors: what kernels of the library's
// own call for elements without places.
//
// Only where kernels are compiled for kSortKeysLevel: other processors do not have the
// instructions.
//
// Threading: any thread; all memory is the caller's.
#pragma once

#include <cstdint>

namespace warpwise::cpu {

inline constexpr const char* kSortKeysLevel = "x86-64-v4";

// What elements are: a kind, and whether they descend. As sort_keys.cuh has them.
enum KeyForm : std::uint32_t {
    kUnsignedKey = 0,
    kSignedKey = 1,
    kFloatKey = 2,
    kKeyKind = 3,  // the bits of a kind
    kDescendingKey = 4,
};

// `to` and `spare` have room for all; `from` may be `to`.
void sort_keys(const void* from, void* to, void* spare, std::uint64_t count, unsigned bytes,
               std::uint32_t from_form, std::uint32_t to_form) noexcept;

// Elements become unsigned keys, in the order of buckets: bucket b (0 < b) begins with the least
// key that is not less than splitters[b - 1]. Its place goes to starts[b]; starts[buckets] is the
// count.
struct KeySplit {
    const void* from;
    void* to;
    void* spare;
    std::uint64_t count;
    const void* splitters;
    std::uint64_t buckets;  // 2 or more
    std::int64_t* starts;
    std::uint32_t bytes;
    std::uint32_t form;
};
void split_keys(const KeySplit& task) noexcept;

// The keys of one bucket, in pieces: piece p is keys starts[0] to starts[1] of
// from + p * pieces_apart, where starts begin p * starts_apart numbers further on. They are sorted,
// and become elements.
struct KeyPieces {
    const void* from;
    std::uint64_t pieces;
    std::uint64_t pieces_apart;
    const std::int64_t* starts;
    std::uint64_t starts_apart;
    void* to;
    void* spare;
    std::uint64_t count;
    const void* pivot;  // a key in their middle
    std::uint32_t bytes;
    std::uint32_t form;
};
void sort_key_pieces(const KeyPieces& task) noexcept;

}  // namespace warpwise::cpu
