// The frame of a gang function: prologue, slots, and the walk over the plan's
// blocks.
#include "src/backends/cpu/compiler/gang/emit/emitter.hpp"

#include "src/backends/cpu/abi.hpp"

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
    context_.values.make_slots();
    for (unsigned index = 0; index < state_.plan.blocks().size(); ++index) write_block(index);
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
    if (planned.is_header) context_.masks.clear_loop(index);
    context_.masks.note_active_lanes();
    const BlockSchedule schedule(*planned.block, state_);
    for (const BlockSchedule::Step& step : schedule.steps()) write_step(step);
    control_.write_terminator(index);
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
