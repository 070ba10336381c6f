// Sums of 32-bit integers that are computed in 64 bits (widths/wide_sums.hpp) are computed in
// lanes of 32, or in 64 in a block of their own, which all lanes take where an integer of one of
// them is too large: a mask for each would be kept in registers, of which there are seven. A
// register holds twice as many lanes of 32 bits, AVX2 has no minimum of 64 bits, and conversions
// to and from 64 bits are operations of their own.
#include "src/backends/cpu/compiler/gang/passes/passes.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "src/backends/cpu/compiler/gang/analysis/markers.hpp"
#include "src/backends/cpu/compiler/gang/target/costs.hpp"
#include "src/backends/cpu/compiler/gang/widths/wide_sums.hpp"

namespace warpwise::cpu_compiler::gang {
namespace {

using llvm::Instruction;
using llvm::Value;

class Narrowing {
  public:
    explicit Narrowing(const WideSums& sums)
        : sums_(sums), after_(sums.members().back()->getNextNode()), builder_(after_) {}

    void run();

  private:
    Value* narrow_operand(Value* value);
    Value* narrow_member(const Instruction& member);
    Value* is_wider();
    void replace_all();
    void split(Value* is_wider);
    void move_before(Instruction& end) const;

    const WideSums& sums_;
    Instruction* after_;  // the members; the narrow ones are inserted here
    llvm::IRBuilder<> builder_;
    llvm::DenseMap<const Value*, Value*> narrow_;
};

Value* Narrowing::narrow_operand(Value* value) {
    auto known = narrow_.find(value);
    if (known != narrow_.end()) return known->second;
    if (!value->getType()->isIntegerTy(64)) return value;
    llvm::Type* type = builder_.getInt32Ty();
    Value* made = is_extension(value)
                      ? builder_.CreateIntCast(llvm::cast<Instruction>(value)->getOperand(0), type,
                                               llvm::isa<llvm::SExtInst>(value))
                      : builder_.CreateTrunc(value, type);
    narrow_[value] = made;
    return made;
}

Value* Narrowing::narrow_member(const Instruction& member) {
    if (is_by_number(member)) {
        Value* by = builder_.CreateSExt(narrow_operand(member.getOperand(1)), member.getType());
        return builder_.CreateBinOp(static_cast<Instruction::BinaryOps>(member.getOpcode()),
                                    member.getOperand(0), by);
    }
    llvm::SmallVector<Value*, 3> operands;
    for (Value* operand : member.operands()) {
        if (!llvm::isa<llvm::Function>(operand)) operands.push_back(narrow_operand(operand));
    }
    switch (member.getOpcode()) {
        case Instruction::ICmp:
            return builder_.CreateICmp(llvm::cast<llvm::ICmpInst>(member).getPredicate(),
                                       operands[0], operands[1]);
        case Instruction::Trunc:
            return builder_.CreateTrunc(operands[0], member.getType());
        case Instruction::SIToFP:
            return builder_.CreateSIToFP(operands[0], member.getType());
        case Instruction::Select:
            return builder_.CreateSelect(operands[0], operands[1], operands[2]);
        case Instruction::Call: {
            const llvm::Intrinsic::ID id = llvm::cast<llvm::IntrinsicInst>(member).getIntrinsicID();
            const bool is_abs = id == llvm::Intrinsic::abs;
            return builder_.CreateBinaryIntrinsic(id, operands[0],
                                                  is_abs ? builder_.getFalse() : operands[1]);
        }
        default:
            return builder_.CreateBinOp(static_cast<Instruction::BinaryOps>(member.getOpcode()),
                                        operands[0], operands[1]);
    }
}

// Whether the narrow results are others in any lane: a guarded leaf has more bits. Null: none is
// guarded.
Value* Narrowing::is_wider() {
    const auto add = [&](Value*& all, Value* one) {
        all = all == nullptr ? one : builder_.CreateOr(all, one);
    };
    // Natural numbers that have all to be smaller than one power of two, so that their `or` is.
    Value *lanes = nullptr, *result = nullptr;
    for (const Value* leaf : sums_.guarded()) {
        auto* value = const_cast<Value*>(leaf);
        Value* given = is_extension(leaf) ? narrow_operand(value) : value;
        const unsigned width = given->getType()->getIntegerBitWidth();
        if (!llvm::isa<llvm::ZExtInst>(leaf)) {
            const llvm::APInt half = llvm::APInt::getOneBitSet(width, sums_.bits() - 1);
            given = builder_.CreateAdd(given, builder_.getInt(half));
        }
        if (!sums_.is_shared(leaf)) {
            add(lanes, given);
            continue;
        }
        const llvm::APInt limit = llvm::APInt::getOneBitSet(width, sums_.bits());
        add(result, builder_.CreateICmpUGE(given, builder_.getInt(limit)));
    }
    if (lanes != nullptr) {
        const unsigned width = lanes->getType()->getIntegerBitWidth();
        const llvm::APInt large = llvm::APInt::getBitsSetFrom(width, sums_.bits());
        add(result,
            call_marker(builder_, kAnyBits, builder_.getInt1Ty(), {lanes, builder_.getInt(large)}));
    }
    return result != nullptr ? builder_.CreateFreeze(result) : nullptr;
}

void Narrowing::replace_all() {
    for (Instruction* member : sums_.members()) {
        if (is_end(*member)) member->replaceAllUsesWith(narrow_[member]);
    }
    for (Instruction* member : llvm::reverse(sums_.members())) member->eraseFromParent();
}

// All members, each with the extensions that only they use, so that few of these are alive at once.
void Narrowing::move_before(Instruction& end) const {
    llvm::SmallPtrSet<const Instruction*, 8> moved;
    for (Instruction* member : sums_.members()) {
        for (Value* operand : member->operands()) {
            if (!is_extension(operand)) continue;
            auto* extension = llvm::cast<Instruction>(operand);
            const bool is_own = !sums_.is_used_outside(*extension);
            if (is_own && moved.insert(extension).second) extension->moveBefore(&end);
        }
        member->moveBefore(&end);
    }
}

void Narrowing::split(Value* is_wider) {
    llvm::BasicBlock* head = after_->getParent();
    Instruction* end = llvm::SplitBlockAndInsertIfThen(
        is_wider, after_, /*Unreachable=*/false,
        llvm::MDBuilder(after_->getContext()).createBranchWeights(1, costs::kUsually));
    builder_.SetInsertPoint(after_->getParent(), after_->getParent()->begin());
    for (Instruction* member : sums_.members()) {
        if (!is_end(*member) || !sums_.is_used_outside(*member)) continue;
        llvm::PHINode* joined = builder_.CreatePHI(member->getType(), 2);
        member->replaceUsesWithIf(joined,
                                  [&](const llvm::Use& use) { return !sums_.has(use.getUser()); });
        joined->addIncoming(narrow_[member], head);
        joined->addIncoming(member, end->getParent());
    }
    move_before(*end);
}

void Narrowing::run() {
    for (Instruction* member : sums_.members()) {
        builder_.SetCurrentDebugLocation(member->getDebugLoc());
        Value* narrow = narrow_member(*member);
        narrow_[member] = narrow;
    }
    Value* wider = is_wider();
    return wider != nullptr ? split(wider) : replace_all();
}

}  // namespace

PreservedAnalyses narrow_sums(llvm::Function& kernel, GangContext& context) {
    const Shapes& shapes = *context.analysis(kernel, context.layout).shapes;
    std::vector<WideSums> found;
    for (llvm::BasicBlock& block : kernel) {
        for (WideSums& sums : wide_sums_of(block, shapes)) {
            if (sums.pay()) found.push_back(std::move(sums));
        }
    }
    for (const WideSums& sums : found) Narrowing(sums).run();
    return found.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
}

}  // namespace warpwise::cpu_compiler::gang
