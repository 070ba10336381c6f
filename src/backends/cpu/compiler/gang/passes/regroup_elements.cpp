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
#include <set>
#include <vector>

#include "src/backends/cpu/compiler/gang/analysis/thread_sums.hpp"
#include "src/backends/cpu/compiler/gang/target/costs.hpp"

namespace warpwise::cpu_compiler::gang {
namespace {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::Value;

// The block that computes elements, and what threads are asked before it: nothing, or one test.
struct Body {
    BasicBlock* block;
    llvm::ICmpInst* guard = nullptr;
    bool when = true;  // what the guard says of threads that go there
};

// Other elements than its own a thread must not have seen before, nor look at behind it.
bool is_all_there_is(const BasicBlock& block) {
    const BasicBlock* next = block.getSingleSuccessor();
    return llvm::isa<llvm::ReturnInst>(next ? next->front() : *block.getTerminator());
}

std::optional<Body> body_of(llvm::Function& kernel) {
    BasicBlock& entry = kernel.getEntryBlock();
    if (is_all_there_is(entry)) return Body{&entry};
    auto* branch = llvm::dyn_cast<llvm::BranchInst>(entry.getTerminator());
    if (!branch || !branch->isConditional()) return std::nullopt;
    auto* guard = llvm::dyn_cast<llvm::ICmpInst>(branch->getCondition());
    auto writes = [](const Instruction& one) { return one.mayWriteToMemory(); };
    if (!guard || llvm::any_of(entry, writes)) return std::nullopt;
    for (unsigned side = 0; side < 2; ++side) {
        BasicBlock* block = branch->getSuccessor(side);
        const bool is_guarded = block->getSinglePredecessor() == &entry;
        if (is_guarded && is_all_there_is(*block) && llvm::any_of(*block, writes))
            return Body{block, guard, side == 0};
    }
    return std::nullopt;
}

bool is_simple_access(const Instruction& instruction) {
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) return load->isSimple();
    auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
    return store && store->isSimple();
}

Value* address_of(Instruction& access) {
    return access.getOperand(llvm::isa<llvm::StoreInst>(access) ? 1 : 0);
}

// Of the elements of a thread, which are numbered in the order of their stores.
class Elements {
  public:
    Elements(const Body& body, const llvm::DataLayout& layout)
        : body_(body), layout_(layout), sums(layout) {}

    // Whether there are several, all computed alike from addresses and what threads share.
    bool are_alike();
    // Whether no store of an element can be in another's way, but for what `to_ask` says.
    bool are_apart();

    std::int64_t bytes(Instruction& access) const {
        return static_cast<std::int64_t>(layout_.getTypeStoreSize(llvm::getLoadStoreType(&access)));
    }

    // `copy` of an access as any of its elements is aligned.
    void align(Instruction& first, Instruction& copy) const;

  private:
    bool find_stores();
    bool is_alike(Value* first, Value* other, unsigned element);
    bool are_instructions_alike(Instruction& first, Instruction& other, unsigned element);
    void find_accesses(Value* value, std::set<Value*>& seen);
    bool are_ordered_alike() const;

    const Body body_;
    const llvm::DataLayout& layout_;
    std::vector<std::vector<llvm::StoreInst*>> stores_;  // of each array, by element
    std::map<std::pair<Value*, Value*>, bool> alike_;    // of the element that is compared
    std::vector<std::pair<Instruction*, Instruction*>> partners_;

  public:
    ThreadSums sums;
    unsigned count = 0;
    std::vector<Instruction*> accesses;  // of the first element, in order
    // A store and an access of the first element whose distance is not known.
    std::vector<std::pair<llvm::StoreInst*, Instruction*>> to_ask;
};

bool Elements::find_stores() {
    std::vector<ThreadSum> arrays;
    for (Instruction& one : *body_.block) {
        if (llvm::isa<llvm::AllocaInst>(one)) return false;
        if (one.isTerminator() || !(one.mayReadOrWriteMemory() || one.mayHaveSideEffects()))
            continue;
        if (!is_simple_access(one)) return false;
        auto* store = llvm::dyn_cast<llvm::StoreInst>(&one);
        if (!store) continue;
        auto sum = sums.of(store->getPointerOperand());
        if (!sum || sum->step <= 0) return false;
        sum->number = 0;
        auto array = llvm::find(arrays, *sum);
        if (array == arrays.end()) {
            arrays.push_back(*sum);
            stores_.emplace_back();
            array = std::prev(arrays.end());
        }
        stores_[array - arrays.begin()].push_back(store);
    }
    if (stores_.empty()) return false;
    count = static_cast<unsigned>(stores_.front().size());
    auto number = [&](llvm::StoreInst* store) {
        return sums.of(store->getPointerOperand())->number;
    };
    for (auto& array : stores_) {
        if (array.size() != count) return false;
        llvm::stable_sort(array, [&](auto* a, auto* b) { return number(a) < number(b); });
    }
    return count > 1 && count <= costs::kMostElements;
}

bool Elements::are_alike() {
    if (body_.block->size() > costs::kLargestChain || !find_stores()) return false;
    for (const auto& array : stores_) {
        const std::int64_t step = sums.of(array[0]->getPointerOperand())->step;
        if (step % count != 0 || bytes(*array[0]) > step / count) return false;
    }
    for (unsigned element = 0; element < count; ++element) {
        alike_.clear();
        for (const auto& array : stores_) {
            if (!are_instructions_alike(*array[0], *array[element], element)) return false;
        }
    }
    std::set<Value*> seen;
    for (const auto& array : stores_) find_accesses(array[0], seen);
    llvm::sort(accesses, [](auto* a, auto* b) { return a->comesBefore(b); });
    return are_ordered_alike();
}

// Whether `other` is to element `element` what `first` is to the first one.
bool Elements::is_alike(Value* first, Value* other, unsigned element) {
    if (first->getType() != other->getType()) return false;
    const auto sum = sums.of(first), others = sums.of(other);
    if (sum || others) {
        if (!sum || !others || sum->step % count != 0) return false;
        ThreadSum moved = *sum;
        moved.number += sum->step / count * element;
        return moved == *others;
    }
    if (llvm::isa<llvm::Constant>(first) || sums.is_shared(first)) {
        if (first == other) return true;
        if (llvm::isa<llvm::Constant>(first)) return false;
    }
    if (auto known = alike_.find({first, other}); known != alike_.end()) return known->second;
    auto* one = llvm::dyn_cast<Instruction>(first);
    auto* two = llvm::dyn_cast<Instruction>(other);
    return alike_[{first, other}] = one && two && are_instructions_alike(*one, *two, element);
}

bool Elements::are_instructions_alike(Instruction& first, Instruction& other, unsigned element) {
    if (!first.isSameOperationAs(&other, Instruction::CompareIgnoringAlignment) ||
        !first.hasSameSubclassOptionalData(&other))
        return false;
    if (llvm::isa<llvm::PHINode>(first) || llvm::isa<llvm::AllocaInst>(first)) return false;
    if (auto* call = llvm::dyn_cast<llvm::CallBase>(&first)) {
        if (!llvm::isa<llvm::IntrinsicInst>(call) || call->isConvergent() || call->arg_empty())
            return false;
    }
    if (first.mayReadOrWriteMemory()) {
        const bool are_here = first.getParent() == body_.block && other.getParent() == body_.block;
        if (!are_here || !is_simple_access(first)) return false;
        partners_.emplace_back(&first, &other);
    }
    auto agree = [&](unsigned left, unsigned right) {
        return is_alike(first.getOperand(left), other.getOperand(right), element);
    };
    if (first.isCommutative() && first.getNumOperands() >= 2 && !(agree(0, 0) && agree(1, 1))) {
        if (!llvm::isa<llvm::BinaryOperator>(first)) return false;
        return agree(0, 1) && agree(1, 0);
    }
    for (unsigned place = 0; place < first.getNumOperands(); ++place) {
        if (!agree(place, place)) return false;
    }
    return true;
}

// Those that stores of the first element need, and the stores.
void Elements::find_accesses(Value* value, std::set<Value*>& seen) {
    auto* instruction = llvm::dyn_cast<Instruction>(value);
    if (!instruction || sums.of(value) || sums.is_shared(value)) return;
    if (!seen.insert(value).second) return;
    if (instruction->mayReadOrWriteMemory()) accesses.push_back(instruction);
    for (Value* operand : instruction->operands()) find_accesses(operand, seen);
}

// Inside each element accesses follow each other as in the first one.
bool Elements::are_ordered_alike() const {
    std::map<Instruction*, std::vector<Instruction*>> others;
    for (const auto& [first, other] : partners_) others[first].push_back(other);
    for (const auto& [first, other] : partners_) {
        if (!llvm::isa<llvm::StoreInst>(first)) continue;
        for (const auto& [access, partner] : partners_) {
            if (access == first || others.at(access).size() != count) continue;
            // Both lists are by element.
            const std::size_t element =
                llvm::find(others.at(first), other) - others.at(first).begin();
            if (partner != others.at(access)[element]) continue;
            if (access->comesBefore(first) != partner->comesBefore(other)) return false;
        }
    }
    return llvm::all_of(accesses, [&](Instruction* one) { return others[one].size() == count; });
}

void Elements::align(Instruction& first, Instruction& copy) const {
    llvm::Align least = llvm::getLoadStoreAlignment(&first);
    for (const auto& [access, partner] : partners_) {
        if (access == &first) least = std::min(least, llvm::getLoadStoreAlignment(partner));
    }
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&copy)) load->setAlignment(least);
    if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&copy)) store->setAlignment(least);
}

bool Elements::are_apart() {
    for (const auto& array : stores_) {
        const auto written = sums.of(array[0]->getPointerOperand());
        const std::int64_t step = written->step / count, size = bytes(*array[0]);
        for (Instruction* access : accesses) {
            const auto sum = sums.of(address_of(*access));
            if (!sum || sum->step < 0 || sum->step % count != 0) return false;
            if (access == array[0]) continue;
            if (sum->terms != written->terms || sum->step != written->step) {
                to_ask.emplace_back(array[0], access);
                continue;
            }
            const std::int64_t distance = sum->number - written->number;
            for (std::int64_t other = 1; other < count; ++other) {
                for (std::int64_t at : {distance + other * step, distance - other * step}) {
                    if (at < size && at > -bytes(*access)) return false;
                }
            }
        }
    }
    return true;
}

// Writes the question and the copy.
class Regrouping {
  public:
    Regrouping(const Body& body, Elements& elements, std::int64_t threads)
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

    Body body_;
    Elements& elements_;
    const std::int64_t threads_;
    llvm::CmpInst::Predicate guard_ = llvm::CmpInst::BAD_ICMP_PREDICATE;
    Value *guarded_ = nullptr, *limit_ = nullptr;
    Builder asks_, copies_;
    Value* answer_ = nullptr;
    Value* thread_ = nullptr;  // threadIdx.x as 64 bits, in the copy
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
    Value* steps = copies_.CreateMul(thread_, copies_.getInt64(step), "", true, true);
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

}  // namespace

PreservedAnalyses regroup_elements(llvm::Function& kernel, GangContext& context) {
    const BlockShape& block = *context.block;
    const std::optional<Body> body = body_of(kernel);
    if (block[1] != 1 || block[2] != 1 || !body) return PreservedAnalyses::all();
    Elements elements(*body, kernel.getDataLayout());
    if (!elements.are_alike() || !elements.are_apart()) return PreservedAnalyses::all();
    Regrouping regrouping(*body, elements, block[0]);
    if (!regrouping.is_askable()) return PreservedAnalyses::all();
    regrouping.write();
    return PreservedAnalyses::none();
}

}  // namespace warpwise::cpu_compiler::gang
