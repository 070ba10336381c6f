// Cuts a gang function at its barriers (executor *regions*): at each it returns to the run time,
// and goes on there when it is called again. What it needs from before the barrier lies in a frame
// of the gang's meanwhile.
//
// LLVM's coroutines would do, but save what lives across a barrier where it is computed, in inner
// loops too, load it again in each block of use, give every value a place of its own, and clone the
// function three times. Here values are saved at the barrier and loaded behind it, unless they are
// cheaply computed again from the arguments, and share places where they are not alive at the same
// barriers; what is older than the loop with the barrier is saved once.
//
// Values that live across a stop are taken to memory, with a store where they are made and a load
// at each use; what comes out of the frame behind a stop is one more store to the same memory; then
// mem2reg makes values of it all again.
#include "src/backends/cpu/compiler/gang/passes/passes.hpp"

#include <llvm/ADT/BitVector.h>
#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Local.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

#include <algorithm>
#include <functional>
#include <map>

#include "src/backends/cpu/abi.hpp"
#include "src/backends/cpu/compiler/gang/analysis/markers.hpp"
#include "src/backends/cpu/compiler/gang/target/costs.hpp"
#include "src/backends/cpu/compiler/lowering/threads/thread_state.hpp"

namespace warpwise::cpu_compiler::gang {
namespace {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::Value;

constexpr unsigned kDear = 1000;
constexpr unsigned kDeepest = 8;  // of the operands of operands that are looked at

struct Stop {
    BasicBlock* before;  // the gang leaves at its end
    BasicBlock* behind;
    BasicBlock* resume = nullptr;  // leads there when the gang comes back
};

struct Crossing {
    llvm::BitVector stops;          // at which the value is alive
    bool is_made_again = false;     // from the arguments
    bool is_saved_at_once = false;  // where it is made, not at the stops
    std::uint64_t offset = 0;       // in the frame
};

class Cutter {
  public:
    explicit Cutter(llvm::Function& gang) : gang_(gang), data_(gang.getDataLayout()) {}

    std::uint64_t run();

  private:
    void find_stops();
    void find_crossings();
    void note_where_alive(Instruction& value, BasicBlock& user);
    unsigned cost_again(const Value* value, unsigned depth = 0);
    void decide(Instruction& value, Crossing& crossing, const llvm::LoopInfo& loops);
    void place_values();
    std::uint64_t take(std::uint64_t bytes, llvm::Align alignment);
    void write_dispatch();
    void move_locals(BasicBlock& entry);
    void write_stop_and_resume(unsigned number);
    Value* made_again(Value* value, llvm::IRBuilder<>& builder);
    Value* in_frame(llvm::IRBuilder<>& builder, std::uint64_t offset);
    void connect(llvm::SmallVectorImpl<llvm::AllocaInst*>& slots);

    llvm::Function& gang_;
    const llvm::DataLayout& data_;
    std::vector<Stop> stops_;
    llvm::DenseMap<const BasicBlock*, unsigned> stop_of_;  // by the block behind
    llvm::DenseMap<const BasicBlock*, const Value*> seen_;
    llvm::MapVector<Instruction*, Crossing> crossings_;
    llvm::DenseMap<const Value*, unsigned> costs_;
    llvm::DenseMap<Value*, Value*> again_;  // in the block being written
    struct Comeback {
        Instruction* value;
        Value* as;
        BasicBlock* resume;
    };
    std::vector<Comeback> comebacks_;
    BasicBlock* dispatch_ = nullptr;
    Value* frame_ = nullptr;
    std::uint64_t bytes_ = 0;
};

std::uint64_t Cutter::run() {
    find_stops();
    if (stops_.empty()) return 0;
    find_crossings();
    llvm::DominatorTree tree(gang_);
    llvm::LoopInfo loops(tree);
    for (auto& [value, crossing] : crossings_) decide(*value, crossing, loops);
    place_values();
    write_dispatch();
    for (unsigned number = 0; number < stops_.size(); ++number) write_stop_and_resume(number);
    llvm::SmallVector<llvm::AllocaInst*, 32> slots;
    connect(slots);
    tree.recalculate(gang_);
    llvm::PromoteMemToReg(slots, tree);
    return bytes_;
}

void Cutter::find_stops() {
    llvm::SmallVector<llvm::CallInst*, 8> calls;
    for (Instruction& instruction : llvm::instructions(gang_)) {
        auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
        if (call && is_call_of(*call, kStop)) calls.push_back(call);
    }
    for (llvm::CallInst* call : calls) {
        BasicBlock* before = call->getParent();
        BasicBlock* behind = llvm::SplitBlock(before, call->getNextNode());
        call->eraseFromParent();
        stop_of_[behind] = stops_.size();
        stops_.push_back({before, behind});
    }
}

void Cutter::find_crossings() {
    for (Instruction& instruction : llvm::instructions(gang_)) {
        if (llvm::isa<llvm::AllocaInst>(instruction)) continue;
        for (llvm::Use& use : instruction.uses()) {
            auto* user = llvm::cast<Instruction>(use.getUser());
            auto* phi = llvm::dyn_cast<llvm::PHINode>(user);
            note_where_alive(instruction, phi ? *phi->getIncomingBlock(use) : *user->getParent());
        }
    }
}

// The value is alive on every path to its user that does not pass its definition.
void Cutter::note_where_alive(Instruction& value, BasicBlock& user) {
    llvm::SmallVector<BasicBlock*, 16> work = {&user};
    while (!work.empty()) {
        BasicBlock* block = work.pop_back_val();
        if (block == value.getParent()) continue;
        const Value*& seen = seen_[block];
        if (seen == &value) continue;
        seen = &value;
        if (auto stop = stop_of_.find(block); stop != stop_of_.end()) {
            Crossing& crossing = crossings_[&value];
            crossing.stops.resize(stops_.size());
            crossing.stops.set(stop->second);
        }
        work.append(llvm::pred_begin(block), llvm::pred_end(block));
    }
}

// What is the same whenever it is computed again from the same operands.
unsigned own_cost(const Instruction& instruction) {
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
        return load->hasMetadata(llvm::LLVMContext::MD_invariant_load) ? 1 : kDear;
    }
    if (auto* read = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction)) {
        return read->doesNotAccessMemory() && read->arg_empty() ? 1 : kDear;
    }
    if (auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(&instruction)) {
        return address->hasAllConstantIndices() ? 0 : 1;
    }
    if (llvm::isa<llvm::InsertElementInst>(instruction)) return 0;  // one half of a splat
    if (instruction.getType()->isFPOrFPVectorTy()) return kDear;
    bool is_simple = llvm::isa<llvm::ShuffleVectorInst, llvm::CastInst, llvm::ICmpInst,
                               llvm::SelectInst, llvm::BinaryOperator>(instruction);
    return is_simple && !instruction.isIntDivRem() ? 1 : kDear;
}

unsigned Cutter::cost_again(const Value* value, unsigned depth) {
    auto* instruction = llvm::dyn_cast<Instruction>(value);
    if (!instruction || llvm::isa<llvm::AllocaInst>(instruction)) return 0;
    if (depth == kDeepest) return kDear;
    if (auto known = costs_.find(value); known != costs_.end()) return known->second;
    unsigned cost = own_cost(*instruction);
    for (const Value* operand : instruction->operands()) {
        if (cost > costs::kCheapToRepeat) break;
        cost += cost_again(operand, depth + 1);
    }
    return costs_[value] = cost;
}

// How often a block runs, as far as that is known.
std::uint64_t iterations_of(const BasicBlock* block, const llvm::LoopInfo& loops) {
    constexpr unsigned kMostDepth = 8;
    return std::uint64_t{1} << 3 * std::min(loops.getLoopDepth(block), kMostDepth);
}

void Cutter::decide(Instruction& value, Crossing& crossing, const llvm::LoopInfo& loops) {
    crossing.is_made_again = cost_again(&value) <= costs::kCheapToRepeat;
    std::uint64_t iterations = 0;
    for (unsigned stop : crossing.stops.set_bits())
        iterations += iterations_of(stops_[stop].before, loops);
    crossing.is_saved_at_once = iterations_of(value.getParent(), loops) < iterations;
}

std::uint64_t Cutter::take(std::uint64_t bytes, llvm::Align alignment) {
    const std::uint64_t offset = llvm::alignTo(bytes_, alignment);
    bytes_ = offset + bytes;
    return offset;
}

// What is saved at stops shares places with what is not alive at any of them. Large ones first.
void Cutter::place_values() {
    using Kept = std::pair<Instruction*, Crossing*>;
    std::map<std::uint64_t, std::vector<Kept>, std::greater<>> by_size;
    for (auto& [value, crossing] : crossings_) {
        if (crossing.is_made_again) continue;
        by_size[data_.getTypeStoreSize(value->getType()).getFixedValue()].emplace_back(value,
                                                                                       &crossing);
    }
    struct Place {
        std::uint64_t offset, bytes;
        llvm::BitVector stops;
    };
    std::vector<Place> places;
    auto place_value = [&](std::uint64_t bytes, const Instruction& value, Crossing& crossing) {
        auto place = std::ranges::find_if(places, [&](const Place& one) {
            return one.bytes == bytes && !one.stops.anyCommon(crossing.stops);
        });
        if (!crossing.is_saved_at_once && place != places.end()) {
            crossing.offset = place->offset;
            place->stops |= crossing.stops;
            return;
        }
        crossing.offset = take(bytes, data_.getABITypeAlign(value.getType()));
        if (!crossing.is_saved_at_once) places.push_back({crossing.offset, bytes, crossing.stops});
    };
    for (auto& [bytes, values] : by_size) {
        for (auto& [value, crossing] : values) place_value(bytes, *value, *crossing);
    }
}

Value* Cutter::in_frame(llvm::IRBuilder<>& builder, std::uint64_t offset) {
    return builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), frame_, offset);
}

// The new entry: from the start, or on from where the gang has stopped.
void Cutter::write_dispatch() {
    llvm::LLVMContext& context = gang_.getContext();
    BasicBlock& entry = gang_.getEntryBlock();
    dispatch_ = BasicBlock::Create(context, "dispatch", &gang_, &entry);
    llvm::IRBuilder<> builder(dispatch_);
    Value* thread = gang_.getArg(0);
    frame_ = load_at(builder, builder.getPtrTy(), thread, offsetof(cpu::ThreadState, frame));
    Value* where =
        load_at(builder, builder.getInt32Ty(), thread, offsetof(cpu::ThreadState, resume_at));
    for (Instruction& instruction : llvm::instructions(gang_)) {
        if (!llvm::isa<llvm::ReturnInst>(instruction)) continue;
        builder.SetInsertPoint(&instruction);
        store_at(builder, builder.getInt32(0), thread, offsetof(cpu::ThreadState, resume_at));
    }
    builder.SetInsertPoint(dispatch_);
    llvm::SwitchInst* resumes = builder.CreateSwitch(where, &entry, stops_.size());
    for (Stop& stop : stops_) {
        stop.resume = BasicBlock::Create(context, "resume", &gang_, stop.behind);
        resumes->addCase(builder.getInt32(resumes->getNumCases() + 1), stop.resume);
    }
    move_locals(entry);
}

// Local variables live in the frame, the emitter's own arrays too: what one use has left in them
// may be what the next one would store, so that it does not.
void Cutter::move_locals(BasicBlock& entry) {
    for (Instruction& instruction : llvm::make_early_inc_range(entry)) {
        auto* local = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
        if (!local) continue;
        for (llvm::User* user : llvm::make_early_inc_range(local->users())) {
            auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(user);
            if (call && call->isLifetimeStartOrEnd()) call->eraseFromParent();
        }
        llvm::IRBuilder<> builder(dispatch_->getTerminator());
        const std::uint64_t bytes = local->getAllocationSize(data_)->getFixedValue();
        local->replaceAllUsesWith(in_frame(builder, take(bytes, local->getAlign())));
        local->eraseFromParent();
    }
}

Value* Cutter::made_again(Value* value, llvm::IRBuilder<>& builder) {
    auto* instruction = llvm::dyn_cast<Instruction>(value);
    if (!instruction || instruction->getParent() == dispatch_) return value;
    if (Value* known = again_.lookup(value)) return known;
    Instruction* copy = instruction->clone();
    for (llvm::Use& operand : copy->operands()) operand.set(made_again(operand.get(), builder));
    return again_[value] = builder.Insert(copy, instruction->getName());
}

void Cutter::write_stop_and_resume(unsigned number) {
    const Stop& stop = stops_[number];
    Value* thread = gang_.getArg(0);
    stop.before->getTerminator()->eraseFromParent();
    llvm::IRBuilder<> leave(stop.before), back(stop.resume);
    again_.clear();
    for (auto& [value, crossing] : crossings_) {
        if (!crossing.stops.test(number)) continue;
        if (crossing.is_made_again) {
            comebacks_.push_back({value, made_again(value, back), stop.resume});
            continue;
        }
        if (!crossing.is_saved_at_once) leave.CreateStore(value, in_frame(leave, crossing.offset));
        Value* loaded = back.CreateLoad(value->getType(), in_frame(back, crossing.offset));
        comebacks_.push_back({value, loaded, stop.resume});
    }
    store_at(leave, leave.getInt32(number + 1), thread, offsetof(cpu::ThreadState, resume_at));
    store_at(leave, &gang_, thread, offsetof(cpu::ThreadState, resume));
    leave.CreateRetVoid();
    back.CreateBr(stop.behind);
}

// Each value, as it is made and as it comes back, through a slot of its own.
void Cutter::connect(llvm::SmallVectorImpl<llvm::AllocaInst*>& slots) {
    llvm::DenseMap<const Instruction*, llvm::AllocaInst*> slot_of;
    for (auto& [value, crossing] : crossings_) {
        if (crossing.is_saved_at_once && !crossing.is_made_again) {
            llvm::IRBuilder<> builder(&*value->getInsertionPointAfterDef().value());
            builder.CreateStore(value, in_frame(builder, crossing.offset));
        }
        slot_of[value] = llvm::DemoteRegToStack(*value, false, dispatch_->begin());
        slots.push_back(slot_of[value]);
    }
    for (const Comeback& comeback : comebacks_) {
        llvm::IRBuilder<> builder(comeback.resume->getTerminator());
        builder.CreateStore(comeback.as, slot_of[comeback.value]);
    }
}

}  // namespace

PreservedAnalyses cut_at_barriers(llvm::Function& gang, GangContext& context) {
    std::uint64_t& bytes = context.form.frame_bytes.emplace(context.form.frame_bytes.value_or(0));
    bytes = std::max(bytes, Cutter(gang).run());
    return PreservedAnalyses::none();
}

}  // namespace warpwise::cpu_compiler::gang
