// Sums of 32-bit integers that are computed in 64 bits, as Python's are, and then compared, divided
// or converted to floating point: min(a[i] + 1, b[i] + 1). 32 bits suffice for them where no
// integer is close to the limits, which hardly any is.
//
// Sums of which only the last 32 bits are used are not found: LLVM computes them in 32 bits.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/IR/ConstantRange.h>
#include <llvm/IR/Instructions.h>

#include <vector>

#include "src/backends/cpu/compiler/gang/analysis/shape.hpp"

namespace warpwise::cpu_compiler::gang {

// Operations of one block, in their order, that pass values of 64 bits to each other, and the
// *ends* that take these values and are none: comparisons, conversions, selections by such a
// comparison, shifts by such a value.
//
// The values are made of *leaves*: extensions of smaller integers, constants, and what all lanes
// share.
class WideSums {
  public:
    WideSums(std::vector<llvm::Instruction*> members, const Shapes& shapes);

    // Whether 32 bits suffice for every value where the guarded leaves have so few bits, and
    // vectors are smaller for it. To be asked first.
    bool pay();

    llvm::ArrayRef<llvm::Instruction*> members() const { return members_; }
    bool has(const llvm::Value* value) const { return set_.contains(value); }
    // Not a vector of lanes.
    bool is_shared(const llvm::Value* leaf) const { return shapes_.of(leaf).is_uniform(); }
    bool is_used_outside(const llvm::Instruction& instruction) const;
    // They must have `bits` bits, without a sign where they are extended without.
    llvm::ArrayRef<const llvm::Value*> guarded() const { return guarded_.getArrayRef(); }
    unsigned bits() const { return bits_; }

  private:
    bool is_leaf(const llvm::Value* value) const;
    bool has_known_operands() const;
    bool is_together() const;
    bool takes_all_bits() const;
    llvm::ConstantRange range_of(const llvm::Value* value) const;
    llvm::ConstantRange range_of_leaf(const llvm::Value& leaf) const;
    llvm::ConstantRange range_of_operation(const llvm::Instruction& operation) const;
    const llvm::Value* find_large() const;
    void guard(const llvm::Value* value);
    bool fit();
    int gain() const;

    std::vector<llvm::Instruction*> members_;
    llvm::DenseSet<const llvm::Value*> set_;
    const Shapes& shapes_;
    llvm::SetVector<const llvm::Value*> guarded_;
    unsigned bits_ = 0;
    mutable llvm::DenseMap<const llvm::Value*, llvm::ConstantRange> ranges_;
};

// All of a block, whether they pay or not.
std::vector<WideSums> wide_sums_of(llvm::BasicBlock& block, const Shapes& shapes);

// Of 64 bits, from an integer of at most 32.
bool is_extension(const llvm::Value* value);
// A shift by such a value, of a number that may have 64 bits: (table >> i) & 1.
bool is_by_number(const llvm::Instruction& instruction);
// What only takes values of a group.
bool is_end(const llvm::Instruction& instruction);

}  // namespace warpwise::cpu_compiler::gang
