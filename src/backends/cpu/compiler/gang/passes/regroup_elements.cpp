// Threads that work on several elements side by side, `for k: y[4 * i + k] = f(x[4 * i + k])`,
// access memory in steps from lane to lane. Which thread of a block computes which element makes
// no difference where all elements are computed alike: in front of the kernel a copy in which
// thread t takes the elements t, t + blockDim, t + 2 * blockDim ... of its block accesses vectors.
//
// It runs if the whole block has elements to work on, no index wraps inside it, and no element's
// store is another's input: of different threads it may not be, and of one thread a test of
// addresses tells. All of it is asked once a block, by scalars.
#include "src/backends/cpu/compiler/gang/passes/passes.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <map>
#include <optional>

#include "src/backends/cpu/compiler/gang/elements/thread_elements.hpp"
#include "src/backends/cpu/compiler/gang/target/costs.hpp"

namespace warpwise::cpu_compiler::gang {
namespace {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::Value;

// Writes the question and the copy.
class Regrouping {
  public:
    Regrouping(const ElementBlock& body, ThreadElements& elements, std::int64_t threads)
        : body_(body),
          elements_(elements),
          threads_(threads),
          asks_(body.block->getContext()),
          copies_(body.block->getContext()) {}

    // Whether numbers of the block's elements can be asked for at all.
    bool is_askable();
    void write();

  private:
    using Builder = llvm::IRBuilder<>;

    bool is_small(std::int64_t distance, std::int64_t step, llvm::Type* type) const;
    Value* of_first_thread(Value* value);
    Value* of_last_thread(Value* value, std::int64_t step);
    void ask(Value* condition);
    void ask_whether_in_order(Value* first, Value* last, bool is_signed);
    void ask_of_guard();
    void ask_of_distance(llvm::StoreInst& store, Instruction& access);
    void split();
    Value* of_element(Value* value, unsigned element);
    Value* moved(Value* value, const ThreadSum& sum, unsigned element);

    ElementBlock body_;
    ThreadElements& elements_;
    const std::int64_t threads_;
    llvm::CmpInst::Predicate guard_ = llvm::CmpInst::BAD_ICMP_PREDICATE;
    Value *guarded_ = nullptr, *limit_ = nullptr;
    Builder asks_, copies_;
    Value* answer_ = nullptr;
    Value* thread_ = nullptr;               // threadIdx.x as 64 bits, in the copy
    std::map<std::int64_t, Value*> steps_;  // multiples of it
    std::map<Value*, Value*> first_thread_;
    std::map<Value*, Value*> copied_;  // of one element
};

// Of numbers that ascend over the block by less than half of all that there are, the first is the
// least if none wraps, and greater than the last if one does.
bool Regrouping::is_small(std::int64_t distance, std::int64_t step, llvm::Type* type) const {
    constexpr std::int64_t kMost = std::int64_t{1} << 30;
    if (step < 0 || step >= kMost || distance < 0 || distance >= kMost) return false;
    return type->getIntegerBitWidth() >= 32 && distance + step * threads_ < kMost;
}

bool Regrouping::is_askable() {
    if (body_.guard) {
        guard_ = body_.when ? body_.guard->getPredicate() : body_.guard->getInversePredicate();
        guarded_ = body_.guard->getOperand(0), limit_ = body_.guard->getOperand(1);
        if (elements_.sums.is_shared(guarded_)) {
            std::swap(guarded_, limit_);
            guard_ = llvm::CmpInst::getSwappedPredicate(guard_);
        }
        if (!llvm::CmpInst::isRelational(guard_) || llvm::ICmpInst::isGT(guard_) ||
            llvm::ICmpInst::isGE(guard_))
            return false;
        const auto sum = elements_.sums.of(guarded_);
        if (!sum || !elements_.sums.is_shared(limit_) || !limit_->getType()->isIntegerTy() ||
            !is_small(0, sum->step, limit_->getType()))
            return false;
    }
    return llvm::all_of(elements_.sums.extensions(), [&](const ThreadExtension& one) {
        return is_small(one.most - one.least, one.step, one.from);
    });
}

// What the first thread of the block has for `value`.
Value* Regrouping::of_first_thread(Value* value) {
    auto* instruction = llvm::dyn_cast<Instruction>(value);
    if (!instruction) return value;
    if (ThreadSums::is_thread_index(value)) return llvm::ConstantInt::get(value->getType(), 0);
    if (elements_.sums.is_shared(value) && instruction->getParent() != body_.block) return value;
    if (auto known = first_thread_.find(value); known != first_thread_.end()) return known->second;
    Instruction* copy = instruction->clone();
    copy->dropPoisonGeneratingFlags();
    for (llvm::Use& operand : copy->operands()) operand.set(of_first_thread(operand.get()));
    return first_thread_[value] = asks_.Insert(copy);
}

Value* Regrouping::of_last_thread(Value* value, std::int64_t step) {
    Value* first = of_first_thread(value);
    return asks_.CreateAdd(first, llvm::ConstantInt::get(first->getType(), step * (threads_ - 1)));
}

void Regrouping::ask(Value* condition) {
    answer_ = answer_ ? asks_.CreateAnd(answer_, condition) : condition;
}

void Regrouping::ask_whether_in_order(Value* first, Value* last, bool is_signed) {
    ask(is_signed ? asks_.CreateICmpSLE(first, last) : asks_.CreateICmpULE(first, last));
}

void Regrouping::ask_of_guard() {
    Value* last = of_last_thread(guarded_, elements_.sums.of(guarded_)->step);
    ask_whether_in_order(of_first_thread(guarded_), last, llvm::CmpInst::isSigned(guard_));
    ask(asks_.CreateICmp(guard_, last, of_first_thread(limit_)));
}

// Either the block's memory of both is apart, or they go through the same memory in step.
void Regrouping::ask_of_distance(llvm::StoreInst& store, Instruction& access) {
    const std::int64_t count = elements_.count, elements = count * threads_;
    auto step = [&](Instruction& one) { return elements_.sums.of(address_of(one))->step / count; };
    auto first = [&](Instruction& one) {
        return asks_.CreatePtrToInt(of_first_thread(address_of(one)), asks_.getInt64Ty());
    };
    auto end = [&](Instruction& one) {
        const std::int64_t reach = step(one) * (elements - 1) + elements_.bytes(one);
        return asks_.CreateAdd(first(one), asks_.getInt64(reach));
    };
    Value* is_apart = asks_.CreateOr(asks_.CreateICmpULE(end(store), first(access)),
                                     asks_.CreateICmpULE(end(access), first(store)));
    if (step(store) == step(access)) {
        Value* distance = asks_.CreateSub(first(access), first(store));
        Value* least = asks_.getInt64(elements_.bytes(store) - step(store));
        Value* most = asks_.getInt64(step(store) - elements_.bytes(access));
        Value* in_step = asks_.CreateAnd(asks_.CreateICmpSGE(distance, least),
                                         asks_.CreateICmpSLE(distance, most));
        is_apart = asks_.CreateOr(is_apart, in_step);
    }
    ask(is_apart);
}

// The same sum of element `element` of the thread in the copy.
Value* Regrouping::moved(Value* value, const ThreadSum& sum, unsigned element) {
    Value* first = of_first_thread(value);
    if (sum.step == 0) return first;
    const std::int64_t step = sum.step / elements_.count;
    Value*& steps = steps_[step];
    if (!steps) steps = copies_.CreateMul(thread_, copies_.getInt64(step), "", true, true);
    const std::int64_t number = step * element * threads_;
    if (value->getType()->isPointerTy())
        return copies_.CreatePtrAdd(copies_.CreatePtrAdd(first, copies_.getInt64(number)), steps);
    Value* start = copies_.CreateAdd(first, llvm::ConstantInt::get(value->getType(), number));
    return copies_.CreateAdd(start, copies_.CreateTrunc(steps, value->getType()));
}

Value* Regrouping::of_element(Value* value, unsigned element) {
    auto* instruction = llvm::dyn_cast<Instruction>(value);
    if (!instruction) return value;
    if (auto known = copied_.find(value); known != copied_.end()) return known->second;
    if (auto sum = elements_.sums.of(value)) return copied_[value] = moved(value, *sum, element);
    if (elements_.sums.is_shared(value)) return of_first_thread(value);
    Instruction* copy = instruction->clone();
    copy->dropUnknownNonDebugMetadata();
    if (copy->mayReadOrWriteMemory()) elements_.align(*instruction, *copy);
    for (llvm::Use& operand : copy->operands()) operand.set(of_element(operand.get(), element));
    return copied_[value] = copies_.Insert(copy);
}

// The question stands at the end of the first block, and the copy behind it.
void Regrouping::split() {
    BasicBlock* entry = &body_.block->getParent()->getEntryBlock();
    BasicBlock* otherwise = body_.block;
    if (body_.block == entry) {
        otherwise = body_.block = entry->splitBasicBlock(entry->begin(), "by.thread");
    } else {
        otherwise = entry->splitBasicBlock(entry->getTerminator()->getIterator(), "by.thread");
    }
    BasicBlock* rows =
        BasicBlock::Create(entry->getContext(), "by.row", entry->getParent(), otherwise);
    Instruction* end = entry->getTerminator();
    asks_.SetInsertPoint(end);
    body_.block->getTerminator()->clone()->insertInto(rows, rows->end());
    copies_.SetInsertPoint(rows->getTerminator());
}

void Regrouping::write() {
    split();
    BasicBlock* entry = &body_.block->getParent()->getEntryBlock();
    BasicBlock* rows = copies_.GetInsertBlock();
    if (body_.guard) ask_of_guard();
    for (const ThreadExtension& one : elements_.sums.extensions()) {
        ask_whether_in_order(of_first_thread(one.lowest), of_last_thread(one.highest, one.step),
                             one.is_signed);
    }
    for (auto& [store, access] : elements_.to_ask) ask_of_distance(*store, *access);
    Value* index = copies_.CreateIntrinsic(llvm::Intrinsic::nvvm_read_ptx_sreg_tid_x, {}, {});
    thread_ = copies_.CreateZExt(index, copies_.getInt64Ty());
    for (unsigned element = 0; element < elements_.count; ++element) {
        copied_.clear();
        for (Instruction* access : elements_.accesses) of_element(access, element);
    }
    BasicBlock* otherwise = entry->getSingleSuccessor();
    if (!answer_) answer_ = asks_.getTrue();
    llvm::ReplaceInstWithInst(entry->getTerminator(),
                              llvm::BranchInst::Create(rows, otherwise, answer_));
}

// Of two numbers of up to 32 bits each, lanes take theirs from two vectors by one shuffle for each
// number, and walk through memory in order: float2 and int2 take 1.1 times as long in the copy,
// with AVX2 0.95 to 1.2. Two halves are converted to vectors of other sizes, and take 0.7 of the
// time.
bool pays(const ThreadElements& elements) {
    return elements.count > 2 || llvm::any_of(elements.accesses, [](Instruction* access) {
               llvm::Type* type = llvm::getLoadStoreType(access);
               return type->isHalfTy() || type->isBFloatTy() ||
                      type->getPrimitiveSizeInBits() > costs::kBitsOfShuffledPair;
           });
}

}  // namespace

PreservedAnalyses regroup_elements(llvm::Function& kernel, GangContext& context) {
    const BlockShape& block = *context.block;
    const std::optional<ElementBlock> body = element_block_of(kernel);
    if (block[1] != 1 || block[2] != 1 || !body) return PreservedAnalyses::all();
    ThreadElements elements(*body, kernel.getDataLayout());
    if (!elements.are_alike() || !elements.are_apart() || !pays(elements)) {
        return PreservedAnalyses::all();
    }
    Regrouping regrouping(*body, elements, block[0]);
    if (!regrouping.is_askable()) return PreservedAnalyses::all();
    regrouping.write();
    return PreservedAnalyses::none();
}

}  // namespace warpwise::cpu_compiler::gang
