// What masks and masked accesses become on processors without mask registers.
//
// The emitter writes masks as <W x i1>, which such a processor would pack into bytes after every
// comparison and unpack for every use. Here they become what its comparisons give and its blends
// take: integers as wide as a lane, all bits set or none. Masked accesses that the processor lacks
// test for a full mask first, and go lane by lane where lanes are missing; of stores where more
// than two are alive all lanes store, to their own places or to none. Loads are whole vectors there
// too, unless a lane lies in another page than the others: what may be read of a page is all or
// nothing. Masked stores that it has are behind the same test: they are 42 operations on Zen 4, and
// nothing that they store is forwarded to a load.
//
// Masks first as they are, then a wide twin of each; what still needs bits compares the twin with
// 0.
#include "src/backends/cpu/compiler/gang/passes/passes.hpp"
#include "src/backends/cpu/compiler/gang/target/costs.hpp"

#include <llvm/ADT/DenseMap.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Local.h>

namespace warpwise::cpu_compiler::gang {
namespace {

using llvm::Instruction;
using llvm::Value;

bool is_mask(const llvm::Type* type) {
    auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
    return vector && vector->getElementType()->isIntegerTy(1);
}

// Gangs have more lanes than usual where most of their values are bytes.
bool has_few_lanes(const Value& mask) {
    return llvm::cast<llvm::FixedVectorType>(mask.getType())->getNumElements() <= Layout().width;
}

bool is_poison(const Value* value) {
    return llvm::isa<llvm::UndefValue>(value);
}

// What is made of masks alone. Comparisons stay: they feed blends of their own block as they are.
bool is_made_of_masks(const Instruction& instruction) {
    switch (instruction.getOpcode()) {
        case Instruction::PHI:
        case Instruction::And:
        case Instruction::Or:
        case Instruction::Xor:
        case Instruction::Select:
        case Instruction::Freeze:
            return is_mask(instruction.getType());
        case Instruction::ShuffleVector:
            return is_mask(instruction.getType()) && has_few_lanes(instruction) &&
                   has_few_lanes(*instruction.getOperand(0));
        default:
            return false;
    }
}

class MaskWidening {
  public:
    explicit MaskWidening(llvm::Function& gang) : gang_(gang) {}

    void run() {
        for (Instruction& instruction : llvm::instructions(gang_)) {
            if (is_made_of_masks(instruction)) masks_.push_back(&instruction);
        }
        for (Instruction* mask : masks_) wide(mask);
        complete_phis();
        for (Instruction* mask : masks_) replace_uses(*mask);
        for (Instruction* mask : masks_) {
            mask->replaceAllUsesWith(llvm::PoisonValue::get(mask->getType()));
        }
        for (Instruction* mask : masks_) mask->eraseFromParent();
    }

  private:
    llvm::Type* wide_type(const Value* mask) const {
        const unsigned lanes = llvm::cast<llvm::FixedVectorType>(mask->getType())->getNumElements();
        return llvm::FixedVectorType::get(
            llvm::Type::getIntNTy(gang_.getContext(), has_few_lanes(*mask) ? 32 : 8), lanes);
    }

    // The twin of `mask`, made where the mask is.
    Value* wide(Value* mask) {
        if (Value* known = twins_.lookup(mask)) return known;
        if (auto* constant = llvm::dyn_cast<llvm::Constant>(mask)) {
            llvm::IRBuilder<> builder(gang_.getContext());
            return builder.CreateSExt(constant, wide_type(mask));
        }
        auto* instruction = llvm::cast<Instruction>(mask);
        llvm::IRBuilder<> builder(gang_.getContext());
        Value* twin = nullptr;
        if (is_made_of_masks(*instruction)) {
            builder.SetInsertPoint(instruction);
            twin = combine(builder, *instruction);
        } else {
            builder.SetInsertPoint(*instruction->getInsertionPointAfterDef());
            twin = builder.CreateSExt(mask, wide_type(mask));
        }
        twins_[mask] = twin;
        return twin;
    }

    Value* combine(llvm::IRBuilder<>& builder, Instruction& mask) {
        if (llvm::isa<llvm::PHINode>(mask)) {  // its operands may lead back here
            auto* twin = builder.CreatePHI(wide_type(&mask), 2);
            phis_.emplace_back(llvm::cast<llvm::PHINode>(&mask), twin);
            return twin;
        }
        if (auto* choice = llvm::dyn_cast<llvm::SelectInst>(&mask)) {
            return combine_choice(builder, *choice);
        }
        Value* first = wide(mask.getOperand(0));
        if (llvm::isa<llvm::FreezeInst>(mask)) return builder.CreateFreeze(first);
        if (auto* shuffle = llvm::dyn_cast<llvm::ShuffleVectorInst>(&mask)) {
            return builder.CreateShuffleVector(first, wide(mask.getOperand(1)),
                                               shuffle->getShuffleMask());
        }
        auto* operation = llvm::cast<llvm::BinaryOperator>(&mask);
        return builder.CreateBinOp(operation->getOpcode(), first, wide(mask.getOperand(1)));
    }

    Value* combine_choice(llvm::IRBuilder<>& builder, llvm::SelectInst& choice) {
        Value* yes = wide(choice.getTrueValue());
        Value* no = wide(choice.getFalseValue());
        if (!is_mask(choice.getCondition()->getType())) {
            return builder.CreateSelect(choice.getCondition(), yes, no);
        }
        // The lanes that are not chosen may be poison, which a bitwise operation would pass on.
        Value* condition = wide(choice.getCondition());
        Value* chosen = builder.CreateAnd(condition, builder.CreateFreeze(yes));
        if (llvm::PatternMatch::match(no, llvm::PatternMatch::m_Zero())) return chosen;
        Value* others = builder.CreateAnd(builder.CreateNot(condition), builder.CreateFreeze(no));
        return builder.CreateOr(chosen, others);
    }

    void complete_phis() {
        for (unsigned i = 0; i < phis_.size(); ++i) {  // grows meanwhile
            auto [mask, twin] = phis_[i];
            for (unsigned edge = 0; edge < mask->getNumIncomingValues(); ++edge) {
                twin->addIncoming(wide(mask->getIncomingValue(edge)), mask->getIncomingBlock(edge));
            }
        }
    }

    // Whether any lane is set, asked of the mask as a number: the twin as one number will do. It is
    // made where it is asked for: code generation joins the two in one block only.
    static bool replace_tests(Instruction& number, Value* twin) {
        bool are_tests =
            llvm::isa<llvm::BitCastInst>(number) && !number.use_empty() &&
            llvm::all_of(number.users(), [](const llvm::User* user) {
                auto* test = llvm::dyn_cast<llvm::ICmpInst>(user);
                return test && test->isEquality() &&
                       llvm::PatternMatch::match(test->getOperand(1), llvm::PatternMatch::m_Zero());
            });
        if (!are_tests) return false;
        for (llvm::User* user : llvm::make_early_inc_range(number.users())) {
            llvm::IRBuilder<> builder(llvm::cast<Instruction>(user));
            Value* any = builder.CreateOrReduce(twin);
            user->setOperand(1, llvm::Constant::getNullValue(any->getType()));
            user->setOperand(0, any);
        }
        return true;
    }

    void replace_uses(Instruction& mask) {
        for (llvm::Use& use : llvm::make_early_inc_range(mask.uses())) {
            auto* user = llvm::cast<Instruction>(use.getUser());
            if (is_made_of_masks(*user)) continue;  // goes away
            Instruction* place = user;
            if (auto* phi = llvm::dyn_cast<llvm::PHINode>(user)) {
                place = phi->getIncomingBlock(use)->getTerminator();
            }
            Value* twin = twins_.lookup(&mask);
            if (replace_tests(*user, twin)) continue;  // the number has no user any more
            llvm::IRBuilder<> builder(place);
            use.set(builder.CreateICmpSLT(twin, llvm::Constant::getNullValue(twin->getType())));
        }
    }

    llvm::Function& gang_;
    std::vector<Instruction*> masks_;
    std::vector<std::pair<llvm::PHINode*, llvm::PHINode*>> phis_;
    llvm::DenseMap<Value*, Value*> twins_;
};

// A masked load or store taken apart.
struct Access {
    llvm::IntrinsicInst& call;
    bool is_load;
    bool is_missing;  // or slow
    llvm::FixedVectorType* type;
    Value* address;
    llvm::Align alignment;
    Value* mask;
    Value* value;  // to store; of a load, what lanes get that are not loaded
};

Access take_apart(llvm::IntrinsicInst& call, bool is_missing) {
    bool is_load = call.getIntrinsicID() == llvm::Intrinsic::masked_load;
    unsigned first = is_load ? 0 : 1;
    Value* value = call.getArgOperand(is_load ? 3 : 0);
    auto alignment = llvm::cast<llvm::ConstantInt>(call.getArgOperand(first + 1));
    return {call,
            is_load,
            is_missing,
            llvm::cast<llvm::FixedVectorType>(value->getType()),
            call.getArgOperand(first),
            alignment->getAlignValue(),
            call.getArgOperand(first + 2),
            value};
}

class Expansion {
  public:
    Expansion(llvm::Function& gang, std::uint64_t page_bytes)
        : gang_(gang), page_bytes_(page_bytes), builder_(gang.getContext()) {}

    void expand(const Access& access) {
        llvm::BasicBlock* before = access.call.getParent();
        llvm::BasicBlock* after = llvm::SplitBlock(before, &access.call);
        llvm::BasicBlock* full = new_block("full");
        llvm::BasicBlock* part = new_block("part");
        before->getTerminator()->eraseFromParent();
        builder_.SetInsertPoint(before);
        llvm::Type* word = builder_.getIntNTy(access.type->getNumElements());
        Value* bits = builder_.CreateBitCast(access.mask, word);
        // Of lanes that are missing, as whether there are any is one instruction.
        Value* others = builder_.CreateBitCast(builder_.CreateNot(access.mask), word);
        Value* all = builder_.CreateICmpEQ(others, llvm::Constant::getNullValue(word));
        if (may_read_between(access)) {
            llvm::BasicBlock* some = new_block("some");
            builder_.CreateCondBr(all, full, some);
            builder_.SetInsertPoint(some);
            Value* has_any = builder_.CreateICmpNE(bits, llvm::Constant::getNullValue(word));
            builder_.CreateCondBr(builder_.CreateAnd(is_in_one_page(access), has_any), full, part);
        } else {
            builder_.CreateCondBr(all, full, part);
        }
        builder_.SetInsertPoint(full);
        Value* loaded = whole(access);
        builder_.CreateBr(after);
        builder_.SetInsertPoint(part);
        if (!access.is_missing) {
            access.call.moveBefore(*part, part->end());
            builder_.CreateBr(after);
            return;
        }
        if (!access.is_load && access.type->getNumElements() <= costs::kMostChosenPlaces) {
            llvm::BasicBlock *many = new_block("many"), *few = new_block("few");
            builder_.CreateCondBr(are_more_than_two(bits), many, few);
            builder_.SetInsertPoint(many);
            store_chosen(access, bits);
            builder_.CreateBr(after);
            builder_.SetInsertPoint(few);
        }
        Value* pieced = lane_by_lane(access, bits, after);
        if (access.is_load) {
            builder_.SetInsertPoint(&access.call);
            llvm::PHINode* value = builder_.CreatePHI(access.type, 2);
            value->addIncoming(loaded, full);
            value->addIncoming(pieced, llvm::cast<Instruction>(pieced)->getParent());
            access.call.replaceAllUsesWith(value);
        }
        access.call.eraseFromParent();
    }

  private:
    llvm::BasicBlock* new_block(const llvm::Twine& name) {
        return llvm::BasicBlock::Create(gang_.getContext(), name, &gang_);
    }

    // What dead lanes would. Of an object that LLVM knows, what lies behind its end does not exist.
    // Loops over 16-bit numbers hardly ever lack lanes: layer norm in half takes 1.06 times as long
    // with the other tests in its code.
    static bool may_read_between(const Access& access) {
        return access.is_load && access.type->getElementType()->isIntegerTy(8) &&
               !llvm::isa<llvm::AllocaInst, llvm::GlobalVariable>(
                   llvm::getUnderlyingObject(access.address, /*MaxLookup=*/0));
    }

    Value* is_in_one_page(const Access& access) {
        const std::uint64_t bytes =
            gang_.getDataLayout().getTypeStoreSize(access.type).getFixedValue();
        Value* number = builder_.CreatePtrToInt(access.address, builder_.getInt64Ty());
        Value* place = builder_.CreateAnd(number, page_bytes_ - 1);
        return builder_.CreateICmpULE(place, builder_.getInt64(page_bytes_ - bytes));
    }

    Value* whole(const Access& access) {
        if (access.is_load) {
            Value* lanes =
                builder_.CreateAlignedLoad(access.type, access.address, access.alignment);
            if (is_poison(access.value)) return lanes;
            return builder_.CreateSelect(access.mask, lanes, access.value);
        }
        return builder_.CreateAlignedStore(access.value, access.address, access.alignment);
    }

    // Lanes pass through an array, one for each type.
    llvm::AllocaInst* lanes_of(llvm::FixedVectorType* type) {
        llvm::AllocaInst*& array = arrays_[type];
        if (!array) {
            llvm::IRBuilder<> entry(&gang_.getEntryBlock(), gang_.getEntryBlock().begin());
            array = entry.CreateAlloca(type, nullptr, "lanes");
        }
        return array;
    }

    Value* are_more_than_two(Value* bits) {
        for (unsigned lane = 0; lane < 2; ++lane) {
            Value* less = builder_.CreateSub(bits, llvm::ConstantInt::get(bits->getType(), 1));
            bits = builder_.CreateAnd(bits, less);
        }
        return builder_.CreateICmpNE(bits, llvm::Constant::getNullValue(bits->getType()));
    }

    // Each lane stores, those that are missing to the array of lanes: which ones and how many there
    // are is foreseen badly.
    void store_chosen(const Access& access, Value* bits) {
        llvm::Type* type = access.type->getElementType();
        const unsigned lanes = access.type->getNumElements();
        Value* zero = llvm::Constant::getNullValue(bits->getType());
        Value* nowhere = lanes_of(access.type);
        const llvm::Align alignment = llvm::commonAlignment(
            access.alignment, gang_.getDataLayout().getTypeAllocSize(type).getFixedValue());
        for (unsigned lane = 0; lane < lanes; ++lane) {
            Value* bit =
                builder_.CreateAnd(bits, builder_.getInt(llvm::APInt::getOneBitSet(lanes, lane)));
            Value* row =
                builder_.CreateSelect(builder_.CreateICmpEQ(bit, zero), nowhere, access.address);
            Value* place = builder_.CreateConstGEP1_64(type, row, lane);
            builder_.CreateAlignedStore(builder_.CreateExtractElement(access.value, lane), place,
                                        alignment);
        }
    }

    Value* lane_by_lane(const Access& access, Value* bits, llvm::BasicBlock* after) {
        llvm::Type* type = access.type->getElementType();
        llvm::Type* word = bits->getType();
        llvm::AllocaInst* lanes = lanes_of(access.type);
        if (!is_poison(access.value)) builder_.CreateStore(access.value, lanes);
        llvm::BasicBlock* before = builder_.GetInsertBlock();
        llvm::BasicBlock *loop = new_block("lane"), *done = new_block("lanes.done");
        Value* zero = llvm::ConstantInt::get(word, 0);
        builder_.CreateCondBr(builder_.CreateICmpEQ(bits, zero), done, loop);

        builder_.SetInsertPoint(loop);
        llvm::PHINode* rest = builder_.CreatePHI(word, 2);
        rest->addIncoming(bits, before);
        Value* lane = builder_.CreateZExt(
            builder_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, rest, builder_.getTrue()),
            builder_.getInt64Ty());
        Value* here = builder_.CreateInBoundsGEP(type, lanes, lane);
        Value* there = builder_.CreateGEP(type, access.address, lane);
        Value* from = access.is_load ? there : here;
        Value* to = access.is_load ? here : there;
        const llvm::Align outside = llvm::commonAlignment(
            access.alignment, gang_.getDataLayout().getTypeAllocSize(type).getFixedValue());
        Value* value =
            builder_.CreateAlignedLoad(type, from, access.is_load ? outside : llvm::Align(1));
        builder_.CreateAlignedStore(value, to, access.is_load ? llvm::Align(1) : outside);
        Value* less = builder_.CreateSub(rest, llvm::ConstantInt::get(word, 1));
        Value* next = builder_.CreateAnd(rest, less);
        rest->addIncoming(next, loop);
        builder_.CreateCondBr(builder_.CreateICmpEQ(next, zero), done, loop);

        builder_.SetInsertPoint(done);
        Value* result = access.is_load ? builder_.CreateLoad(access.type, lanes) : nullptr;
        builder_.CreateBr(after);
        return result;
    }

    llvm::Function& gang_;
    const std::uint64_t page_bytes_;
    llvm::IRBuilder<> builder_;
    llvm::DenseMap<llvm::Type*, llvm::AllocaInst*> arrays_;
};

bool is_missing(const llvm::IntrinsicInst& call, const llvm::TargetTransformInfo& target) {
    switch (call.getIntrinsicID()) {
        case llvm::Intrinsic::masked_load:
            return !target.isLegalMaskedLoad(call.getType(), llvm::Align(1));
        case llvm::Intrinsic::masked_store:
            return !target.isLegalMaskedStore(call.getArgOperand(0)->getType(), llvm::Align(1));
        default:
            return false;
    }
}

bool may_be_whole(const llvm::IntrinsicInst& call) {
    return call.getIntrinsicID() == llvm::Intrinsic::masked_store &&
           !llvm::isa<llvm::Constant>(call.getArgOperand(3));
}

}  // namespace

PreservedAnalyses expand_masked_accesses(llvm::Function& gang, GangContext& context) {
    const llvm::TargetTransformInfo& target = context.costs(gang);
    std::vector<llvm::IntrinsicInst*> found;
    for (Instruction& instruction : llvm::instructions(gang)) {
        auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
        if (call && (is_missing(*call, target) || may_be_whole(*call))) found.push_back(call);
    }
    Expansion expansion(gang, context.target->page_bytes());
    for (llvm::IntrinsicInst* call : found) {
        expansion.expand(take_apart(*call, is_missing(*call, target)));
    }
    return found.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
}

PreservedAnalyses widen_masks(llvm::Function& gang, GangContext&) {
    MaskWidening(gang).run();
    return PreservedAnalyses::none();
}

}  // namespace warpwise::cpu_compiler::gang
