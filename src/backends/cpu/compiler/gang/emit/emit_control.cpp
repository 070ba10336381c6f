// Guards at the start of blocks, edges and jumps at their end.
#include "src/backends/cpu/compiler/gang/emit/control_emitter.hpp"

#include <llvm/IR/MDBuilder.h>

#include "src/backends/cpu/compiler/gang/target/costs.hpp"

namespace warpwise::cpu_compiler::gang {

using llvm::Value;

void ControlEmitter::write_guard(unsigned index) {
    llvm::BasicBlock* body = new_block("some");
    llvm::BasicBlock* none = new_block("none");
    llvm::MDBuilder metadata(builder_.getContext());
    builder_.CreateCondBr(
        masks_.any(mask_), body, none,
        plan_[index].is_unlikely ? metadata.createBranchWeights(1, costs::kUsually) : nullptr);
    builder_.SetInsertPoint(none);
    write_jump(plan_.skip(index));
    builder_.SetInsertPoint(body);
}

void ControlEmitter::write_jump(const Jump& jump) {
    llvm::BasicBlock* target =
        jump.target == kNoBlock ? state_.returns : state_.starts[jump.target];
    if (!jump.is_tested) {
        builder_.CreateBr(target);
        return;
    }
    auto next = static_cast<unsigned>(jump.rest.find_first());
    builder_.CreateCondBr(masks_.any(masks_.load(plan_[jump.target].mask_owner)), target,
                          state_.starts[next]);
}

void ControlEmitter::write_terminator(unsigned index) {
    llvm::Instruction* end = plan_[index].block->getTerminator();
    auto* branch = llvm::dyn_cast<llvm::BranchInst>(end);
    if (!branch) {  // a return, or a place that is not reached: its lanes have
                    // ended
        return write_jump(plan_.jump(index, {}));
    }
    bool is_plain = branch->isUnconditional() || branch->getSuccessor(0) == branch->getSuccessor(1);
    if (is_plain) {
        unsigned target = plan_.index_of(branch->getSuccessor(0));
        pass_edge(index, target, mask_);
        return write_jump(plan_.jump(index, {target}));
    }
    if (plan_[index].has_divergent_branch) return write_divergent_branch(index, *branch);
    write_uniform_branch(index, *branch);
}

void ControlEmitter::write_divergent_branch(unsigned index, llvm::BranchInst& branch) {
    const unsigned yes = plan_.index_of(branch.getSuccessor(0));
    const unsigned no = plan_.index_of(branch.getSuccessor(1));
    Parts conditions, taken, others;
    for (unsigned piece = 0; piece < layout_.pieces; ++piece) {
        conditions.push_back(values_.vector(branch.getCondition(), piece));
    }
    // The exit of a loop reads what its back edge changes.
    const bool is_back = plan_[yes].is_header && plan_[yes].loop->contains(plan_[index].block);
    move_phis(index, is_back ? no : yes);
    move_phis(index, is_back ? yes : no);
    // Last, so that the new masks can take the registers of the old ones.
    for (unsigned piece = 0; piece < layout_.pieces; ++piece) {
        Value* none = llvm::Constant::getNullValue(conditions[piece]->getType());
        const bool is_empty = mask_[piece] == none;
        taken.push_back(is_empty ? none
                                 : builder_.CreateSelect(mask_[piece], conditions[piece], none));
        others.push_back(builder_.CreateXor(mask_[piece], taken.back()));
    }
    pass_masks(index, yes, taken);
    pass_masks(index, no, others);
    write_jump(plan_.jump(index, {yes, no}));
}

void ControlEmitter::write_uniform_branch(unsigned index, llvm::BranchInst& branch) {
    Value* condition = values_.scalar(branch.getCondition(), 0);
    llvm::BasicBlock* sides[] = {new_block("side"), new_block("side")};
    builder_.CreateCondBr(condition, sides[0], sides[1],
                          branch.getMetadata(llvm::LLVMContext::MD_prof));
    const Values::Known known = values_.known();
    for (unsigned side = 0; side < 2; ++side) {
        builder_.SetInsertPoint(sides[side]);
        values_.restore(known);
        unsigned target = plan_.index_of(branch.getSuccessor(side));
        pass_edge(index, target, mask_);
        write_jump(plan_.jump(index, {target}));
    }
}

void ControlEmitter::pass_edge(unsigned from, unsigned to, const Parts& lanes) {
    move_phis(from, to);
    pass_masks(from, to, lanes);
}

void ControlEmitter::pass_masks(unsigned from, unsigned to, const Parts& lanes) {
    const Parts* found = masks_.slots_of(to);
    if (!found) return;
    masks_.note_edge(to, lanes);
    const Parts& slots = *found;
    bool joins = plan_.joins(from, to);
    for (unsigned piece = 0; piece < layout_.pieces; ++piece) {
        Value* mask = lanes[piece];
        if (joins) {
            mask = builder_.CreateOr(builder_.CreateLoad(mask->getType(), slots[piece]), mask);
        }
        builder_.CreateStore(mask, slots[piece]);
    }
}

void ControlEmitter::move_phis(unsigned from, unsigned to) {
    bool joins = plan_.joins(from, to);
    struct Move {
        const llvm::PHINode* phi;
        Parts values;
    };
    llvm::SmallVector<Move, 8> moves;
    for (llvm::PHINode& phi : plan_[to].block->phis()) {
        Value* value = phi.getIncomingValueForBlock(plan_[from].block);
        if (llvm::isa<llvm::UndefValue>(value)) continue;
        moves.push_back({&phi, values_.in_shape(value, shapes_.of(&phi))});
    }
    for (const Move& move : moves) {
        const Parts& slots = values_.slots_of(move.phi);
        bool blends = joins && !shapes_.of(move.phi).has_scalars();
        for (unsigned part = 0; part < move.values.size(); ++part) {
            Value* value = move.values[part];
            if (blends) {
                Value* before = builder_.CreateLoad(value->getType(), slots[part]);
                // Lanes that take the other branch get theirs when they arrive, if they do:
                // all lanes of the block can be set, which often saves reporting them
                // apart.
                value = builder_.CreateSelect(mask_[part], value, before);
            }
            builder_.CreateStore(value, slots[part]);
        }
        values_.forget(move.phi);
    }
}

}  // namespace warpwise::cpu_compiler::gang
