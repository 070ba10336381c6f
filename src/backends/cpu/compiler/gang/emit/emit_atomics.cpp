// Atomic updates run lane by lane, in ascending order. Where no instruction uses
// the results and the order cannot show, the lanes are combined first.
#include "src/backends/cpu/compiler/gang/emit/atomic_emitter.hpp"

#include "src/backends/cpu/compiler/gang/emit/lane_loop.hpp"

namespace warpwise::cpu_compiler::gang {

using llvm::AtomicRMWInst;
using llvm::Value;

namespace {

struct Combination {
    llvm::Intrinsic::ID reduction;
    llvm::Instruction::BinaryOps operation;  // for pieces; minima and maxima have an intrinsic
    llvm::Intrinsic::ID intrinsic;
    llvm::APInt identity;
};

std::optional<Combination> combination_of(const AtomicRMWInst& update) {
    using llvm::APInt;
    using namespace llvm::Intrinsic;
    if (!update.getType()->isIntegerTy()) return std::nullopt;
    unsigned bits = update.getType()->getIntegerBitWidth();
    switch (update.getOperation()) {
        case AtomicRMWInst::Add:
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

}  // namespace

bool AtomicEmitter::write_reduced(AtomicRMWInst& update) {
    std::optional<Combination> how = combination_of(update);
    bool is_wanted = !update.use_empty() || update.isVolatile();
    if (!how || is_wanted || !shapes_.of(update.getPointerOperand()).is_uniform()) return false;
    Value* all = nullptr;
    for (unsigned piece = 0; piece < layout_.pieces; ++piece) {
        Value* lanes = values_.vector(update.getValOperand(), piece);
        Value* rest = llvm::ConstantInt::get(lanes->getType(), how->identity);
        lanes = builder_.CreateSelect(mask_[piece], lanes, rest);
        if (!all) {
            all = lanes;
        } else if (how->intrinsic != llvm::Intrinsic::not_intrinsic) {
            all = builder_.CreateBinaryIntrinsic(how->intrinsic, all, lanes);
        } else {
            all = builder_.CreateBinOp(how->operation, all, lanes);
        }
    }
    Value* value = builder_.CreateUnaryIntrinsic(how->reduction, all);
    auto* copy = llvm::cast<AtomicRMWInst>(update.clone());
    copy->setOperand(0, values_.scalar(update.getPointerOperand(), 0));
    copy->setOperand(1, value);
    builder_.Insert(copy);
    return true;
}

void AtomicEmitter::write(llvm::Instruction& atomic) {
    auto* update = llvm::dyn_cast<AtomicRMWInst>(&atomic);
    if (update && write_reduced(*update)) return;
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
    loop.define_results(atomic, results);
}

}  // namespace warpwise::cpu_compiler::gang
