// The frame of a gang function: prologue, slots, and the walk over the plan's blocks.
#include "src/backends/cpu/compiler/gang/emit/emitter.hpp"

#include "src/backends/cpu/abi.hpp"

namespace warpwise::cpu_compiler::gang {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::Value;

Emitter::Emitter(const Subject& subject)
    : scalar_(subject.scalar),
      gang_(subject.gang),
      plan_(subject.plan),
      shapes_(subject.shapes),
      target_(subject.target),
      layout_(subject.layout),
      has_all_lanes_(subject.has_all_lanes),
      data_(subject.scalar.getDataLayout()),
      builder_(subject.scalar.getContext()),
      entry_builder_(subject.scalar.getContext()),
      registers_(entry_builder_, subject.gang.getArg(0), subject.layout) {}

BasicBlock* Emitter::new_block(const llvm::Twine& name) {
    return BasicBlock::Create(gang_.getContext(), name, &gang_);
}

llvm::AllocaInst* Emitter::new_slot(llvm::Type* type, const llvm::Twine& name) {
    llvm::IRBuilder<> builder(entry_, entry_->begin());
    return builder.CreateAlloca(type, nullptr, name);
}

void Emitter::run() {
    entry_ = new_block("gang");
    starts_.reserve(plan_.blocks().size());
    for (const PlannedBlock& planned : plan_.blocks()) {
        starts_.push_back(new_block(planned.block->getName()));
    }
    returns_ = new_block("returns");
    builder_.SetInsertPoint(returns_);
    builder_.CreateRetVoid();
    write_prologue();
    make_slots();
    for (unsigned index = 0; index < plan_.blocks().size(); ++index) write_block(index);
}

void Emitter::write_prologue() {
    entry_builder_.SetInsertPoint(entry_);
    // Everything the prologue makes goes before its end.
    entry_builder_.SetInsertPoint(entry_builder_.CreateBr(starts_[0]));
    for (llvm::Argument& argument : scalar_.args()) {
        globals_[&argument] = {gang_.getArg(argument.getArgNo())};
    }
    if (has_all_lanes_) {
        llvm::Type* mask = vector_of(builder_.getInt1Ty());
        entry_mask_.assign(layout_.pieces, llvm::Constant::getAllOnesValue(mask));
        return;
    }
    if (layout_.is_block) {
        for (unsigned piece = 0; piece < layout_.pieces; ++piece) {
            entry_mask_.push_back(lanes_of_block(piece));
        }
        return;
    }
    Value* columns = registers_.field(offsetof(cpu::ThreadState, columns));
    Value* limit = entry_builder_.CreateVectorSplat(layout_.width, columns);
    Value* rows = layout_.has_rows() ? registers_.field(offsetof(cpu::ThreadState, rows)) : nullptr;
    for (unsigned piece = 0; piece < layout_.pieces; ++piece) {
        unsigned first = piece % layout_.columns();
        llvm::Constant* numbers = registers_.lane_numbers(first, entry_builder_.getInt32Ty());
        if (rows) {
            Value* row = entry_builder_.getInt32(piece / layout_.columns());
            Value* exists = entry_builder_.CreateICmpULT(row, rows);
            Value* width = entry_builder_.CreateSelect(exists, columns, entry_builder_.getInt32(0));
            limit = entry_builder_.CreateVectorSplat(layout_.width, width);
        }
        entry_mask_.push_back(entry_builder_.CreateICmpULT(numbers, limit));
    }
}

// Of a gang that is a block, the threads there are.
llvm::Constant* Emitter::lanes_of_block(unsigned piece) const {
    llvm::SmallVector<llvm::Constant*, 16> lanes;
    unsigned first = piece % layout_.columns() * layout_.width;
    llvm::Type* bit = llvm::Type::getInt1Ty(gang_.getContext());
    for (unsigned lane = 0; lane < layout_.width; ++lane) {
        lanes.push_back(llvm::ConstantInt::get(bit, first + lane < (*layout_.block)[0]));
    }
    return llvm::ConstantVector::get(lanes);
}

namespace {

bool is_used_elsewhere(const Instruction& instruction) {
    return llvm::any_of(instruction.users(), [&](const llvm::User* user) {
        return llvm::isa<llvm::PHINode>(user) ||
               llvm::cast<Instruction>(user)->getParent() != instruction.getParent();
    });
}

}  // namespace

void Emitter::make_slots() {
    llvm::Type* mask = vector_of(builder_.getInt1Ty());
    for (unsigned index = 0; index < plan_.blocks().size(); ++index) {
        if (plan_[index].mask_owner != index && !plan_[0].leads_to_meeting) continue;
        for (unsigned piece = 0; piece < layout_.pieces; ++piece) {
            llvm::AllocaInst* slot = new_slot(mask, "mask");
            mask_slots_[index].push_back(slot);
            Value* lanes = index == 0 ? entry_mask_[piece] : llvm::Constant::getNullValue(mask);
            entry_builder_.CreateStore(lanes, slot);
        }
    }
    for (const PlannedBlock& planned : plan_.blocks()) {
        for (const Instruction& instruction : *planned.block) {
            bool is_phi = llvm::isa<llvm::PHINode>(instruction);
            if (instruction.getType()->isVoidTy() || llvm::isa<llvm::AllocaInst>(instruction)) {
                continue;
            }
            if (!is_phi && !is_used_elsewhere(instruction)) continue;
            Shape shape = shapes_.of(&instruction);
            llvm::Type* type = slot_type(instruction, shape);
            Parts& slots = slots_[&instruction];
            for (unsigned part = 0; part < count_of_parts(shape); ++part) {
                slots.push_back(new_slot(type, instruction.getName()));
            }
        }
    }
}

// What an earlier iteration left in the masks of its blocks is over.
void Emitter::clear_masks(unsigned header) {
    const llvm::Loop* loop = plan_[header].loop;
    for (const BasicBlock* block : loop->blocks()) {
        unsigned index = plan_.index_of(block);
        auto slots = mask_slots_.find(index);
        if (index == header || slots == mask_slots_.end()) continue;
        for (Value* slot : slots->second) {
            builder_.CreateStore(llvm::Constant::getNullValue(
                                     llvm::cast<llvm::AllocaInst>(slot)->getAllocatedType()),
                                 slot);
        }
    }
}

void Emitter::write_block(unsigned index) {
    current_ = index;
    local_.clear();
    vectors_.clear();
    structs_.clear();
    builder_.SetInsertPoint(starts_[index]);
    mask_ = load_mask(plan_[index].mask_owner);
    if (plan_[index].is_guarded) write_guard(index);
    if (plan_[index].is_header) clear_masks(index);
    note_active_lanes();
    for (Instruction& instruction : *plan_[index].block) {
        if (instruction.isTerminator()) break;
        write_instruction(instruction);
    }
    write_terminator(index);
}

void Emitter::write_instruction(Instruction& instruction) {
    if (done_with_others_.contains(&instruction)) return;
    written_ = &instruction;
    switch (instruction.getOpcode()) {
        case Instruction::PHI:
            return;  // in its slot
        case Instruction::Alloca:
            return write_alloca(llvm::cast<llvm::AllocaInst>(instruction));
        case Instruction::Load:
            return write_load(llvm::cast<llvm::LoadInst>(instruction));
        case Instruction::Store:
            return write_store(llvm::cast<llvm::StoreInst>(instruction));
        case Instruction::AtomicRMW:
        case Instruction::AtomicCmpXchg:
            return write_atomic(instruction);
        case Instruction::Fence:
            builder_.Insert(instruction.clone());
            return;
        case Instruction::Call:
            return write_call(llvm::cast<llvm::CallInst>(instruction));
        case Instruction::ExtractValue:
            return write_extract(llvm::cast<llvm::ExtractValueInst>(instruction));
        default:
            break;
    }
    Shape shape = shapes_.of(&instruction);
    if (shape.is_stepped()) return write_linear(instruction, shape);
    write_elementwise(instruction, shape);
}

}  // namespace warpwise::cpu_compiler::gang
