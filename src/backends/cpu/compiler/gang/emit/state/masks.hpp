// Which lanes run where. A dead lane's condition may be poison, so masks
// combine by select and never by `and`.
#pragma once

#include "src/backends/cpu/compiler/gang/emit/state/values.hpp"

namespace warpwise::cpu_compiler::gang {

class Masks {
  public:
    Masks(EmitState& state, Values& values);

    // Slots for the masks of blocks, the first one's filled.
    void make_slots();
    // Of a block, as the lanes that have arrived so far.
    Parts load(unsigned index);
    // Lanes that take an edge to a block. Numbers are remembered where it is the only edge there.
    void note_edge(unsigned to, const Parts& lanes);
    // Of a block that only runs with lanes: `mask`, numbers where they are known.
    Parts with_numbers(unsigned index, Parts mask) const;
    // Null for a block without a mask of its own.
    const Parts* slots_of(unsigned index) const;
    // What an earlier iteration left in the masks of its blocks is over.
    void clear_loop(unsigned header);

    llvm::Value* any(const Parts& mask);
    llvm::Value* any_of(llvm::Value* mask);
    llvm::Value* is_full(llvm::Value* mask);
    // Whether no lane is missing, known while the code is written.
    static bool is_known_full(const llvm::Value* mask);
    // Mask pieces as one number; up to 64 lanes.
    llvm::Value* bits_of(const Parts& mask);
    llvm::Value* count_of(const Parts& mask);
    // Lanes whose predicate is not 0.
    llvm::Value* count_votes(llvm::Value* predicate);
    Parts votes(llvm::Value* predicate);
    // The mask a single vector for all pieces is computed under.
    llvm::Value* mask_for(const Shape& shape, unsigned piece);
    // Of an operand that is taken once for all lanes.
    llvm::Value* first_active(llvm::Value* value);
    // Lanes that wait for another block and may yet reach a barrier or warp
    // operation.
    std::optional<Parts> lanes_elsewhere();
    // So that a fault can report which threads it may have been.
    void note_active_lanes();

    // --- of one warp of the gang
    llvm::Value* bits_of_warp(const Parts& lanes, unsigned warp);
    llvm::Value* active_bits(unsigned warp);
    llvm::Value* elsewhere_bits(unsigned warp);

    // Two alternatives behind a test of `mask`, or just the first where no lane
    // is missing. What they return is joined; both must return equally many.
    Parts all_or_some(llvm::Value* mask, llvm::function_ref<Parts()> all,
                      llvm::function_ref<Parts()> some);
    // The same behind a bit. What one of them asks of Values for the first time would be taken for
    // known behind both: see Values::known().
    Parts either(llvm::Value* condition, llvm::function_ref<Parts()> first,
                 llvm::function_ref<Parts()> second);

  private:
    EmitState& state_;
    Values& values_;
    llvm::IRBuilder<>& builder_;
    const Layout& layout_;
    const Plan& plan_;
    const Parts& mask_;
    // Of blocks with a mask of their own; where lanes may wait for each other, of
    // all.
    llvm::DenseMap<unsigned, Parts> slots_;
    llvm::DenseMap<unsigned, Parts> numbers_;
};

}  // namespace warpwise::cpu_compiler::gang
