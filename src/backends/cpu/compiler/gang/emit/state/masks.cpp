// Masks in their slots, and what is counted and asked of them.
#include "src/backends/cpu/compiler/gang/emit/state/masks.hpp"

#include "src/backends/cpu/abi.hpp"

namespace warpwise::cpu_compiler::gang {

using llvm::Value;

Masks::Masks(EmitState& state, Values& values)
    : state_(state),
      values_(values),
      builder_(state.builder),
      layout_(state.layout),
      plan_(state.plan),
      mask_(state.mask) {}

void Masks::make_slots() {
    llvm::Type* mask = state_.vector_of(builder_.getInt1Ty());
    numbers_[0] = state_.entry_mask;
    for (unsigned index = 0; index < plan_.blocks().size(); ++index) {
        if (plan_[index].mask_owner != index && !plan_[0].leads_to_convergent) continue;
        for (unsigned piece = 0; piece < layout_.pieces; ++piece) {
            llvm::AllocaInst* slot = state_.new_slot(mask, "mask");
            slots_[index].push_back(slot);
            Value* lanes =
                index == 0 ? state_.entry_mask[piece] : llvm::Constant::getNullValue(mask);
            state_.entry_builder.CreateStore(lanes, slot);
        }
    }
}

void Masks::note_edge(unsigned to, const Parts& lanes) {
    if (plan_[to].block->getSinglePredecessor() != nullptr) numbers_[to] = lanes;
}

// The slots of its owner hold nothing or the numbers, and with lanes they hold the numbers.
Parts Masks::with_numbers(unsigned index, Parts mask) const {
    const PlannedBlock& planned = plan_[index];
    const auto known = numbers_.find(planned.mask_owner);
    if (known == numbers_.end()) return mask;
    const bool may_be_empty = planned.may_lack_lanes && !planned.is_guarded;
    for (unsigned piece = 0; piece < layout_.pieces; ++piece) {
        auto* number = llvm::dyn_cast<llvm::Constant>(known->second[piece]);
        if (number == nullptr || (may_be_empty && !number->isNullValue())) continue;
        mask[piece] = number;
    }
    return mask;
}

const Parts* Masks::slots_of(unsigned index) const {
    auto known = slots_.find(index);
    return known == slots_.end() ? nullptr : &known->second;
}

void Masks::clear_loop(unsigned header) {
    const llvm::Loop* loop = plan_[header].loop;
    for (const llvm::BasicBlock* block : loop->blocks()) {
        unsigned index = plan_.index_of(block);
        auto slots = slots_.find(index);
        if (index == header || slots == slots_.end()) continue;
        for (Value* slot : slots->second) {
            builder_.CreateStore(llvm::Constant::getNullValue(
                                     llvm::cast<llvm::AllocaInst>(slot)->getAllocatedType()),
                                 slot);
        }
    }
}

Parts Masks::load(unsigned index) {
    Parts mask;
    for (Value* slot : slots_[index]) {
        auto* memory = llvm::cast<llvm::AllocaInst>(slot);
        mask.push_back(builder_.CreateLoad(memory->getAllocatedType(), memory));
    }
    return mask;
}

Value* Masks::any_of(Value* mask) {
    llvm::Type* word = builder_.getIntNTy(layout_.width);
    return builder_.CreateICmpNE(builder_.CreateBitCast(mask, word),
                                 llvm::ConstantInt::get(word, 0));
}

Value* Masks::any(const Parts& mask) {
    Value* lanes = mask[0];
    for (unsigned piece = 1; piece < mask.size(); ++piece) {
        lanes = builder_.CreateOr(lanes, mask[piece]);
    }
    return any_of(lanes);
}

Value* Masks::bits_of(const Parts& mask) {
    Value* bits = nullptr;
    for (unsigned piece = 0; piece < mask.size(); ++piece) {
        Value* word = builder_.CreateBitCast(mask[piece], builder_.getIntNTy(layout_.width));
        Value* wide = builder_.CreateZExt(word, builder_.getInt64Ty());
        wide = builder_.CreateShl(wide, piece * layout_.width);
        bits = bits ? builder_.CreateOr(bits, wide) : wide;
    }
    return bits;
}

Value* Masks::count_of(const Parts& mask) {
    Value* count = nullptr;
    for (Value* piece : mask) {
        Value* word = builder_.CreateBitCast(piece, builder_.getIntNTy(layout_.width));
        Value* lanes = builder_.CreateZExtOrTrunc(
            builder_.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, word), builder_.getInt32Ty());
        count = count ? builder_.CreateAdd(count, lanes) : lanes;
    }
    return count;
}

bool Masks::is_known_full(const Value* mask) {
    auto* known = llvm::dyn_cast<llvm::Constant>(mask);
    return known != nullptr && known->isAllOnesValue();
}

Value* Masks::is_full(Value* mask) {
    llvm::Type* word = builder_.getIntNTy(layout_.width);
    return builder_.CreateICmpEQ(builder_.CreateBitCast(mask, word),
                                 llvm::ConstantInt::getAllOnesValue(word));
}

Parts Masks::votes(Value* predicate) {
    Parts votes;
    for (unsigned piece = 0; piece < layout_.pieces; ++piece) {
        Value* lanes = values_.vector(predicate, piece);
        Value* is_true =
            builder_.CreateICmpNE(lanes, llvm::Constant::getNullValue(lanes->getType()));
        votes.push_back(builder_.CreateSelect(mask_[piece], is_true,
                                              llvm::Constant::getNullValue(is_true->getType())));
    }
    return votes;
}

Value* Masks::count_votes(Value* predicate) {
    return count_of(votes(predicate));
}

Value* Masks::mask_for(const Shape& shape, unsigned piece) {
    if (!shape.is_single() || layout_.pieces == 1) return mask_[piece];
    Value* mask = mask_[0];
    for (unsigned other = 1; other < layout_.pieces; ++other) {
        mask = builder_.CreateOr(mask, mask_[other]);
    }
    return mask;
}

Value* Masks::first_active(Value* value) {
    if (state_.shapes.of(value).is_uniform()) return values_.scalar(value, 0);
    Value* result = nullptr;
    for (unsigned piece = layout_.pieces; piece-- > 0;) {
        llvm::Type* type = builder_.getIntNTy(layout_.width);
        Value* bits = builder_.CreateBitCast(mask_[piece], type);
        Value* lane =
            builder_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, bits, builder_.getFalse());
        lane = builder_.CreateAnd(lane, llvm::ConstantInt::get(type, layout_.width - 1));
        Value* element = builder_.CreateExtractElement(values_.vector(value, piece), lane);
        result = result ? builder_.CreateSelect(any_of(mask_[piece]), element, result) : element;
    }
    return result;
}

std::optional<Parts> Masks::lanes_elsewhere() {
    std::optional<Parts> lanes;
    for (unsigned other : plan_[state_.current].pending.set_bits()) {
        if (!plan_[other].leads_to_convergent) continue;
        Parts waiting = load(other);
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

void Masks::note_active_lanes() {
    if (!plan_[state_.current].notes_lanes) return;
    for (unsigned piece = 0; piece < layout_.pieces; ++piece) {
        Value* word = builder_.CreateBitCast(mask_[piece], builder_.getIntNTy(layout_.width));
        Value* place = builder_.CreateConstInBoundsGEP1_64(
            builder_.getInt8Ty(), state_.thread(),
            offsetof(cpu::ThreadState, active) + std::size_t{piece} * layout_.width / 8);
        builder_.CreateStore(word, place);
    }
}

Value* Masks::bits_of_warp(const Parts& lanes, unsigned warp) {
    auto first = lanes.begin() + warp * layout_.pieces_of_warp();
    Parts own(first, first + layout_.pieces_of_warp());
    return builder_.CreateTrunc(bits_of(own), builder_.getInt32Ty());
}

Value* Masks::active_bits(unsigned warp) {
    return bits_of_warp(mask_, warp);
}

Value* Masks::elsewhere_bits(unsigned warp) {
    std::optional<Parts> lanes = lanes_elsewhere();
    if (!lanes) return builder_.getInt32(0);
    return bits_of_warp(*lanes, warp);
}

Parts Masks::all_or_some(Value* mask, llvm::function_ref<Parts()> all,
                         llvm::function_ref<Parts()> some) {
    if (is_known_full(mask)) return all();
    if (llvm::isa<llvm::Constant>(mask)) return some();
    return either(is_full(mask), all, some);
}

Parts Masks::either(Value* condition, llvm::function_ref<Parts()> write_first,
                    llvm::function_ref<Parts()> write_second) {
    llvm::BasicBlock* yes = state_.new_block("lanes.all");
    llvm::BasicBlock* no = state_.new_block("lanes.some");
    llvm::BasicBlock* done = state_.new_block("lanes.done");
    builder_.CreateCondBr(condition, yes, no);
    builder_.SetInsertPoint(yes);
    const Parts first = write_first();
    yes = builder_.GetInsertBlock();
    builder_.CreateBr(done);
    builder_.SetInsertPoint(no);
    const Parts second = write_second();
    no = builder_.GetInsertBlock();
    builder_.CreateBr(done);
    builder_.SetInsertPoint(done);
    Parts result;
    for (std::size_t i = 0; i < first.size(); ++i) {
        llvm::PHINode* joined = builder_.CreatePHI(first[i]->getType(), 2);
        joined->addIncoming(first[i], yes);
        joined->addIncoming(second[i], no);
        result.push_back(joined);
    }
    return result;
}

}  // namespace warpwise::cpu_compiler::gang
