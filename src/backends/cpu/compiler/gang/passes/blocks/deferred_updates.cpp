// Atomic updates of one place that nothing behind them in their thread could notice, as of a
// counter of what was found, in the loop over gangs and blocks: combined there, and made once
// behind it. Workers that count in one place wait for its cache line: a text search by two of them
// takes 0.81 of the time, 28 November 2026.
//
// Updates commute, and other threads see them later than they might, which they may not rely on:
// the loop has no kernel that waits. A thread's own fences, and accesses of what may be the same
// place, behind an update leave it where it is.
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/LowerAtomic.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "src/backends/cpu/compiler/gang/analysis/markers.hpp"
#include "src/backends/cpu/compiler/gang/passes/passes.hpp"

namespace warpwise::cpu_compiler::gang {
namespace {

using llvm::AtomicRMWInst;
using llvm::Instruction;
using llvm::Value;

// That leaves what it is combined with as it is; none: such updates are not combined.
std::optional<llvm::APInt> identity_of(const AtomicRMWInst& update) {
    if (!update.getType()->isIntegerTy()) return std::nullopt;
    const unsigned bits = update.getType()->getIntegerBitWidth();
    switch (update.getOperation()) {
        case AtomicRMWInst::Add:
        case AtomicRMWInst::Sub:
        case AtomicRMWInst::Or:
        case AtomicRMWInst::Xor:
        case AtomicRMWInst::UMax:
            return llvm::APInt(bits, 0);
        case AtomicRMWInst::And:
        case AtomicRMWInst::UMin:
            return llvm::APInt::getAllOnes(bits);
        case AtomicRMWInst::Max:
            return llvm::APInt::getSignedMinValue(bits);
        case AtomicRMWInst::Min:
            return llvm::APInt::getSignedMaxValue(bits);
        default:
            return std::nullopt;
    }
}

// What is subtracted one by one is added up first.
AtomicRMWInst::BinOp combination_of(const AtomicRMWInst& update) {
    const AtomicRMWInst::BinOp operation = update.getOperation();
    return operation == AtomicRMWInst::Sub ? AtomicRMWInst::Add : operation;
}

// The same for all gangs: so many bytes behind a variable, or behind a pointer among the arguments.
struct Place {
    llvm::GlobalVariable* variable = nullptr;
    std::uint64_t argument = 0;  // where it lies
    std::int64_t offset = 0;

    friend bool operator==(const Place&, const Place&) = default;
};

class Deferral {
  public:
    Deferral(llvm::Function& run, const llvm::Loop& gang) : run_(run), gang_(gang) {}

    // Whether there is one that can wait.
    bool find();
    // Behind the loop over blocks, at the beginning of `end`.
    void apply(llvm::BasicBlock& end);

  private:
    std::optional<Place> place_of(const AtomicRMWInst& update) const;
    bool is_deferrable(const AtomicRMWInst& update) const;
    bool is_noticed(const AtomicRMWInst& update) const;
    bool may_notice(const Instruction& behind, const AtomicRMWInst& update) const;
    bool is_own(const Value* address) const;
    void make(llvm::IRBuilder<>& builder, const Place& place, const AtomicRMWInst& like,
              Value* all) const;

    llvm::Function& run_;
    const llvm::Loop& gang_;
    std::vector<AtomicRMWInst*> updates_;
};

std::optional<Place> Deferral::place_of(const AtomicRMWInst& update) const {
    const llvm::DataLayout& data = run_.getDataLayout();
    Value* pointer = update.getOperand(AtomicRMWInst::getPointerOperandIndex());
    llvm::APInt offset(64, 0);
    Value* base = pointer->stripAndAccumulateConstantOffsets(data, offset, true);
    Place place;
    place.offset = offset.getSExtValue();
    place.variable = llvm::dyn_cast<llvm::GlobalVariable>(base);
    if (place.variable) return place;
    auto* load = llvm::dyn_cast<llvm::LoadInst>(base);
    if (!load || !load->hasMetadata(llvm::LLVMContext::MD_invariant_load)) return std::nullopt;
    llvm::APInt at(64, 0);
    const Value* from =
        load->getPointerOperand()->stripAndAccumulateConstantOffsets(data, at, true);
    if (from != run_.getArg(1)) return std::nullopt;
    place.argument = at.getZExtValue();
    return place;
}

bool Deferral::is_deferrable(const AtomicRMWInst& update) const {
    return update.use_empty() && !update.isVolatile() &&
           update.getOrdering() == llvm::AtomicOrdering::Monotonic && identity_of(update) &&
           place_of(update);
}

// Of the gang alone, or never written.
bool Deferral::is_own(const Value* address) const {
    const Value* object = llvm::getUnderlyingObject(address, /*MaxLookup=*/0);
    if (llvm::isa<llvm::AllocaInst>(object) || object == run_.getArg(0)) return true;
    auto* load = llvm::dyn_cast<llvm::LoadInst>(object);  // the state of its block
    return load && llvm::getUnderlyingObject(load->getPointerOperand(), 0) == run_.getArg(0);
}

bool Deferral::may_notice(const Instruction& behind, const AtomicRMWInst& update) const {
    if (!behind.mayReadOrWriteMemory()) return false;
    if (auto* other = llvm::dyn_cast<AtomicRMWInst>(&behind)) {
        const bool is_deferred = llvm::is_contained(updates_, other);
        return !is_deferred || other->getOperation() != update.getOperation() ||
               other->getType() != update.getType();
    }
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&behind)) {
        const bool is_invariant = load->hasMetadata(llvm::LLVMContext::MD_invariant_load);
        if (is_invariant) return false;
    }
    if (const Value* address = llvm::getLoadStorePointerOperand(&behind)) return !is_own(address);
    auto* call = llvm::dyn_cast<llvm::CallInst>(&behind);
    if (!call) return true;
    auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(call);
    const bool is_nothing = intrinsic && intrinsic->isAssumeLikeIntrinsic();
    return !is_nothing && !call->onlyAccessesInaccessibleMemory();
}

// By what its threads do behind it.
bool Deferral::is_noticed(const AtomicRMWInst& update) const {
    auto notices = [&](llvm::BasicBlock::const_iterator begin, const llvm::BasicBlock& block) {
        return std::any_of(begin, block.end(),
                           [&](const Instruction& behind) { return may_notice(behind, update); });
    };
    if (notices(std::next(update.getIterator()), *update.getParent())) return true;
    llvm::SmallPtrSet<const llvm::BasicBlock*, 16> seen;
    llvm::SmallVector<const llvm::BasicBlock*, 16> left{update.getParent()};
    while (!left.empty()) {
        for (const llvm::BasicBlock* next : llvm::successors(left.pop_back_val())) {
            // The next gang, or none.
            if (next == gang_.getHeader() || !gang_.contains(next)) continue;
            if (!seen.insert(next).second) continue;
            if (notices(next->begin(), *next)) return true;
            left.push_back(next);
        }
    }
    return false;
}

bool Deferral::find() {
    for (llvm::BasicBlock* block : gang_.blocks()) {
        for (Instruction& instruction : *block) {
            auto* update = llvm::dyn_cast<AtomicRMWInst>(&instruction);
            if (update && is_deferrable(*update)) updates_.push_back(update);
        }
    }
    // One that stays may be why others must.
    for (std::size_t before = 0; before != updates_.size();) {
        before = updates_.size();
        std::vector<AtomicRMWInst*> kept;
        std::ranges::copy_if(updates_, std::back_inserter(kept),
                             [this](AtomicRMWInst* update) { return !is_noticed(*update); });
        updates_ = std::move(kept);
    }
    return !updates_.empty();
}

// Not where it would change nothing: no thread may have come to it, and its place not exist.
void Deferral::make(llvm::IRBuilder<>& builder, const Place& place, const AtomicRMWInst& like,
                    Value* all) const {
    Value* changes = builder.CreateICmpNE(all, builder.getInt(*identity_of(like)));
    llvm::Instruction* then =
        llvm::SplitBlockAndInsertIfThen(changes, &*builder.GetInsertPoint(), false);
    builder.SetInsertPoint(then);
    auto bytes_behind = [&](Value* base, std::uint64_t bytes) {
        return builder.CreateConstGEP1_64(builder.getInt8Ty(), base, bytes);
    };
    Value* base = place.variable;
    if (!base) {
        base = builder.CreateLoad(builder.getPtrTy(), bytes_behind(run_.getArg(1), place.argument));
    }
    builder.CreateAtomicRMW(like.getOperation(),
                            bytes_behind(base, static_cast<std::uint64_t>(place.offset)), all,
                            like.getAlign(), like.getOrdering(), like.getSyncScopeID());
}

void Deferral::apply(llvm::BasicBlock& end) {
    llvm::IRBuilder<> builder(run_.getContext());
    while (!updates_.empty()) {
        AtomicRMWInst& first = *updates_.front();
        const Place place = *place_of(first);
        builder.SetInsertPoint(&run_.getEntryBlock(), run_.getEntryBlock().begin());
        llvm::AllocaInst* all = builder.CreateAlloca(first.getType(), nullptr, "updates");
        builder.CreateStore(builder.getInt(*identity_of(first)), all);
        builder.SetInsertPoint(&end, end.getFirstInsertionPt());
        make(builder, place, first, builder.CreateLoad(first.getType(), all));
        std::vector<AtomicRMWInst*> alike;
        std::erase_if(updates_, [&](AtomicRMWInst* update) {
            const bool is_alike = update->getOperation() == first.getOperation() &&
                                  update->getType() == first.getType() &&
                                  update->getSyncScopeID() == first.getSyncScopeID() &&
                                  update->getAlign() == first.getAlign() &&
                                  *place_of(*update) == place;
            if (is_alike) alike.push_back(update);
            return is_alike;
        });
        for (AtomicRMWInst* update : alike) {
            builder.SetInsertPoint(update);
            Value* before = builder.CreateLoad(update->getType(), all);
            Value* after = llvm::buildAtomicRMWValue(combination_of(*update), builder, before,
                                                     update->getValOperand());
            builder.CreateStore(after, all);
            update->eraseFromParent();
        }
    }
}

}  // namespace

PreservedAnalyses defer_updates(llvm::Function& run, GangContext& context) {
    llvm::LoopInfo& loops = context.loops(run);
    llvm::Loop* gang = nullptr;
    for (Instruction& instruction : llvm::instructions(run)) {
        if (instruction.hasMetadata(kEndOfGang)) gang = loops.getLoopFor(instruction.getParent());
    }
    if (!gang) return PreservedAnalyses::all();
    llvm::BasicBlock* end = gang->getOutermostLoop()->getUniqueExitBlock();
    Deferral deferral(run, *gang);
    if (!end || !deferral.find()) return PreservedAnalyses::all();
    deferral.apply(*end);
    return PreservedAnalyses::none();
}

}  // namespace warpwise::cpu_compiler::gang
