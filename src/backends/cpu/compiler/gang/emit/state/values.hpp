// The lanes' values, in the form an instruction needs: scalar of a piece,
// 64-bit base, vector.
//
// Values that cross blocks go through stack slots, which mem2reg turns into SSA
// form afterwards; so blocks may be entered by edges that the scalar function
// did not have.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/Sequence.h>

#include <optional>

#include "src/backends/cpu/compiler/gang/emit/state/emit_state.hpp"

namespace warpwise::cpu_compiler::gang {

class Values {
  public:
    explicit Values(EmitState& state);

    // Values that the prologue makes, and numbers: the same in all blocks.
    void define_global(const llvm::Value* value, Parts parts) {
        globals_[value] = std::move(parts);
    }
    // Slots for values that are used outside their block.
    void make_slots();
    void begin_block();

    void define(const llvm::Instruction& instruction, Parts parts);
    const Parts& parts_of(llvm::Value* value);
    llvm::Value* scalar(llvm::Value* value, unsigned piece);
    llvm::Value* base(llvm::Value* value, unsigned piece);
    llvm::Value* vector(llvm::Value* value, unsigned piece);
    Parts in_shape(llvm::Value* value, const Shape& shape);
    llvm::Value* splat(llvm::Value* scalar);
    llvm::Value* steps(llvm::Type* type, std::int64_t step);
    unsigned count_of_parts(const Shape& shape) const;
    // The parts of that shape to be written now: all, or the one of a single piece.
    llvm::iota_range<unsigned> parts_to_write(const Shape& shape) const;
    // The pieces to be written now.
    llvm::iota_range<unsigned> pieces_to_write() const;
    bool is_writing_one_piece() const { return piece_.has_value(); }
    // From here on define() takes the part of this piece only; nothing: again of all.
    void write_one_piece(std::optional<unsigned> piece) { piece_ = piece; }
    // What code for one piece has left, none if it was not written there.
    llvm::Value* part_of(const llvm::Value* value, unsigned piece) const;
    // Whether it is made before the instruction being written, here or in another
    // block.
    bool is_made(const llvm::Value* value) const {
        return local_.contains(value) || slots_.contains(value);
    }
    const Parts& slots_of(const llvm::Value* value) { return slots_[value]; }
    // A later edge of the same block must not take the phi for unchanged.
    void forget(const llvm::Value* value) { local_.erase(value); }

    // Results of struct type, by element; used in their own block only.
    void define_struct(const llvm::Value& value, llvm::SmallVector<Parts, 2> elements) {
        structs_[&value] = std::move(elements);
    }
    const Parts* element_of(const llvm::Value* value, unsigned index) const;

    // What is known at a place; code behind a branch starts from it again.
    struct Known {
        llvm::DenseMap<const llvm::Value*, Parts> local;
        llvm::DenseMap<std::pair<const llvm::Value*, unsigned>, llvm::Value*> vectors;
    };
    Known known() const { return {local_, vectors_}; }
    void restore(Known known) {
        local_ = std::move(known.local);
        vectors_ = std::move(known.vectors);
    }

  private:
    llvm::Type* slot_type(const llvm::Value& value, const Shape& shape) const;

    EmitState& state_;
    llvm::IRBuilder<>& builder_;
    const Shapes& shapes_;
    const Layout& layout_;
    llvm::DenseMap<const llvm::Value*, Parts> slots_;
    llvm::DenseMap<const llvm::Value*, Parts> local_;  // known in the block being written
    llvm::DenseMap<std::pair<const llvm::Value*, unsigned>, llvm::Value*> vectors_;  // the same
    llvm::DenseMap<const llvm::Value*, Parts> globals_;
    llvm::DenseMap<const llvm::Value*, llvm::SmallVector<Parts, 2>> structs_;
    std::optional<unsigned> piece_;
};

}  // namespace warpwise::cpu_compiler::gang
