// Code that runs lane by lane: one rolled loop over the lanes of a mask, in
// ascending order. Operands are spilled to arrays before it, results come back
// through arrays after it.
//
//   LaneLoop loop(context, mask);
//   unsigned x = loop.add_operand(value);
//   unsigned y = loop.add_result(type);
//   loop.begin();
//   loop.set_result(y, ... loop.operand(x) ...);
//   loop.end();                      then loop.result(y)
//
// each() instead of begin() and end() writes the body several times: for all
// lanes of a full gang there is a second loop then, without bits to search,
// eight lanes an iteration.
#pragma once

#include "src/backends/cpu/compiler/gang/emit/state/instruction_emitter.hpp"

namespace warpwise::cpu_compiler::gang {

class LaneLoop : InstructionEmitter {
  public:
    LaneLoop(EmitContext& context, const Parts& mask);

    unsigned add_operand(llvm::Value* value);
    unsigned add_result(llvm::Type* type);
    // One for each element of a struct, none for void.
    llvm::SmallVector<unsigned, 2> add_results(llvm::Type* type);
    void begin();
    void each(llvm::function_ref<void()> body);
    llvm::Value* lane() const { return lane_; }  // i64, within the gang
    llvm::Value* operand(unsigned index);
    void set_result(unsigned index, llvm::Value* value);
    void set_results(llvm::ArrayRef<unsigned> indices, llvm::Value* value);
    void end();
    Parts result(unsigned index);
    // What lanes left in `results`, of a value or of each element of a struct.
    void define_results(const llvm::Instruction& instruction, llvm::ArrayRef<unsigned> results);

  private:
    struct Operand {
        llvm::Value* single = nullptr;      // the same for all lanes, or the base
        std::int64_t step = 0;              // from lane to lane
        llvm::Type* type = nullptr;         // of the value
        llvm::AllocaInst* array = nullptr;  // else its lanes
        // Or it is made again for each lane, of operands of its own: an address, of
        // a narrow index.
        llvm::Instruction* made = nullptr;
        llvm::SmallVector<std::pair<unsigned, unsigned>, 2> varying;  // operand number, index
    };

    bool add_made_again(llvm::Value* value, Operand& operand);

    llvm::AllocaInst* new_array(llvm::Type* type);
    llvm::Value* place(llvm::AllocaInst* array, llvm::Type* type, llvm::Value* lane);
    llvm::Type* stored(llvm::Type* type) const;

    const Parts lanes_;  // that run it
    std::vector<Operand> operands_;
    std::vector<Operand> results_;
    llvm::DenseMap<llvm::Type*, unsigned> used_;  // arrays taken from the function's stock
    llvm::Value* lane_ = nullptr;
    // The loop over 64-bit words of the mask, where a gang has several.
    llvm::Value* words_ = nullptr;
    llvm::PHINode* word_ = nullptr;
    llvm::BasicBlock* word_block_ = nullptr;
    llvm::PHINode* rest_ = nullptr;
    llvm::BasicBlock* loop_ = nullptr;
    llvm::BasicBlock* done_ = nullptr;
};

}  // namespace warpwise::cpu_compiler::gang
