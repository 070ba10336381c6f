// How few bits suffice to compute an integer that C++ promotes to int: bytes and short integers in
// lanes of 8 and 16 bits.
//
// Of a value in fewer bits, those that its users look at are right; if they look at more bits than
// it has, it is the whole value, once it is extended by `extension_of`.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/IR/ConstantRange.h>
#include <llvm/IR/IntrinsicInst.h>

#include <optional>
#include <vector>

#include "src/backends/cpu/compiler/gang/analysis/shape.hpp"

namespace warpwise::cpu_compiler::gang {

enum class Sign : std::uint8_t { Unsigned, Signed };

class IntegerWidths {
  public:
    IntegerWidths(const llvm::Function& kernel, const Shapes& shapes);

    // 8 or 16 of an instruction that has a vector and may be computed in fewer bits than its type.
    std::optional<unsigned> width_of(const llvm::Value* value) const;
    // Of a comparison whose operands fit.
    std::optional<unsigned> width_of_comparison(const llvm::ICmpInst& comparison) const;
    // The reading in which the values fit into `width` bits: unsigned where both do.
    std::optional<Sign> sign_of(llvm::ArrayRef<const llvm::Value*> values, unsigned width) const;
    Sign extension_of(const llvm::Value* value) const;
    // The bits, from the least one on, that anything depends on.
    unsigned demanded_bits(const llvm::Value* value) const;
    // Instructions that are computed in fewer bits, in their order.
    llvm::ArrayRef<const llvm::Instruction*> narrowed() const { return narrowed_; }
    // Not for the better: it stays as it is.
    void drop(const llvm::Instruction* instruction) { widths_.erase(instruction); }

  private:
    void find_demanded_bits();
    bool demand(const llvm::Value* value, unsigned bits);
    bool demand_operands(const llvm::Instruction& user);
    void find_addresses();
    void find_ranges(const llvm::BasicBlock& block);
    void find_widths(const llvm::BasicBlock& block);
    llvm::ConstantRange range_of(const llvm::Value* value) const;
    llvm::ConstantRange range_of_instruction(const llvm::Instruction& instruction) const;
    bool fits(const llvm::Value* value, unsigned width, Sign sign) const;
    bool is_candidate(const llvm::Instruction& instruction) const;
    bool suffices(const llvm::Instruction& instruction, unsigned width) const;
    bool suffices_for_intrinsic(const llvm::IntrinsicInst& call, unsigned width) const;
    bool suffices_for_shift(const llvm::Instruction& shift, unsigned width) const;

    const llvm::Function& kernel_;
    const Shapes& shapes_;
    llvm::DenseMap<const llvm::Value*, unsigned> demanded_;
    llvm::DenseMap<const llvm::Value*, llvm::ConstantRange> ranges_;
    llvm::DenseSet<const llvm::Value*> addresses_;  // and what they are computed from
    llvm::DenseMap<const llvm::Value*, unsigned> widths_;
    std::vector<const llvm::Instruction*> narrowed_;
};

// |a - b| of integers that both fit into `width` bits without a sign.
bool is_absolute_difference(const llvm::IntrinsicInst& call, unsigned width,
                            const IntegerWidths& widths);

}  // namespace warpwise::cpu_compiler::gang
