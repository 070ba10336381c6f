// A kernel that never waits, compiled for one shape of blocks, runs blocks of one row of the grid
// by itself: a loop over the blocks, one over the gangs of each, and the gang function inlined. The
// run time calls it once for many blocks, and what is the same for all of them is computed once.
//
// Where the gang function is one round of a grid-stride loop (passes/grid_rounds.cpp), all blocks
// run the first round, then all of them the second one.
//
// Blocks of several rows that stream through memory run row by row.
//
// Where gangs end with rows of the kernel's data (passes/split_rows.cpp), each begins where the one
// before has ended, and the kernel says where it ends.
//
// The loops, and the places of blocks and gangs as values in them instead of loads.
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <vector>

#include "src/backends/cpu/abi.hpp"
#include "src/backends/cpu/compiler/gang/analysis/markers.hpp"
#include "src/backends/cpu/compiler/gang/passes/passes.hpp"
#include "src/backends/cpu/compiler/gang/target/costs.hpp"
#include "src/backends/cpu/compiler/lowering/threads/thread_state.hpp"

namespace warpwise::cpu_compiler::gang {
namespace {

using llvm::Value;

constexpr std::size_t kWord = sizeof(std::uint32_t);

class BlockRun {
  public:
    // `made` has no body yet.
    BlockRun(llvm::Function& made, const BlockLoop& input);

    void write();

  private:
    // Begins a loop of so many iterations at the builder's position, and returns the iteration.
    Value* loop(Value* iterations);
    // Begin the loops over blocks and the gangs of each; the builder is then inside of all of them.
    void begin_rounds();
    void place_block();
    void place_gang();
    llvm::PHINode* begin_loop(Value* start);
    void end_loop_below(llvm::PHINode* number, Value* next, Value* end);
    Value* inlined(llvm::Function& question);
    void place_gang_in_row();
    bool goes_along_rows() const;
    void go_along_rows();
    Value* first_along(unsigned axis);
    void place_linear();
    Value* mark_place();
    void keep_mark(Value* mark);
    void store_place();
    void store_lanes(Value* lanes);
    void store_word(Value* base, std::size_t offset, Value* word);
    void store_active(Value* lanes);
    Value* words_of(Value* lanes, unsigned count);
    void inline_gang(llvm::CallInst& call);
    void stand_calls_on_their_place();
    bool writes_active() const;
    std::optional<std::uint64_t> offset_in_thread(const Value* pointer) const;
    Value* known_value(const llvm::LoadInst& load) const;
    static void replace(llvm::LoadInst& load, Value& value);
    void load_arguments_once();
    void replace_loads();

    llvm::Function& gang_;
    const GangForm& form_;
    const BlockShape dim_;
    const bool marks_places_;
    llvm::Function& made_;
    llvm::IRBuilder<> builder_;
    Value* thread_;
    Value* block_ = nullptr;
    Value* key_ = nullptr;
    Value* first_block_ = nullptr;
    Value* block_x_ = nullptr;
    const SplitRows* split_rows_;
    Value* row_thread_ = nullptr;
    Value* lanes_ = nullptr;  // of the gang; null: all
    llvm::Function* count_rounds_;
    Value* round_ = nullptr;
    Value* place_[3] = {};  // threadIdx of a gang's first thread
    Value* linear_ = nullptr;
};

// Assembly without instructions.
llvm::CallInst* create_opaque(llvm::IRBuilder<>& builder, llvm::FunctionType* type,
                              const char* constraints, Value* operand) {
    auto* nothing = llvm::InlineAsm::get(type, "", constraints, /*hasSideEffects=*/true);
    llvm::CallInst* call = builder.CreateCall(type, nothing, {operand});
    call->setOnlyAccessesInaccessibleMemory();
    call->setDoesNotThrow();
    return call;
}

BlockRun::BlockRun(llvm::Function& made, const BlockLoop& input)
    : gang_(*input.gang),
      form_(*input.form),
      dim_(input.block),
      marks_places_(!input.calls_runtime),
      made_(made),
      builder_(llvm::BasicBlock::Create(made.getContext(), "", &made)),
      thread_(made.getArg(0)),
      split_rows_(input.split_rows),
      count_rounds_(input.rounds) {}

Value* BlockRun::loop(Value* iterations) {
    auto [body, iteration] =
        llvm::SplitBlockAndInsertSimpleForLoop(iterations, &*builder_.GetInsertPoint());
    builder_.SetInsertPoint(body);
    return iteration;
}

void BlockRun::store_word(Value* base, std::size_t offset, Value* word) {
    Value* at = builder_.CreateConstInBoundsGEP1_64(builder_.getInt8Ty(), base, offset);
    // Faults report where they happened: no pass may leave it out.
    builder_.CreateStore(word, at, /*isVolatile=*/true);
}

// The lanes of the gang, as its function expects to find them; without `lanes`, all.
void BlockRun::store_active(Value* lanes) {
    constexpr unsigned bits = cpu::kActiveBits;
    const unsigned words_of_row = std::max(1u, form_.columns / bits);
    std::vector<std::uint16_t> active(words_of_row * (form_.is_linear ? 1 : form_.rows));
    for (std::uint16_t& word : active) {
        word = static_cast<std::uint16_t>((1u << std::min(form_.columns, bits)) - 1);
    }
    Value* words = llvm::ConstantDataVector::get(made_.getContext(), active);
    if (lanes != nullptr) words = words_of(lanes, words_of_row);
    Value* at = builder_.CreateConstInBoundsGEP1_64(builder_.getInt8Ty(), thread_,
                                                    offsetof(cpu::ThreadState, active));
    builder_.CreateAlignedStore(words, at, llvm::Align(alignof(std::uint16_t)), true);
}

// The first `lanes` bits of so many words.
Value* BlockRun::words_of(Value* lanes, unsigned count) {
    llvm::SmallVector<std::uint32_t> before;
    for (unsigned word = 0; word < count; ++word) before.push_back(word * cpu::kActiveBits);
    const auto each = [&](std::uint32_t value) {
        return builder_.CreateVectorSplat(count, builder_.getInt32(value));
    };
    Value* left = builder_.CreateBinaryIntrinsic(
        llvm::Intrinsic::usub_sat, builder_.CreateVectorSplat(count, lanes),
        llvm::ConstantDataVector::get(made_.getContext(), before));
    left = builder_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, left, each(cpu::kActiveBits));
    Value* bits = builder_.CreateSub(builder_.CreateShl(each(1), left), each(1));
    return builder_.CreateTrunc(bits, llvm::FixedVectorType::get(builder_.getInt16Ty(), count));
}

void BlockRun::begin_rounds() {
    Value* count = builder_.CreateCall(count_rounds_, {thread_, made_.getArg(1)});
    round_ =
        loop(builder_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, count, builder_.getInt64(1)));
}

void BlockRun::place_block() {
    block_x_ = builder_.CreateAdd(first_block_, loop(made_.getArg(2)));
    place_gang();
}

void BlockRun::place_gang() {
    if (split_rows_ != nullptr) return place_gang_in_row();
    auto constant = [this](std::uint32_t value) { return builder_.getInt32(value); };
    const BlockShape& dim = dim_;
    if (form_.is_linear) {
        Value* gang = loop(constant(dim_[0] * dim_[1] * dim_[2] / form_.columns));
        linear_ = builder_.CreateMul(gang, constant(form_.columns));
        Value* row = builder_.CreateUDiv(linear_, constant(dim[0]));
        place_[0] = builder_.CreateURem(linear_, constant(dim[0]));
        place_[1] = builder_.CreateURem(row, constant(dim[1]));
        place_[2] = builder_.CreateUDiv(row, constant(dim[1]));
        return;
    }
    for (unsigned axis = 3; axis-- > 0;) place_[axis] = first_along(axis);
    place_linear();
}

// Begins a loop over numbers from `start` on at the builder's position, and returns the number.
llvm::PHINode* BlockRun::begin_loop(Value* start) {
    llvm::BasicBlock* before = builder_.GetInsertBlock();
    llvm::Instruction* behind = &*builder_.GetInsertPoint();
    llvm::BasicBlock* body = llvm::SplitBlock(before, behind);
    llvm::SplitBlock(body, behind);
    builder_.SetInsertPoint(body->getTerminator());
    llvm::PHINode* number = builder_.CreatePHI(builder_.getInt32Ty(), 2);
    number->addIncoming(start, before);
    return number;
}

// Ends it: there is another iteration where `next` is below `end`. The builder stays inside.
void BlockRun::end_loop_below(llvm::PHINode* number, Value* next, Value* end) {
    llvm::BasicBlock* body = builder_.GetInsertBlock();
    llvm::Instruction* exit = body->getTerminator();
    Value* stays = builder_.CreateICmpULT(next, end);
    auto* branch = llvm::BranchInst::Create(number->getParent(), exit->getSuccessor(0), stays);
    llvm::ReplaceInstWithInst(exit, branch);
    number->addIncoming(next, body);
    builder_.SetInsertPoint(branch);
}

// The answer, made here.
Value* BlockRun::inlined(llvm::Function& question) {
    llvm::CallInst* call = builder_.CreateCall(&question, {thread_, made_.getArg(1)});
    auto* use = llvm::cast<llvm::Instruction>(builder_.CreateFreeze(call));
    llvm::InlineFunctionInfo info;
    llvm::InlineFunction(*call, info);
    Value* answer = use->getOperand(0);
    use->eraseFromParent();
    question.eraseFromParent();
    return answer;
}

// In a loop over rows, and one over the threads of each.
void BlockRun::place_gang_in_row() {
    Value* end_of_block = builder_.getInt32(dim_[0]);
    llvm::PHINode* row = begin_loop(builder_.getInt32(0));
    row_thread_ = row;
    Value* threads = inlined(*split_rows_->threads);
    Value* left_in_block = builder_.CreateSub(end_of_block, row);
    Value* end = builder_.CreateAdd(
        row, builder_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, threads, left_in_block));
    end_loop_below(row, end, end_of_block);
    llvm::PHINode* first = begin_loop(row);
    linear_ = place_[0] = first;
    place_[1] = place_[2] = builder_.getInt32(0);
    Value* left = builder_.CreateSub(end, first);
    lanes_ = builder_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, left,
                                            builder_.getInt32(split_rows_->width));
    Value* is_usual = inlined(*split_rows_->is_usual);
    if (form_.columns > split_rows_->width) {
        Value* all = builder_.getInt32(form_.columns);
        Value* are_all = builder_.CreateAnd(builder_.CreateICmpUGE(left, all), is_usual);
        lanes_ = builder_.CreateSelect(are_all, all, lanes_);
    }
    end_loop_below(first, builder_.CreateAdd(first, lanes_), end);
}

// Of a gang, in a loop over them.
Value* BlockRun::first_along(unsigned axis) {
    const unsigned size = std::array{form_.columns, form_.rows, 1U}[axis];
    const unsigned count = dim_[axis] / size;
    if (count == 1) return builder_.getInt32(0);
    return builder_.CreateMul(loop(builder_.getInt32(count)), builder_.getInt32(size));
}

void BlockRun::place_linear() {
    auto constant = [this](std::uint32_t value) { return builder_.getInt32(value); };
    Value* rows = builder_.CreateAdd(place_[1], builder_.CreateMul(place_[2], constant(dim_[1])));
    linear_ = builder_.CreateAdd(place_[0], builder_.CreateMul(rows, constant(dim_[0])));
}

bool BlockRun::goes_along_rows() const {
    const bool has_rows = dim_[1] > form_.rows || dim_[2] > 1;
    return has_rows && !form_.is_linear && form_.is_streaming && marks_places_ &&
           dim_[0] < costs::kRowOfRun;
}

// Several blocks' first rows, then their second ones: the processor foresees what one long row
// reads and not what eight short ones do. Not of a whole row of the grid: what a row and the next
// one share must still be in the first cache.
void BlockRun::go_along_rows() {
    Value* count = made_.getArg(2);
    const std::uint32_t most = costs::kRowOfRun / dim_[0];
    Value* chunks = builder_.CreateUDiv(builder_.CreateAdd(count, builder_.getInt32(most - 1)),
                                        builder_.getInt32(most));
    Value* done = builder_.CreateMul(loop(chunks), builder_.getInt32(most));
    Value* blocks = builder_.CreateBinaryIntrinsic(
        llvm::Intrinsic::umin, builder_.CreateSub(count, done), builder_.getInt32(most));
    place_[2] = first_along(2);
    place_[1] = first_along(1);
    block_x_ = builder_.CreateAdd(builder_.CreateAdd(first_block_, done), loop(blocks));
    place_[0] = first_along(0);
    place_linear();
}

// The value that a fault handler finds a gang by: its place, encrypted with the key of the run, in
// a register or on the stack wherever the code generator keeps it. The empty assembly makes it
// opaque, so that it is neither recomputed nor split. A store to memory for each gang instead,
// among those of the program, costs saxpy 20 to 50 % on an Intel Xeon: stores of whole lines that
// follow each other take a faster path.
Value* BlockRun::mark_place() {
    llvm::Type* wide = builder_.getInt64Ty();
    Value* block = builder_.CreateShl(builder_.CreateZExt(block_x_, wide), cpu::kPlaceBlockShift);
    Value* place = builder_.CreateOr(block, builder_.CreateZExt(linear_, wide));
    if (round_ != nullptr) {
        place = builder_.CreateOr(place, builder_.CreateShl(round_, cpu::kPlaceRoundShift));
    }
    auto* type = llvm::FunctionType::get(wide, {wide}, false);
    return create_opaque(builder_, type, "=r,0", builder_.CreateXor(place, key_));
}

// Behind the gang, so that the mark lives as long as the gang runs.
void BlockRun::keep_mark(Value* mark) {
    auto* type = llvm::FunctionType::get(builder_.getVoidTy(), {mark->getType()}, false);
    create_opaque(builder_, type, "r", mark)
        ->setMetadata(kEndOfGang, llvm::MDNode::get(made_.getContext(), {}));
}

void BlockRun::store_place() {
    store_word(block_, offsetof(cpu::BlockState, block_index), block_x_);
    for (std::size_t axis = 0; axis < 3; ++axis) {
        store_word(thread_, offsetof(cpu::ThreadState, thread_index) + axis * kWord, place_[axis]);
    }
    store_word(thread_, offsetof(cpu::ThreadState, linear_index), linear_);
    if (round_ != nullptr) store_word(thread_, offsetof(cpu::ThreadState, round), round_);
    if (lanes_ == nullptr) return;
    store_word(thread_, offsetof(cpu::ThreadState, row_thread), row_thread_);
    store_lanes(lanes_);
}

void BlockRun::store_lanes(Value* lanes) {
    store_word(thread_, offsetof(cpu::ThreadState, lanes), lanes);
    store_word(thread_, offsetof(cpu::ThreadState, columns), lanes);
}

// The gang function, and of those that it chooses from the one for full gangs, which comes first.
void BlockRun::inline_gang(llvm::CallInst& call) {
    llvm::Function& callee = *call.getCalledFunction();
    if (callee.getInstructionCount() > costs::kLargestInlined) return;
    llvm::InlineFunctionInfo inlined;
    if (!llvm::InlineFunction(call, inlined).isSuccess()) return;
    if (callee.use_empty()) callee.eraseFromParent();
    llvm::SmallVector<llvm::CallInst*> choices;
    for (llvm::CallBase* made : inlined.InlinedCallSites) {
        auto* choice = llvm::dyn_cast<llvm::CallInst>(made);
        if (!choice) continue;
        llvm::Function* chosen = choice->getCalledFunction();
        if (chosen && chosen->hasInternalLinkage() && chosen->hasOneUse() &&
            llvm::is_contained(form_.preferred, chosen)) {
            choices.push_back(choice);
        }
    }
    for (llvm::CallInst* choice : choices) inline_gang(*choice);
}

std::optional<std::uint64_t> BlockRun::offset_in_thread(const Value* pointer) const {
    llvm::APInt offset(64, 0);
    pointer = pointer->stripAndAccumulateConstantOffsets(made_.getDataLayout(), offset, true);
    return pointer == thread_ ? std::optional(offset.getZExtValue()) : std::nullopt;
}

// What a load of the gang function reads, where this function has it as a value.
Value* BlockRun::known_value(const llvm::LoadInst& load) const {
    if (std::optional<std::uint64_t> at = offset_in_thread(load.getPointerOperand())) {
        if (*at == offsetof(cpu::ThreadState, block)) return block_;
        if (*at == offsetof(cpu::ThreadState, linear_index)) return linear_;
        if (*at == offsetof(cpu::ThreadState, round)) return round_;
        if (*at == offsetof(cpu::ThreadState, row_thread)) return row_thread_;
        if (*at == offsetof(cpu::ThreadState, lanes)) return lanes_;
        if (*at == offsetof(cpu::ThreadState, columns)) return lanes_;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            if (*at == offsetof(cpu::ThreadState, thread_index) + axis * kWord) return place_[axis];
        }
    }
    llvm::APInt offset(64, 0);
    const Value* base = load.getPointerOperand()->stripAndAccumulateConstantOffsets(
        made_.getDataLayout(), offset, true);
    const bool is_index = base == block_ && offset == offsetof(cpu::BlockState, block_index);
    return is_index ? block_x_ : nullptr;
}

bool BlockRun::writes_active() const {
    constexpr std::size_t first = offsetof(cpu::ThreadState, active);
    return llvm::any_of(llvm::instructions(made_), [&](const llvm::Instruction& instruction) {
        auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
        if (!store) return false;
        const std::optional<std::uint64_t> at = offset_in_thread(store->getPointerOperand());
        return at && *at >= first && *at < first + sizeof(cpu::ThreadState::active);
    });
}

// Functions that were not inlined look for their place in memory.
void BlockRun::stand_calls_on_their_place() {
    llvm::SmallVector<llvm::CallInst*> calls;
    for (llvm::Instruction& instruction : llvm::instructions(made_)) {
        auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
        if (!call || call->getCalledFunction() == count_rounds_) continue;
        if (llvm::is_contained(call->args(), thread_)) calls.push_back(call);
    }
    for (llvm::CallInst* call : calls) {
        builder_.SetInsertPoint(call);
        store_place();
        if (llvm::isa<llvm::IntrinsicInst>(call)) continue;  // a copy of the gang's state
        builder_.SetInsertPoint(call->getNextNode());
        store_active(lanes_);
    }
}

// The place of a gang is a number: what is frozen of it, to keep copies of the kernel right
// whatever they read, is the same.
void BlockRun::replace(llvm::LoadInst& load, Value& value) {
    for (llvm::User* user : llvm::make_early_inc_range(load.users())) {
        auto* freeze = llvm::dyn_cast<llvm::FreezeInst>(user);
        if (freeze == nullptr) continue;
        freeze->replaceAllUsesWith(&value);
        freeze->eraseFromParent();
    }
    load.replaceAllUsesWith(&value);
}

// What a launch is given, once and in front of the loops, wherever copies of the kernel read it.
// It is a number as well: frozen in each copy, it would count as another one in each.
void BlockRun::load_arguments_once() {
    llvm::SmallVector<llvm::LoadInst*> loads;
    for (llvm::Instruction& instruction : llvm::instructions(made_)) {
        auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
        if (load && load->hasMetadata(llvm::LLVMContext::MD_invariant_load)) loads.push_back(load);
    }
    std::map<std::pair<std::uint64_t, llvm::Type*>, llvm::LoadInst*> known;
    for (llvm::LoadInst* load : loads) {
        llvm::APInt offset(64, 0);
        const Value* base = load->getPointerOperand()->stripAndAccumulateConstantOffsets(
            made_.getDataLayout(), offset, true);
        if (base != made_.getArg(1)) continue;
        llvm::LoadInst*& first = known[{offset.getZExtValue(), load->getType()}];
        if (first == nullptr) {
            llvm::BasicBlock& entry = made_.getEntryBlock();
            builder_.SetInsertPoint(&entry, entry.getFirstInsertionPt());
            Value* at = builder_.CreateConstGEP1_64(builder_.getInt8Ty(), made_.getArg(1),
                                                    offset.getZExtValue());
            first = llvm::cast<llvm::LoadInst>(load->clone());
            first->setOperand(0, at);
            builder_.Insert(first);
        }
        replace(*load, *first);
        load->eraseFromParent();
    }
}

// The gang function takes its place for something that never changes, and never changes it. Here it
// does change, and is not in memory.
void BlockRun::replace_loads() {
    llvm::SmallVector<llvm::LoadInst*> replaced;
    for (bool has_changed = true; has_changed;) {  // the block first, then what is loaded from it
        has_changed = false;
        for (llvm::Instruction& instruction : llvm::instructions(made_)) {
            auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
            if (!load || load == block_ || load == first_block_ || load->use_empty()) continue;
            Value* value = known_value(*load);
            if (!value || value->getType() != load->getType()) continue;
            replace(*load, *value);
            replaced.push_back(load);
            has_changed = true;
        }
    }
    for (llvm::LoadInst* load : replaced) load->eraseFromParent();
}

void BlockRun::write() {
    llvm::Instruction* end = builder_.CreateRetVoid();
    builder_.SetInsertPoint(end);
    block_ = load_at(builder_, builder_.getPtrTy(), thread_, offsetof(cpu::ThreadState, block));
    constexpr std::size_t index = offsetof(cpu::BlockState, block_index);
    first_block_ = load_at(builder_, builder_.getInt32Ty(), block_, index);
    if (marks_places_) {
        constexpr std::size_t key = offsetof(cpu::ThreadState, place_key);
        key_ = load_at(builder_, builder_.getInt64Ty(), thread_, key);
    }
    Value* count = made_.getArg(2);
    Value* last = builder_.CreateSub(builder_.CreateAdd(first_block_, count), builder_.getInt32(1));
    if (count_rounds_ != nullptr) begin_rounds();
    if (goes_along_rows()) {
        go_along_rows();
    } else {
        place_block();
    }
    Value* mark = marks_places_ ? mark_place() : nullptr;
    if (!marks_places_) store_place();
    llvm::CallInst* call = builder_.CreateCall(&gang_, {thread_, made_.getArg(1)});
    if (mark) keep_mark(mark);
    llvm::Instruction* begin = call->getPrevNode();
    inline_gang(*call);
    replace_loads();
    if (split_rows_ != nullptr) load_arguments_once();
    if (writes_active() || (lanes_ != nullptr && !marks_places_)) {
        builder_.SetInsertPoint(begin->getNextNode());
        store_active(lanes_);
    }
    if (marks_places_) stand_calls_on_their_place();
    builder_.SetInsertPoint(end);
    store_word(block_, index, last);
    if (lanes_ == nullptr) return;
    store_lanes(builder_.getInt32(form_.columns));
    store_active(nullptr);
}

}  // namespace

PreservedAnalyses loop_over_blocks(llvm::Function& run, GangContext& context) {
    BlockRun(run, context.block_loop).write();
    return PreservedAnalyses::none();
}

}  // namespace warpwise::cpu_compiler::gang
