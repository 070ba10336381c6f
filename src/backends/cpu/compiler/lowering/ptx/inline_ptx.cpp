// Inline PTX as IR: operands and results of one statement, instruction by instruction through the
// rows. What no row knows stays as it is, for report_leftovers().
#include "src/backends/cpu/compiler/lowering/ptx/inline_ptx.hpp"

#include <llvm/ADT/ScopeExit.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "src/backends/cpu/compiler/lowering/lowering.hpp"
#include "src/backends/cpu/compiler/lowering/services/service_table.hpp"
#include "src/backends/cpu/compiler/lowering/threads/registers.hpp"

namespace warpwise::cpu_compiler {

using llvm::StringRef;
using llvm::Type;
using llvm::Value;

bool has_part(const PtxInstruction& instruction, StringRef part) {
    return llvm::is_contained(llvm::drop_begin(instruction.opcode), part);
}

PtxStatement::PtxStatement(llvm::CallInst& call)
    : call_(call),
      builder_(&call),
      text_(llvm::cast<llvm::InlineAsm>(call.getCalledOperand())->getAsmString()) {
    const auto* text = llvm::cast<llvm::InlineAsm>(call.getCalledOperand());
    unsigned input = 0;
    for (const llvm::InlineAsm::ConstraintInfo& constraint : text->ParseConstraints()) {
        if (constraint.Type == llvm::InlineAsm::isOutput) {
            ++output_count_;
            outputs_.push_back(nullptr);
        }
        if (constraint.Type != llvm::InlineAsm::isInput) continue;
        // "+r": an input that begins as the value of an output.
        unsigned tied = 0;
        if (!constraint.Codes.empty() && !StringRef(constraint.Codes[0]).getAsInteger(10, tied)) {
            if (tied < output_count_) outputs_[tied] = call.getArgOperand(input);
        }
        ++input;
    }
}

Type* PtxStatement::output_type(unsigned number) const {
    Type* type = call_.getType();
    return output_count_ == 1 ? type : llvm::cast<llvm::StructType>(type)->getElementType(number);
}

Value* PtxStatement::new_slot() {
    llvm::BasicBlock& entry = call_.getFunction()->getEntryBlock();
    llvm::IRBuilder<> first(&entry, entry.getFirstInsertionPt());
    return first.CreateAlloca(builder_.getInt64Ty());
}

Value* PtxStatement::output(unsigned number) {
    if (is_in_memory_) {
        Value* bits = builder_.CreateLoad(builder_.getInt64Ty(), outputs_[number]);
        return recast(bits, output_type(number));
    }
    if (!outputs_[number]) return llvm::Constant::getNullValue(output_type(number));
    return outputs_[number];
}

Type* PtxStatement::type_of(StringRef name) {
    if (name == "pred") return builder_.getInt1Ty();
    if (name == "f16") return builder_.getHalfTy();
    if (name == "bf16") return builder_.getBFloatTy();
    if (name == "f16x2" || name == "bf16x2") return builder_.getInt32Ty();
    if (name == "f32") return builder_.getFloatTy();
    if (name == "f64") return builder_.getDoubleTy();
    unsigned bits = 0;
    if (name.size() < 2 || !StringRef("usb").contains(name[0])) return nullptr;
    if (name.drop_front().getAsInteger(10, bits)) return nullptr;
    return bits == 8 || bits == 16 || bits == 32 || bits == 64 || bits == 128
               ? builder_.getIntNTy(bits)
               : nullptr;
}

Value* PtxStatement::recast(Value* value, Type* type) {
    if (value->getType() == type) return value;
    if (value->getType()->isPointerTy()) {
        value = builder_.CreatePtrToInt(value, builder_.getInt64Ty());
    }
    const unsigned from = value->getType()->getPrimitiveSizeInBits();
    value = builder_.CreateBitCast(value, builder_.getIntNTy(from));
    if (type->isPointerTy()) {
        return builder_.CreateIntToPtr(builder_.CreateZExtOrTrunc(value, builder_.getInt64Ty()),
                                       type);
    }
    const unsigned to = type->getPrimitiveSizeInBits();
    return builder_.CreateBitCast(builder_.CreateZExtOrTrunc(value, builder_.getIntNTy(to)), type);
}

// "7", "-1", "0x1f", and floats by their bits: "0f3F800000", "0d3FF0000000000000".
Value* PtxStatement::constant(StringRef text, Type* type) {
    std::uint64_t bits = 0;
    StringRef digits = text;
    if (digits.consume_front_insensitive("0f") && digits.size() == 8 &&
        !digits.getAsInteger(16, bits)) {
        return recast(recast(builder_.getInt64(bits), builder_.getFloatTy()), type);
    }
    digits = text;
    if (digits.consume_front_insensitive("0d") && digits.size() == 16 &&
        !digits.getAsInteger(16, bits)) {
        return recast(builder_.getInt64(bits), type);
    }
    digits = text;
    if (type->isFloatingPointTy()) {
        double number = 0;
        return digits.getAsDouble(number) ? nullptr : llvm::ConstantFP::get(type, number);
    }
    const bool is_negative = digits.consume_front("-");
    digits.consume_back_insensitive("U");
    if (digits.getAsInteger(0, bits)) return nullptr;
    return recast(builder_.getInt64(is_negative ? 0 - bits : bits), type);
}

Value* PtxStatement::flushed(Value* value) {
    if (!value || flush_ == Flush::None) return value;
    Type* type = value->getType();
    if (!type->isFloatingPointTy() || (flush_ == Flush::Floats && !type->isFloatTy())) return value;
    llvm::Constant* normal =
        llvm::ConstantFP::get(type, llvm::APFloat::getSmallestNormalized(type->getFltSemantics()));
    Value* size = builder_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, value);
    Value* zero = builder_.CreateBinaryIntrinsic(llvm::Intrinsic::copysign,
                                                 llvm::ConstantFP::get(type, 0.0), value);
    return builder_.CreateSelect(builder_.CreateFCmpOLT(size, normal), zero, value);
}

Value* PtxStatement::read_bits(StringRef operand, Type* type) {
    if (operand.consume_front("!")) {
        Value* value = read_bits(operand, type);
        return value ? builder_.CreateNot(value) : nullptr;
    }
    if (operand.starts_with("$")) {
        unsigned number = 0;
        if (operand.drop_front().getAsInteger(10, number)) return nullptr;
        if (number < output_count_) return recast(output(number), type);
        number -= output_count_;
        return number < call_.arg_size() ? recast(call_.getArgOperand(number), type) : nullptr;
    }
    const auto found = registers_.find(operand);
    if (found != registers_.end()) {
        Value* value = found->second;
        if (is_in_memory_) value = builder_.CreateLoad(builder_.getInt64Ty(), value);
        return recast(value, type);
    }
    if (operand == "WARP_SZ") return recast(word(32), type);
    StringRef name = operand;
    if (name.consume_front("%")) {
        Value* value = read_register(builder_, name);
        return value ? recast(value, type) : nullptr;
    }
    return constant(operand, type);
}

bool PtxStatement::write(StringRef operand, Value* value) {
    unsigned number = 0;
    value = flushed(value);
    if (operand == "_") return true;
    if (!operand.starts_with("$")) {
        if (!is_in_memory_) {
            registers_[operand] = value;
            return true;
        }
        Value*& slot = registers_[operand];
        if (!slot) slot = new_slot();
        builder_.CreateStore(recast(value, builder_.getInt64Ty()), slot);
        return true;
    }
    if (operand.drop_front().getAsInteger(10, number) || number >= output_count_) return false;
    if (is_in_memory_) {
        builder_.CreateStore(recast(value, builder_.getInt64Ty()), outputs_[number]);
        return true;
    }
    outputs_[number] = recast(value, output_type(number));
    return true;
}

Value* PtxStatement::address(StringRef operand, StringRef space) {
    if (!operand.consume_front("[") || !operand.consume_back("]")) return nullptr;
    const std::size_t plus = operand.find('+');
    Value* offset = builder_.getInt64(0);
    if (plus != StringRef::npos) {
        offset = constant(operand.drop_front(plus + 1), builder_.getInt64Ty());
        operand = operand.take_front(plus);
    }
    Value* base = read(operand, builder_.getInt64Ty());
    if (!base || !offset) return nullptr;
    // A shared address may have gone through 32 bits: the rest is that of any shared variable.
    if (space == "shared") {
        const char* name = "__ww_shared_window";
        llvm::GlobalVariable* window = module().getNamedGlobal(name);
        if (!window) {
            window = new llvm::GlobalVariable(
                module(), llvm::ArrayType::get(builder_.getInt8Ty(), 0), /*isConstant=*/false,
                llvm::GlobalValue::ExternalLinkage, nullptr, name, nullptr,
                llvm::GlobalValue::NotThreadLocal, /*AddressSpace=*/3);
        }
        Value* any = builder_.CreatePtrToInt(
            builder_.CreateAddrSpaceCast(window, builder_.getPtrTy()), builder_.getInt64Ty());
        Value* distance =
            builder_.CreateTrunc(builder_.CreateSub(base, any), builder_.getInt32Ty());
        base = builder_.CreateAdd(any, builder_.CreateSExt(distance, builder_.getInt64Ty()));
    }
    return builder_.CreateIntToPtr(builder_.CreateAdd(base, offset), builder_.getPtrTy());
}

Value* PtxStatement::service(ServiceId row, llvm::ArrayRef<Value*> arguments) {
    return builder_.CreateCall(declare_service(module(), row), arguments);
}

// asm volatile("" ::: "memory") keeps the compiler from moving memory accesses, no more;
// asm("" : "+r"(x)) hides a value from it.
bool PtxStatement::lower_empty(Value*& result) {
    if (!call_.getType()->isVoidTy()) {
        if (call_.arg_size() != 1 || call_.getArgOperand(0)->getType() != call_.getType()) {
            return false;
        }
        result = call_.getArgOperand(0);
        return true;
    }
    builder_.CreateFence(llvm::AtomicOrdering::SequentiallyConsistent,
                         llvm::SyncScope::SingleThread);
    return true;
}

namespace {

PtxRow find_row(StringRef name) {
    PtxRow row = find_arithmetic_row(name);
    if (!row) row = find_bit_row(name);
    if (!row) row = find_comparison_row(name);
    if (!row) row = find_conversion_row(name);
    if (!row) row = find_memory_row(name);
    if (!row) row = find_mbarrier_row(name);
    if (!row) row = find_warp_row(name);
    if (!row) row = find_function_row(name);
    if (!row) row = find_matrix_row(name);
    if (!row) row = find_packed_row(name);
    return row;
}

// Whether an instruction does the same to both halves of its words.
bool works_on_pairs(const PtxInstruction& instruction) {
    const StringRef name = instruction.opcode.back(), opcode = instruction.opcode.front();
    if (name == "u16x2" || name == "s16x2") {
        return llvm::is_contained({"add", "min", "max"}, opcode) && !has_part(instruction, "sat");
    }
    return (name == "f16x2" || name == "bf16x2") &&
           llvm::is_contained(
               {"add", "sub", "mul", "fma", "min", "max", "neg", "abs", "ex2", "tanh"}, opcode);
}

}  // namespace

// What the instruction writes holds only where the guard does; it has its effects only there.
bool PtxStatement::lower_guarded(const PtxInstruction& instruction, PtxRow row) {
    Value* guard = read(instruction.guard, builder_.getInt1Ty());
    if (!guard) return false;
    if (instruction.guard_negated) guard = builder_.CreateNot(guard);
    llvm::Instruction* inside = llvm::SplitBlockAndInsertIfThen(guard, &call_, false);
    llvm::BasicBlock* skipped = inside->getParent()->getSinglePredecessor();
    const auto old_outputs = outputs_;
    const auto old_registers = registers_;
    builder_.SetInsertPoint(inside);
    if (!apply(instruction, row)) return false;
    llvm::BasicBlock* taken = inside->getParent();
    builder_.SetInsertPoint(&call_);
    const auto merge = [&](Value* now, Value* before) -> Value* {
        if (now == before) return now;
        if (!before) before = llvm::Constant::getNullValue(now->getType());
        auto* joined = llvm::PHINode::Create(now->getType(), 2, "", call_.getParent()->begin());
        joined->addIncoming(now, taken);
        joined->addIncoming(before, skipped);
        return joined;
    };
    for (unsigned i = 0; i < output_count_; ++i) {
        outputs_[i] = merge(outputs_[i], old_outputs[i]);
    }
    for (auto& entry : registers_) {
        Value* before = old_registers.lookup(entry.getKey());
        if (before && before->getType() != entry.second->getType()) return false;
        entry.second = merge(entry.second, before);
    }
    return true;
}

bool PtxStatement::lower_pair(const PtxInstruction& instruction, PtxRow row) {
    Value* whole = word(0);
    for (unsigned half = 0; half < 2; ++half) {
        PtxInstruction part = instruction;
        part.opcode.back().resize(part.opcode.back().size() - 2);
        for (unsigned i = 1; i < part.operands.size(); ++i) {
            Value* both = read(part.operands[i], builder_.getInt32Ty());
            if (!both) return false;
            part.operands[i] = "half of " + std::to_string(i);
            Value* bits =
                builder_.CreateTrunc(builder_.CreateLShr(both, 16 * half), builder_.getInt16Ty());
            if (!write(part.operands[i], bits)) return false;
        }
        part.operands[0] = "half";
        if (!row(*this, part)) return false;
        Value* bits =
            builder_.CreateZExt(read("half", builder_.getInt16Ty()), builder_.getInt32Ty());
        whole = builder_.CreateOr(whole, builder_.CreateShl(bits, 16 * half));
    }
    return write(instruction.operands[0], whole);
}

bool PtxStatement::apply(const PtxInstruction& instruction, PtxRow row) {
    return works_on_pairs(instruction) ? lower_pair(instruction, row) : row(*this, instruction);
}

bool PtxStatement::lower_instruction(const PtxInstruction& instruction) {
    PtxRow row = find_row(instruction.opcode.front());
    if (!row) return false;
    const bool is_conversion = instruction.opcode.front() == "cvt";
    flush_ = !has_part(instruction, "ftz") ? Flush::None
             : is_conversion               ? Flush::Floats
                                           : Flush::Reals;
    const auto reset = llvm::make_scope_exit([this] { flush_ = Flush::None; });
    if (!instruction.guard.empty()) return lower_guarded(instruction, row);
    return apply(instruction, row);
}

bool PtxStatement::lower_in_block(const PtxInstruction& instruction,
                                  const llvm::StringMap<llvm::BasicBlock*>& labels) {
    llvm::BasicBlock* target = nullptr;
    if (!instruction.label.empty()) {
        target = labels.lookup(instruction.label);
        if (!target->empty()) return false;  // the name of two places
        builder_.CreateBr(target);
        builder_.SetInsertPoint(target);
        carry_ = nullptr;
        return true;
    }
    const bool is_branch = instruction.opcode.front() == "bra";
    if (is_branch) {
        target =
            instruction.operands.size() == 1 ? labels.lookup(instruction.operands[0]) : nullptr;
        if (!target) return false;
    }
    const bool is_guarded = !instruction.guard.empty();
    if (!is_guarded && !is_branch) return lower_instruction(instruction);
    Value* guard = is_guarded ? read(instruction.guard, builder_.getInt1Ty()) : builder_.getTrue();
    if (!guard) return false;
    if (instruction.guard_negated) guard = builder_.CreateNot(guard);
    PtxInstruction plain = instruction;
    plain.guard.clear();
    llvm::Function* function = call_.getFunction();
    auto* next = llvm::BasicBlock::Create(call_.getContext(), "", function, call_.getParent());
    if (!is_branch) target = llvm::BasicBlock::Create(call_.getContext(), "", function, next);
    builder_.CreateCondBr(guard, target, next);
    bool is_known = true;
    if (!is_branch) {
        builder_.SetInsertPoint(target);
        is_known = lower_instruction(plain);
        builder_.CreateBr(next);
        carry_ = nullptr;
    }
    builder_.SetInsertPoint(next);
    return is_known;
}

bool PtxStatement::lower_blocks(llvm::ArrayRef<PtxInstruction> instructions) {
    is_in_memory_ = true;
    for (unsigned i = 0; i < output_count_; ++i) {
        Value* first = outputs_[i] ? outputs_[i] : llvm::Constant::getNullValue(output_type(i));
        outputs_[i] = new_slot();
        builder_.CreateStore(recast(first, builder_.getInt64Ty()), outputs_[i]);
    }
    llvm::BasicBlock* before = call_.getParent();
    llvm::BasicBlock* behind = llvm::SplitBlock(before, &call_);
    llvm::StringMap<llvm::BasicBlock*> labels;
    for (const PtxInstruction& instruction : instructions) {
        if (instruction.label.empty() || labels.contains(instruction.label)) continue;
        labels[instruction.label] =
            llvm::BasicBlock::Create(call_.getContext(), "", call_.getFunction(), behind);
    }
    before->getTerminator()->eraseFromParent();
    builder_.SetInsertPoint(before);
    bool is_known = true;
    for (const PtxInstruction& instruction : instructions) {
        is_known = is_known && lower_in_block(instruction, labels);
    }
    builder_.CreateBr(behind);
    // After an instruction that is not known, the blocks of labels behind it are still empty.
    for (auto& label : labels) {
        if (!label.second->getTerminator()) llvm::BranchInst::Create(behind, label.second);
    }
    builder_.SetInsertPoint(&call_);
    return is_known;
}

bool PtxStatement::lower(Value*& result) {
    const auto instructions = parse_ptx(text_);
    if (!instructions) return false;
    if (instructions->empty()) return lower_empty(result);
    const bool has_labels =
        llvm::any_of(*instructions, [](const PtxInstruction& one) { return !one.label.empty(); });
    if (has_labels && !lower_blocks(*instructions)) return false;
    for (const PtxInstruction& instruction : *instructions) {
        if (!has_labels && !lower_instruction(instruction)) return false;
    }
    if (output_count_ == 1) result = output(0);
    if (output_count_ < 2) return true;
    result = llvm::PoisonValue::get(call_.getType());
    for (unsigned i = 0; i < output_count_; ++i) {
        result = builder_.CreateInsertValue(result, output(i), i);
    }
    return true;
}

void lower_inline_ptx(Lowering& job) {
    llvm::SmallVector<llvm::CallInst*, 16> statements;
    for (llvm::Function& function : job.module) {
        for (llvm::Instruction& instruction : llvm::instructions(function)) {
            auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
            if (call && call->isInlineAsm()) statements.push_back(call);
        }
    }
    for (llvm::CallInst* call : statements) {
        Value* result = nullptr;
        if (!PtxStatement(*call).lower(result)) continue;
        if (result) call->replaceAllUsesWith(result);
        call->eraseFromParent();
    }
}

}  // namespace warpwise::cpu_compiler
