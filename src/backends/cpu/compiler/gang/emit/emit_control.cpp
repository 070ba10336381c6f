// Masks and the ways between blocks. A dead lane's condition may be poison, so masks combine by
// select and never by `and`.
#include "src/backends/cpu/abi.hpp"
#include "src/backends/cpu/compiler/gang/emit/emitter.hpp"

namespace warpwise::cpu_compiler::gang {

using llvm::Value;

Parts Emitter::load_mask(unsigned index) {
    return load_arrivals(plan_[index].mask_owner);
}

Parts Emitter::load_arrivals(unsigned index) {
    Parts mask;
    for (Value* slot : mask_slots_[index]) {
        auto* memory = llvm::cast<llvm::AllocaInst>(slot);
        mask.push_back(builder_.CreateLoad(memory->getAllocatedType(), memory));
    }
    return mask;
}

Value* Emitter::any_of(Value* mask) {
    llvm::Type* word = builder_.getIntNTy(layout_.width);
    return builder_.CreateICmpNE(builder_.CreateBitCast(mask, word),
                                 llvm::ConstantInt::get(word, 0));
}

Value* Emitter::any(const Parts& mask) {
    Value* lanes = mask[0];
    for (unsigned piece = 1; piece < mask.size(); ++piece) {
        lanes = builder_.CreateOr(lanes, mask[piece]);
    }
    return any_of(lanes);
}

Value* Emitter::bits_of(const Parts& mask) {
    Value* bits = nullptr;
    for (unsigned piece = 0; piece < mask.size(); ++piece) {
        Value* word = builder_.CreateBitCast(mask[piece], builder_.getIntNTy(layout_.width));
        Value* wide = builder_.CreateZExt(word, builder_.getInt64Ty());
        wide = builder_.CreateShl(wide, piece * layout_.width);
        bits = bits ? builder_.CreateOr(bits, wide) : wide;
    }
    return bits;
}

Value* Emitter::count_of(const Parts& mask) {
    Value* count = nullptr;
    for (Value* piece : mask) {
        Value* word = builder_.CreateBitCast(piece, builder_.getIntNTy(layout_.width));
        Value* lanes = builder_.CreateZExt(
            builder_.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, word), builder_.getInt32Ty());
        count = count ? builder_.CreateAdd(count, lanes) : lanes;
    }
    return count;
}

std::optional<Parts> Emitter::lanes_elsewhere(unsigned index) {
    std::optional<Parts> lanes;
    for (unsigned other : plan_[index].pending.set_bits()) {
        if (!plan_[other].leads_to_meeting) continue;
        Parts waiting = load_arrivals(other);
        if (!lanes) {
            lanes = std::move(waiting);
            continue;
        }
        for (unsigned piece = 0; piece < waiting.size(); ++piece) {
            (*lanes)[piece] = builder_.CreateOr((*lanes)[piece], waiting[piece]);
        }
    }
    return lanes;
}

// So that a fault can tell which threads it may have been.
void Emitter::note_active_lanes() {
    if (!plan_[current_].notes_lanes) return;
    for (unsigned piece = 0; piece < layout_.pieces; ++piece) {
        Value* word = builder_.CreateBitCast(mask_[piece], builder_.getIntNTy(layout_.width));
        Value* place = builder_.CreateConstInBoundsGEP1_64(
            builder_.getInt8Ty(), thread(),
            offsetof(cpu::ThreadState, active) + std::size_t{piece} * layout_.width / 8);
        builder_.CreateStore(word, place);
    }
}

void Emitter::write_guard(unsigned index) {
    llvm::BasicBlock* body = new_block("some");
    llvm::BasicBlock* none = new_block("none");
    builder_.CreateCondBr(any(mask_), body, none);
    builder_.SetInsertPoint(none);
    write_jump(plan_.skip(index));
    builder_.SetInsertPoint(body);
}

void Emitter::write_jump(const Jump& jump) {
    llvm::BasicBlock* target = jump.target == kNoBlock ? returns_ : starts_[jump.target];
    if (!jump.is_tested) {
        builder_.CreateBr(target);
        return;
    }
    auto next = static_cast<unsigned>(jump.rest.find_first());
    builder_.CreateCondBr(any(load_mask(jump.target)), target, starts_[next]);
}

void Emitter::write_terminator(unsigned index) {
    llvm::Instruction* end = plan_[index].block->getTerminator();
    auto* branch = llvm::dyn_cast<llvm::BranchInst>(end);
    if (!branch) {  // a return, or a place that is not reached: its lanes have ended
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

void Emitter::write_divergent_branch(unsigned index, llvm::BranchInst& branch) {
    const unsigned yes = plan_.index_of(branch.getSuccessor(0));
    const unsigned no = plan_.index_of(branch.getSuccessor(1));
    Parts conditions, taken, others;
    for (unsigned piece = 0; piece < layout_.pieces; ++piece) {
        conditions.push_back(vector(branch.getCondition(), piece));
    }
    // The way out of a loop reads what the way back changes.
    const bool is_back = plan_[yes].is_header && plan_[yes].loop->contains(plan_[index].block);
    move_phis(index, is_back ? no : yes);
    move_phis(index, is_back ? yes : no);
    // Last, so that the new masks can take the registers of the old ones.
    for (unsigned piece = 0; piece < layout_.pieces; ++piece) {
        Value* none = llvm::Constant::getNullValue(conditions[piece]->getType());
        taken.push_back(builder_.CreateSelect(mask_[piece], conditions[piece], none));
        others.push_back(builder_.CreateXor(mask_[piece], taken.back()));
    }
    pass_masks(index, yes, taken);
    pass_masks(index, no, others);
    write_jump(plan_.jump(index, {yes, no}));
}

void Emitter::write_uniform_branch(unsigned index, llvm::BranchInst& branch) {
    Value* condition = scalar(branch.getCondition(), 0);
    llvm::BasicBlock* ways[] = {new_block("way"), new_block("way")};
    builder_.CreateCondBr(condition, ways[0], ways[1]);
    auto known = local_;
    auto vectors = vectors_;
    for (unsigned side = 0; side < 2; ++side) {
        builder_.SetInsertPoint(ways[side]);
        local_ = known;
        vectors_ = vectors;
        unsigned target = plan_.index_of(branch.getSuccessor(side));
        pass_edge(index, target, mask_);
        write_jump(plan_.jump(index, {target}));
    }
}

void Emitter::pass_edge(unsigned from, unsigned to, const Parts& lanes) {
    move_phis(from, to);
    pass_masks(from, to, lanes);
}

void Emitter::pass_masks(unsigned from, unsigned to, const Parts& lanes) {
    auto known = mask_slots_.find(to);
    if (known == mask_slots_.end()) return;
    const Parts& slots = known->second;
    bool joins = plan_.joins(from, to);
    for (unsigned piece = 0; piece < layout_.pieces; ++piece) {
        Value* mask = lanes[piece];
        if (joins) {
            mask = builder_.CreateOr(builder_.CreateLoad(mask->getType(), slots[piece]), mask);
        }
        builder_.CreateStore(mask, slots[piece]);
    }
}

void Emitter::move_phis(unsigned from, unsigned to) {
    bool joins = plan_.joins(from, to);
    struct Move {
        const llvm::PHINode* phi;
        Parts values;
    };
    llvm::SmallVector<Move, 8> moves;
    for (const llvm::PHINode& phi : plan_[to].block->phis()) {
        const Value* value = phi.getIncomingValueForBlock(plan_[from].block);
        if (llvm::isa<llvm::UndefValue>(value)) continue;
        moves.push_back({&phi, in_shape(value, shapes_.of(&phi))});
    }
    for (const Move& move : moves) {
        const Parts& slots = slots_[move.phi];
        bool blends = joins && !shapes_.of(move.phi).has_scalars();
        for (unsigned part = 0; part < move.values.size(); ++part) {
            Value* value = move.values[part];
            if (blends) {
                Value* before = builder_.CreateLoad(value->getType(), slots[part]);
                // Lanes that go another way now get theirs when they come, if they do: all lanes
                // of the block can be set, which often saves telling them apart.
                value = builder_.CreateSelect(mask_[part], value, before);
            }
            builder_.CreateStore(value, slots[part]);
        }
        // A later edge of the same block must not take the phi for unchanged.
        local_.erase(move.phi);
    }
}

}  // namespace warpwise::cpu_compiler::gang
