// All that the vectoriser knows of one architecture. Another one is another class beside
// x86_traits.cpp and a line in target_traits(): no other file of gang/ names a processor.
//
// Invariant: what a target cannot do is answered by false, and the caller has a form of generic IR
// for it, with the same bits.
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/Target/TargetMachine.h>

#include <cstdint>
#include <memory>

namespace warpwise::cpu_compiler::gang {

class TargetTraits {
  public:
    virtual ~TargetTraits() = default;

    // Of the registers that vectors are computed in.
    virtual unsigned vector_bits() const = 0;
    // Masks have registers and masked accesses of their own; else a mask is an integer as wide as a
    // lane (passes/host_masks.cpp).
    virtual bool has_mask_registers() const = 0;

    // Whether a gather takes less time than a load and an insertion a lane, and a scatter than an
    // extraction and a store.
    virtual bool has_fast_gathers() const = 0;

    // Of the smallest page that has protection of its own: one byte of it may be read, and all may.
    virtual std::uint64_t page_bytes() const = 0;

    // Whether there is an instruction for permute_words() of vectors of so many lanes.
    virtual bool can_permute_words(unsigned lanes) const = 0;
    // Lane l is element sources[l] of `low` and `high` put together: vectors of 32-bit integers.
    virtual llvm::Value* permute_words(llvm::IRBuilder<>& builder, llvm::Value* low,
                                       llvm::Value* high, llvm::Value* sources) const = 0;

    // Whether minimum() has an instruction: of two numbers the smaller or larger one, -0 below 0,
    // and of a quiet NaN and a number the number. A signalling NaN becomes a quiet one.
    virtual bool has_minimum() const = 0;
    // Of vectors of floats or doubles of 128 bits, 256, or 512.
    virtual llvm::Value* minimum(llvm::IRBuilder<>& builder, bool is_max, llvm::Value* left,
                                 llvm::Value* right) const = 0;

    // --- 1 / x by refinement (passes/reciprocal_roots.cpp), of whole vectors
    // Lanes of the vectors that the operations below take, where they are faster than a division;
    // 0: there are none for `element`.
    virtual unsigned reciprocal_lanes(const llvm::Type& element) const = 0;
    // Within 2^-14 of 1 / value; exact for 0 and infinity.
    virtual llvm::Value* reciprocal_estimate(llvm::IRBuilder<>& builder,
                                             llvm::Value* value) const = 0;
    // left * right + addend, rounded towards infinity.
    virtual llvm::Value* fma_upwards(llvm::IRBuilder<>& builder, llvm::Value* left,
                                     llvm::Value* right, llvm::Value* addend) const = 0;
    virtual llvm::Value* is_zero_or_infinite(llvm::IRBuilder<>& builder,
                                             llvm::Value* value) const = 0;
};

// Of the architecture that `machine` generates code for. Throws UnsupportedError for one without
// traits.
std::unique_ptr<const TargetTraits> target_traits(const llvm::TargetMachine& machine);

}  // namespace warpwise::cpu_compiler::gang
