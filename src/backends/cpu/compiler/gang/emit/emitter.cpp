// The frame of a gang function: prologue, slots, and the walk over the plan's
// blocks.
#include "src/backends/cpu/compiler/gang/emit/emitter.hpp"

#include <llvm/ADT/SetVector.h>

#include "src/backends/cpu/abi.hpp"
#include "src/backends/cpu/compiler/gang/emit/piece_runs.hpp"

namespace warpwise::cpu_compiler::gang {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::Value;

Emitter::Emitter(const Subject& subject)
    : context_(subject),
      state_(context_.state),
      registers_(state_.entry_builder, state_.thread(), state_.layout),
      arithmetic_(context_),
      atomics_(context_),
      calls_(context_, registers_),
      control_(context_),
      memory_(context_) {}

void Emitter::run() {
    state_.entry = state_.new_block("gang");
    state_.starts.reserve(state_.plan.blocks().size());
    for (const PlannedBlock& planned : state_.plan.blocks()) {
        state_.starts.push_back(state_.new_block(planned.block->getName()));
    }
    state_.returns = state_.new_block("returns");
    state_.builder.SetInsertPoint(state_.returns);
    state_.builder.CreateRetVoid();
    write_prologue();
    context_.masks.make_slots();
    note_leaves_of_runs();
    context_.values.make_slots();
    for (unsigned index = 0; index < state_.plan.blocks().size(); ++index) write_block(index);
}

void Emitter::note_leaves_of_runs() {
    for (const PlannedBlock& planned : state_.plan.blocks()) {
        for (Instruction& instruction : *planned.block) {
            const auto note = [&](const auto* found) {
                if (found == nullptr) return;
                for (const Instruction* leaf : found->leaves) {
                    if (leaf->getParent() != planned.block) state_.read_elsewhere.insert(leaf);
                }
            };
            auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
            if (load != nullptr) note(state_.lane_runs.of(*load));
            note(state_.lane_periods.of(instruction));
        }
    }
}

void Emitter::write_prologue() {
    state_.entry_builder.SetInsertPoint(state_.entry);
    // Everything the prologue makes goes before its end.
    state_.entry_builder.SetInsertPoint(state_.entry_builder.CreateBr(state_.starts[0]));
    for (llvm::Argument& argument : state_.scalar.args()) {
        context_.values.define_global(&argument, {state_.gang.getArg(argument.getArgNo())});
    }
    if (state_.has_all_lanes) {
        llvm::Type* mask = state_.vector_of(state_.builder.getInt1Ty());
        state_.entry_mask.assign(state_.layout.pieces, llvm::Constant::getAllOnesValue(mask));
        return;
    }
    if (state_.layout.is_block) {
        for (unsigned piece = 0; piece < state_.layout.pieces; ++piece) {
            state_.entry_mask.push_back(lanes_of_block(piece));
        }
        return;
    }
    Value* columns = registers_.field(offsetof(cpu::ThreadState, columns));
    Value* limit = state_.entry_builder.CreateVectorSplat(state_.layout.width, columns);
    Value* rows =
        state_.layout.has_rows() ? registers_.field(offsetof(cpu::ThreadState, rows)) : nullptr;
    for (unsigned piece = 0; piece < state_.layout.pieces; ++piece) {
        unsigned first = piece % state_.layout.columns();
        llvm::Constant* numbers = registers_.lane_numbers(first, state_.entry_builder.getInt32Ty());
        if (rows) {
            Value* row = state_.entry_builder.getInt32(piece / state_.layout.columns());
            Value* exists = state_.entry_builder.CreateICmpULT(row, rows);
            Value* width = state_.entry_builder.CreateSelect(exists, columns,
                                                             state_.entry_builder.getInt32(0));
            limit = state_.entry_builder.CreateVectorSplat(state_.layout.width, width);
        }
        state_.entry_mask.push_back(state_.entry_builder.CreateICmpULT(numbers, limit));
    }
}

// Of a gang that is a block, the threads there are.
llvm::Constant* Emitter::lanes_of_block(unsigned piece) const {
    llvm::SmallVector<llvm::Constant*, 16> lanes;
    unsigned first = piece % state_.layout.columns() * state_.layout.width;
    llvm::Type* bit = llvm::Type::getInt1Ty(state_.gang.getContext());
    for (unsigned lane = 0; lane < state_.layout.width; ++lane) {
        lanes.push_back(llvm::ConstantInt::get(bit, first + lane < (*state_.layout.block)[0]));
    }
    return llvm::ConstantVector::get(lanes);
}

void Emitter::write_block(unsigned index) {
    const PlannedBlock& planned = state_.plan[index];
    state_.current = index;
    context_.values.begin_block();
    state_.builder.SetInsertPoint(state_.starts[index]);
    state_.mask = context_.masks.load(planned.mask_owner);
    if (planned.is_guarded) control_.write_guard(index);
    state_.mask = context_.masks.with_numbers(index, std::move(state_.mask));
    if (planned.is_header) context_.masks.clear_loop(index);
    context_.masks.note_active_lanes();
    const BlockSchedule schedule(*planned.block, state_);
    for (const Run& run : piece_runs(schedule, state_)) {
        if (run.is_by_piece) {
            write_by_piece(run.steps);
            continue;
        }
        for (const BlockSchedule::Step& step : run.steps) write_step(step);
    }
    control_.write_terminator(index);
}

namespace {

using Within = llvm::SetVector<const Value*>;

Within instructions_of(llvm::ArrayRef<BlockSchedule::Step> steps) {
    Within within;
    for (const BlockSchedule::Step& step : steps) {
        within.insert(step.instruction);
        for (const Instruction* column : step.table) {
            if (column != nullptr) within.insert(column);
        }
    }
    return within;
}

// The instructions whose values code behind `steps` reads. Code lane by lane makes addresses and
// widenings again, of their operands.
Within results_of(const Within& within) {
    Within results;
    for (const Value* value : within) {
        const bool is_read_behind = llvm::any_of(
            value->users(), [&](const llvm::User* user) { return !within.contains(user); });
        if (is_read_behind) results.insert(value);
    }
    for (std::size_t i = 0; i < results.size(); ++i) {
        if (!llvm::isa<llvm::GetElementPtrInst, llvm::CastInst>(results[i])) continue;
        for (const Value* operand : llvm::cast<Instruction>(results[i])->operands()) {
            if (within.contains(operand)) results.insert(operand);
        }
    }
    return results;
}

}  // namespace

// A piece without a lane leaves nothing in its vectors, which are not read. Its scalars are 0:
// code for the lanes that are left may compute with the scalars of all pieces.
void Emitter::write_by_piece(llvm::ArrayRef<BlockSchedule::Step> steps) {
    Values& values = context_.values;
    llvm::IRBuilder<>& builder = state_.builder;
    const Within results = results_of(instructions_of(steps));
    std::vector<Parts> parts(results.size());
    share_operands(steps);
    for (unsigned piece = 0; piece < state_.layout.pieces; ++piece) {
        BasicBlock* body = state_.new_block("piece");
        BasicBlock* next = state_.new_block("piece.done");
        BasicBlock* before = builder.GetInsertBlock();
        builder.CreateCondBr(context_.masks.any_of(state_.mask[piece]), body, next);
        builder.SetInsertPoint(body);
        Values::Known known = values.known();
        values.write_one_piece(piece);
        for (const BlockSchedule::Step& step : steps) write_step(step);
        values.write_one_piece(std::nullopt);
        body = builder.GetInsertBlock();
        builder.CreateBr(next);
        builder.SetInsertPoint(next);
        for (std::size_t i = 0; i < results.size(); ++i) {
            Value* made = values.part_of(results[i], piece);
            llvm::Type* type = made->getType();
            llvm::PHINode* joined = builder.CreatePHI(type, 2);
            joined->addIncoming(made, body);
            joined->addIncoming(type->isVectorTy() ? llvm::PoisonValue::get(type)
                                                   : llvm::Constant::getNullValue(type),
                                before);
            parts[i].push_back(joined);
        }
        values.restore(std::move(known));
    }
    for (std::size_t i = 0; i < results.size(); ++i)
        values.define(*llvm::cast<Instruction>(results[i]), parts[i]);
}

// What pieces have in common is made once, before any of them.
void Emitter::share_operands(llvm::ArrayRef<BlockSchedule::Step> steps) {
    Values& values = context_.values;
    const Within within = instructions_of(steps);
    auto share = [&](Instruction& instruction) {
        for (Value* operand : instruction.operands()) {
            if (llvm::isa<llvm::Constant>(operand) || within.contains(operand)) continue;
            values.parts_of(operand);
            const Shape shape = state_.shapes.of(operand);
            const bool is_same_in_all = shape.is_single() && shape.row->is_zero();
            if (is_same_in_all) values.vector(operand, 0);
        }
    };
    for (const BlockSchedule::Step& step : steps) {
        share(*step.instruction);
        for (Instruction* column : step.table) {
            if (column != nullptr) share(*column);
        }
    }
}

void Emitter::write_step(const BlockSchedule::Step& step) {
    state_.written = step.instruction;
    if (step.table.empty()) return write_instruction(*step.instruction);
    memory_.write_table(*step.instruction, step.table);
}

void Emitter::write_instruction(Instruction& instruction) {
    switch (instruction.getOpcode()) {
        case Instruction::PHI:
            return;  // in its slot
        case Instruction::Alloca:
            return memory_.write_alloca(llvm::cast<llvm::AllocaInst>(instruction));
        case Instruction::Load:
            return memory_.write_load(llvm::cast<llvm::LoadInst>(instruction));
        case Instruction::Store:
            return memory_.write_store(llvm::cast<llvm::StoreInst>(instruction));
        case Instruction::AtomicRMW:
        case Instruction::AtomicCmpXchg:
            return atomics_.write(instruction);
        case Instruction::Fence:
            state_.builder.Insert(instruction.clone());
            return;
        case Instruction::Call:
            return calls_.write(llvm::cast<llvm::CallInst>(instruction));
        case Instruction::ExtractValue:
            return calls_.write_extract(llvm::cast<llvm::ExtractValueInst>(instruction));
        default:
            return arithmetic_.write(instruction);
    }
}

}  // namespace warpwise::cpu_compiler::gang
