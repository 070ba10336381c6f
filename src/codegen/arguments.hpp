// The parameters of a generated kernel: words of eight bytes, in one order that the text and the
// launch share.
//
// Threading: pure functions and plain values.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "src/codegen/group.hpp"
#include "warpwise/signature.hpp"

namespace warpwise::codegen {

// What one word is.
struct Word {
    enum class Role : std::uint8_t {
        Input,  // address of inputs[number]
        Store,
        KeptInput,
        KeptStore,
        Workspace,  // partial results of reductions in parts
        Counters,   // one for each group of parts; 0 before and after
        Report,     // where indices out of range are reported
        Stride,     // bytes, of the operand `of`[number] along `axis`
        Extent,     // of iteration axis `number`
        Divisor,    // what divides by that extent, as divisor_of() packs it
        Points,     // elementwise: all of them; the number of rows; tiles: of what they lie in
        Kept,       // results of a reduction
        Reduced,    // elements of one result
        PartCount,
        PartLength,
        Scalar,  // the bytes of scalar `number`; word `axis` of two for complex128
    };
    Role role = Role::Input;
    std::uint16_t number = 0;
    Role of = Role::Input;  // of a Stride
    std::uint16_t axis = 0;
    std::string name;  // in the text: "in0", "s2_1"
};

std::vector<Word> words_of(const Group& group);
KernelSignature signature_of(const Group& group);

inline constexpr const char* kKernelName = "ww_fused";
inline constexpr int kThreads = 256;
// Where a warp computes a result, or a row of a tile, a row of the block is one: coordinates that
// the lanes of a vector share are then known to be the same.
inline std::array<std::uint32_t, 3> block_of(const Group& group) noexcept {
    const bool is_by_warps = group.skeleton == Skeleton::Reduction && group.lanes == 32;
    if (is_by_warps || group.across >= 0 || group.short_rows) return {32, kThreads / 32, 1};
    return {kThreads, 1, 1};
}
// Points that one thread of an elementwise kernel computes, at most.
inline constexpr int kItemsOnCpu = 1;
inline constexpr int kItemsOnGpu = 4;
// Random numbers of a fixed cost come several from one block of Philox, those of elements that are
// kThreads apart (draws.cuh). Where the numbers of elements are those of points, a thread computes
// the points of a tile that are kThreads apart, and each block once.
inline constexpr int kItemsOfDraws = 4;
// Of short bodies on GPUs: writing 2^28 float32 takes 0.27 ms instead of 0.38 on an H200.
inline constexpr int kItemsOfDrawsOnGpu = 16;
bool is_drawn_by_tiles(const Group& group, const ir::Instruction& instruction);
bool draws_by_tiles(const Group& group);
// Whether blocks compute one tile after another, so that fewer than 2^31 threads compute more
// points than that.
bool walks_tiles(const Group& group);
int items_of(const Group& group, bool is_cpu);
// Of a group with `across`: the points of a tile along either axis, and the inputs whose tiles a
// GPU reads along `across` into shared memory.
int tile_side(const Group& group, bool is_cpu);
std::vector<bool> staged_inputs(const Group& group, int side);

// For numbers below 2^31: n / extent == (n * (divisor & 0xffffffff)) >> (divisor >> 32). The
// round-up method of T. Granlund and P. L. Montgomery, "Division by Invariant Integers using
// Multiplication", 1994.
std::uint64_t divisor_of(std::uint64_t extent) noexcept;

// Bytes that suffice for one partial result of all reducers.
std::size_t state_bytes(const Group& group);

}  // namespace warpwise::codegen
