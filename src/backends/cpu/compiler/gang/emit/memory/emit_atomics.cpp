// Atomic updates run lane by lane, in ascending order. Those of one place are combined first: fewer
// locked operations, and fewer cores that wait for a counter's cache line.
#include "src/backends/cpu/compiler/gang/emit/memory/atomic_emitter.hpp"

#include "src/backends/cpu/compiler/gang/emit/state/lane_loop.hpp"
#include "src/backends/cpu/compiler/gang/target/costs.hpp"

namespace warpwise::cpu_compiler::gang {

using llvm::AtomicRMWInst;
using llvm::Value;

std::optional<AtomicEmitter::Combination> AtomicEmitter::combination_of(AtomicRMWInst& update) {
    using llvm::APInt;
    using namespace llvm::Intrinsic;
    if (!update.getType()->isIntegerTy()) return std::nullopt;
    unsigned bits = update.getType()->getIntegerBitWidth();
    switch (update.getOperation()) {
        case AtomicRMWInst::Add:
        case AtomicRMWInst::Sub:
            return Combination{vector_reduce_add, llvm::Instruction::Add, not_intrinsic,
                               APInt(bits, 0)};
        case AtomicRMWInst::Or:
            return Combination{vector_reduce_or, llvm::Instruction::Or, not_intrinsic,
                               APInt(bits, 0)};
        case AtomicRMWInst::Xor:
            return Combination{vector_reduce_xor, llvm::Instruction::Xor, not_intrinsic,
                               APInt(bits, 0)};
        case AtomicRMWInst::And:
            return Combination{vector_reduce_and, llvm::Instruction::And, not_intrinsic,
                               APInt::getAllOnes(bits)};
        case AtomicRMWInst::Min:
            return Combination{vector_reduce_smin, {}, smin, APInt::getSignedMaxValue(bits)};
        case AtomicRMWInst::Max:
            return Combination{vector_reduce_smax, {}, smax, APInt::getSignedMinValue(bits)};
        case AtomicRMWInst::UMin:
            return Combination{vector_reduce_umin, {}, umin, APInt::getMaxValue(bits)};
        case AtomicRMWInst::UMax:
            return Combination{vector_reduce_umax, {}, umax, APInt(bits, 0)};
        default:
            return std::nullopt;
    }
}

// One update with what all lanes bring, in ascending order: each lane's result is what memory held,
// combined with what the lanes below it bring.
Parts AtomicEmitter::write_combined(AtomicRMWInst& update, const Combination& how) {
    llvm::SmallVector<Value*, 16> lanes, before;
    Value* all = nullptr;
    for (unsigned piece = 0; piece < layout_.pieces; ++piece) {
        Value* own = values_.vector(update.getValOperand(), piece);
        Value* none = llvm::ConstantInt::get(own->getType(), how.identity);
        own = builder_.CreateSelect(mask_[piece], own, none);
        lanes.push_back(own);
        before.push_back(all);
        if (!update.use_empty()) own = builder_.CreateUnaryIntrinsic(how.reduction, own);
        all = all ? combine(how, all, own) : own;
    }
    if (update.use_empty()) all = builder_.CreateUnaryIntrinsic(how.reduction, all);
    auto* copy = llvm::cast<AtomicRMWInst>(update.clone());
    copy->setOperand(0, values_.scalar(update.getPointerOperand(), 0));
    copy->setOperand(1, all);
    builder_.Insert(copy);
    Parts results;
    if (update.use_empty()) return results;
    for (unsigned piece = 0; piece < layout_.pieces; ++piece) {
        Value* below =
            is_count(update, how) ? counts_below(update, piece) : combined_below(how, lanes[piece]);
        if (before[piece]) below = combine(how, values_.splat(before[piece]), below);
        Value* held = values_.splat(copy);
        results.push_back(update.getOperation() == AtomicRMWInst::Sub
                              ? builder_.CreateSub(held, below)
                              : combine(how, held, below));
    }
    return results;
}

Value* AtomicEmitter::combine(const Combination& how, Value* a, Value* b) {
    if (how.intrinsic == llvm::Intrinsic::not_intrinsic) {
        return builder_.CreateBinOp(how.operation, a, b);
    }
    return builder_.CreateBinaryIntrinsic(how.intrinsic, a, b);
}

bool AtomicEmitter::is_count(AtomicRMWInst& update, const Combination& how) const {
    return how.operation == llvm::Instruction::Add &&
           shapes_.of(update.getValOperand()).is_uniform();
}

// The operand, the same for all lanes, times the living lanes below each one.
Value* AtomicEmitter::counts_below(AtomicRMWInst& update, unsigned piece) {
    Value* step = values_.splat(values_.scalar(update.getValOperand(), 0));
    llvm::FixedVectorType* bytes = vector_of(builder_.getInt8Ty());
    Value* living = builder_.CreateZExt(mask_[piece], bytes);
    Combination add{{}, llvm::Instruction::Add, llvm::Intrinsic::not_intrinsic, llvm::APInt(8, 0)};
    Value* count = builder_.CreateZExtOrTrunc(combined_below(add, living), step->getType());
    return builder_.CreateMul(count, step);
}

// Of the lanes below each one, the least having the identity.
Value* AtomicEmitter::combined_below(const Combination& how, Value* lanes) {
    Value* none = llvm::ConstantInt::get(lanes->getType(), how.identity);
    auto moved_up = [&](Value* value, unsigned distance) {
        llvm::SmallVector<int, 16> sources;
        for (unsigned lane = 0; lane < layout_.width; ++lane) {
            bool is_inside = lane >= distance;
            sources.push_back(static_cast<int>(is_inside ? layout_.width + lane - distance : lane));
        }
        return builder_.CreateShuffleVector(none, value, sources);
    };
    Value* below = moved_up(lanes, 1);
    for (unsigned distance = 1; distance < layout_.width; distance *= 2) {
        below = combine(how, below, moved_up(below, distance));
    }
    return below;
}

// Sums of floats keep their order: the lanes are added to what memory holds, one after the other,
// and one compare-and-swap stores the sum.
bool AtomicEmitter::write_float_sum(AtomicRMWInst& update) {
    llvm::Type* type = update.getType();
    Value* place = update.getPointerOperand();
    bool is_sum = update.getOperation() == AtomicRMWInst::FAdd ||
                  update.getOperation() == AtomicRMWInst::FSub;
    bool is_fit = is_sum && (type->isFloatTy() || type->isDoubleTy()) && update.use_empty() &&
                  !update.isVolatile() && shapes_.of(place).is_uniform();
    if (!is_fit) return false;
    Value* at = values_.scalar(place, 0);
    LaneLoop loop(context_, mask_);
    unsigned operand = loop.add_operand(update.getValOperand());
    llvm::AllocaInst* sum = state_.new_slot(type, "sum");
    auto add_lanes = [&](Value* held) {
        builder_.CreateStore(held, sum);
        loop.each([&] {
            Value* before = builder_.CreateLoad(type, sum);
            Value* lane = loop.operand(operand);
            bool is_plus = update.getOperation() == AtomicRMWInst::FAdd;
            builder_.CreateStore(
                is_plus ? builder_.CreateFAdd(before, lane) : builder_.CreateFSub(before, lane),
                sum);
        });
        return builder_.CreateLoad(type, sum);
    };
    if (update.getSyncScopeID() == llvm::SyncScope::SingleThread) {
        Value* held = builder_.CreateAlignedLoad(type, at, update.getAlign());
        builder_.CreateAlignedStore(add_lanes(held), at, update.getAlign());
        return true;
    }
    llvm::Type* word = builder_.getIntNTy(type->getScalarSizeInBits());
    llvm::LoadInst* first = builder_.CreateAlignedLoad(word, at, update.getAlign());
    first->setAtomic(llvm::AtomicOrdering::Monotonic, update.getSyncScopeID());
    llvm::BasicBlock* before = builder_.GetInsertBlock();
    llvm::BasicBlock* attempt = new_block("sum");
    llvm::BasicBlock* done = new_block("sum.done");
    builder_.CreateBr(attempt);
    builder_.SetInsertPoint(attempt);
    llvm::PHINode* held = builder_.CreatePHI(word, 2);
    held->addIncoming(first, before);
    Value* total = add_lanes(builder_.CreateBitCast(held, type));
    llvm::AtomicOrdering order = update.getOrdering();
    llvm::AtomicCmpXchgInst* swap = builder_.CreateAtomicCmpXchg(
        at, held, builder_.CreateBitCast(total, word), update.getAlign(), order,
        llvm::AtomicCmpXchgInst::getStrongestFailureOrdering(order), update.getSyncScopeID());
    held->addIncoming(builder_.CreateExtractValue(swap, 0), builder_.GetInsertBlock());
    builder_.CreateCondBr(builder_.CreateExtractValue(swap, 1), done, attempt);
    builder_.SetInsertPoint(done);
    return true;
}

void AtomicEmitter::write(llvm::Instruction& atomic) {
    auto* update = llvm::dyn_cast<AtomicRMWInst>(&atomic);
    if (update && write_float_sum(*update)) return;
    std::optional<Combination> how;
    if (update && !update->isVolatile() && shapes_.of(update->getPointerOperand()).is_uniform()) {
        how = combination_of(*update);
    }
    Parts results;
    if (!how) {
        results = write_by_lanes(atomic);
    } else if (update->use_empty() || layout_.pieces < costs::kPiecesOfLoneUpdate) {
        results = write_combined(*update, *how);
    } else {
        // One thread of a block often updates for all.
        Value* living = builder_.CreateICmpUGT(masks_.count_of(mask_), builder_.getInt32(1));
        const Values::Known known = values_.known();
        results = masks_.either(
            living, [&] { return write_combined(*update, *how); },
            [&] {
                values_.restore(known);
                return write_by_lanes(atomic);
            });
        values_.restore(known);
    }
    if (!results.empty()) values_.define(atomic, std::move(results));
}

// Nothing where nobody wants the results, or where they are a struct, which is defined.
Parts AtomicEmitter::write_by_lanes(llvm::Instruction& atomic) {
    LaneLoop loop(context_, mask_);
    llvm::SmallVector<unsigned, 3> operands;
    for (Value* operand : atomic.operands()) operands.push_back(loop.add_operand(operand));
    llvm::SmallVector<unsigned, 2> results;
    if (!atomic.use_empty()) results = loop.add_results(atomic.getType());
    loop.each([&] {
        llvm::Instruction* copy = atomic.clone();
        for (unsigned i = 0; i < operands.size(); ++i) {
            copy->setOperand(i, loop.operand(operands[i]));
        }
        builder_.Insert(copy);
        loop.set_results(results, copy);
    });
    if (results.size() == 1) return loop.result(results[0]);
    loop.define_results(atomic, results);
    return {};
}

}  // namespace warpwise::cpu_compiler::gang
