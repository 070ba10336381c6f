// Instructions without memory. Those that keep steps work on bases with
// wrapping operations, because a base may be that of a dead lane; all others
// are written once for each scalar or vector.
#include "src/backends/cpu/compiler/gang/emit/arithmetic_emitter.hpp"

#include <llvm/IR/PatternMatch.h>

namespace warpwise::cpu_compiler::gang {

using llvm::Instruction;
using llvm::Value;

namespace {

// Made of thread indices, a constant may be 0 where no thread lives.
llvm::Constant* without_zeros(llvm::Constant& divisor) {
    auto* type = llvm::dyn_cast<llvm::FixedVectorType>(divisor.getType());
    llvm::Constant* one = llvm::ConstantInt::get(divisor.getType()->getScalarType(), 1);
    auto or_one = [&](llvm::Constant* element) {
        auto* number = llvm::dyn_cast_or_null<llvm::ConstantInt>(element);
        return number && !number->isZero() ? element : one;
    };
    if (!type) return or_one(&divisor);
    llvm::SmallVector<llvm::Constant*, 16> elements;
    for (unsigned lane = 0; lane < type->getNumElements(); ++lane) {
        elements.push_back(or_one(divisor.getAggregateElement(lane)));
    }
    return llvm::ConstantVector::get(elements);
}

llvm::Intrinsic::ID masked_division(unsigned opcode) {
    switch (opcode) {
        case Instruction::UDiv:
            return llvm::Intrinsic::vp_udiv;
        case Instruction::SDiv:
            return llvm::Intrinsic::vp_sdiv;
        case Instruction::URem:
            return llvm::Intrinsic::vp_urem;
        default:
            return llvm::Intrinsic::vp_srem;
    }
}

}  // namespace

void ArithmeticEmitter::write(Instruction& instruction) {
    Shape shape = shapes_.of(&instruction);
    if (shape.is_stepped()) return write_linear(instruction, shape);
    write_elementwise(instruction, shape);
}

void ArithmeticEmitter::write_linear(Instruction& instruction, const Shape& shape) {
    auto* cast = llvm::dyn_cast<llvm::CastInst>(&instruction);
    if (cast && shapes_.is_rebased(*cast)) return write_rebased_widening(*cast);
    if (cast && shapes_.is_checked(*cast)) return write_checked_widening(*cast, shape);
    Parts parts;
    for (unsigned part : values_.parts_to_write(shape)) {
        parts.push_back(linear_part(instruction, part));
    }
    values_.define(instruction, std::move(parts));
}

Value* ArithmeticEmitter::linear_part(Instruction& instruction, unsigned piece) {
    auto operand = [&](unsigned index) {
        return values_.base(instruction.getOperand(index), piece);
    };
    switch (instruction.getOpcode()) {
        case Instruction::Add:
        case Instruction::Or:  // of disjoint bits, in live lanes
            return builder_.CreateAdd(operand(0), operand(1));
        case Instruction::Sub:
            return builder_.CreateSub(operand(0), operand(1));
        case Instruction::Mul:
            return builder_.CreateMul(operand(0), operand(1));
        case Instruction::Shl:
            return builder_.CreateShl(operand(0), operand(1));
        case Instruction::Xor:
            if (match(&instruction, llvm::PatternMatch::m_Not(llvm::PatternMatch::m_Value()))) {
                return builder_.CreateNot(operand(0));
            }
            [[fallthrough]];
        case Instruction::And:
        case Instruction::URem:
        case Instruction::SRem:
            return bits_of_index(instruction, piece);
        case Instruction::Freeze:
            return builder_.CreateFreeze(operand(0));
        case Instruction::PtrToInt:
            return builder_.CreatePtrToInt(operand(0), builder_.getInt64Ty());
        case Instruction::IntToPtr:
            return builder_.CreateIntToPtr(operand(0), instruction.getType());
        case Instruction::Select:
            return builder_.CreateSelect(values_.scalar(instruction.getOperand(0), piece),
                                         operand(1), operand(2));
        case Instruction::GetElementPtr:
            return address_part(llvm::cast<llvm::GetElementPtrInst>(instruction), piece);
        default:  // SExt, ZExt, Trunc: the base has 64 bits
            return operand(0);
    }
}

// Of an index whose lanes differ in bits that the operation leaves alone (shape_of_parts.cpp): what
// it makes of the first lane, and the lanes' steps, cannot carry into the sign.
Value* ArithmeticEmitter::bits_of_index(Instruction& instruction, unsigned piece) {
    auto opcode = static_cast<Instruction::BinaryOps>(instruction.getOpcode());
    Value* first = builder_.CreateBinOp(opcode, values_.scalar(instruction.getOperand(0), piece),
                                        instruction.getOperand(1));
    return builder_.CreateSExt(first, builder_.getInt64Ty());
}

Value* ArithmeticEmitter::address_part(llvm::GetElementPtrInst& address, unsigned piece) {
    Value* result = values_.base(address.getPointerOperand(), piece);
    llvm::MapVector<Value*, llvm::APInt> indices;
    llvm::APInt constant(64, 0);
    bool is_simple =
        llvm::cast<llvm::GEPOperator>(address).collectOffset(data_, 64, indices, constant);
    if (!is_simple) llvm_unreachable("an address of scalable type");
    for (auto& [index, factor] : indices) {
        Value* offset = builder_.CreateMul(values_.base(index, piece), builder_.getInt(factor));
        result = builder_.CreateGEP(builder_.getInt8Ty(), result, offset);
    }
    if (constant.isZero()) return result;
    return builder_.CreateGEP(builder_.getInt8Ty(), result, builder_.getInt(constant));
}

void ArithmeticEmitter::write_elementwise(Instruction& instruction, const Shape& shape) {
    Parts parts;
    const auto test = index_test(instruction);
    for (unsigned part : values_.parts_to_write(shape)) {
        if (test) {
            parts.push_back(compare_index(*test, part));
            continue;
        }
        if (!shape.has_scalars() && llvm::isa<llvm::GetElementPtrInst>(instruction)) {
            parts.push_back(vector_address(llvm::cast<llvm::GetElementPtrInst>(instruction), part));
            continue;
        }
        llvm::SmallVector<Value*, 4> operands;
        for (Value* operand : instruction.operands()) {
            operands.push_back(shape.has_scalars() ? values_.scalar(operand, part)
                                                   : values_.vector(operand, part));
        }
        Value* mask = instruction.isIntDivRem() && !shape.is_uniform()
                          ? masks_.mask_for(shape, part)
                          : nullptr;
        if (mask && shape.has_scalars()) mask = masks_.any_of(mask);
        auto any = [&](Instruction& one) { return element(one, operands, mask); };
        const bool has_steps = mask && is_divided_in_steps(instruction, shape);
        parts.push_back(has_steps ? divide_steps(instruction, part, any) : any(instruction));
    }
    values_.define(instruction, std::move(parts));
}

// The instruction over other operands, scalars or vectors. With a mask: a
// division, whose divisor may be 0 in dead lanes.
Value* ArithmeticEmitter::element(Instruction& instruction, llvm::ArrayRef<Value*> operands,
                                  Value* mask) {
    Value* result = nullptr;
    if (auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(&instruction)) {
        if (mask) return divide(instruction, operands[0], operands[1], mask);
        result = builder_.CreateBinOp(operation->getOpcode(), operands[0], operands[1]);
    } else if (auto* compare = llvm::dyn_cast<llvm::CmpInst>(&instruction)) {
        result = builder_.CreateCmp(compare->getPredicate(), operands[0], operands[1]);
    } else if (auto* cast = llvm::dyn_cast<llvm::CastInst>(&instruction)) {
        bool is_vector = operands[0]->getType()->isVectorTy();
        llvm::Type* type = is_vector ? vector_of(cast->getType()) : cast->getType();
        result = builder_.CreateCast(cast->getOpcode(), operands[0], type);
    } else if (llvm::isa<llvm::SelectInst>(instruction)) {
        result = builder_.CreateSelect(operands[0], operands[1], operands[2]);
    } else if (llvm::isa<llvm::FreezeInst>(instruction)) {
        return builder_.CreateFreeze(operands[0]);
    } else {
        // fneg, and scalars of everything else
        llvm::Instruction* copy = instruction.clone();
        for (unsigned i = 0; i < operands.size(); ++i) copy->setOperand(i, operands[i]);
        if (operands[0]->getType()->isVectorTy()) copy->mutateType(operands[0]->getType());
        return builder_.Insert(copy);
    }
    if (auto* made = llvm::dyn_cast<Instruction>(result)) made->copyIRFlags(&instruction);
    return result;
}

Value* ArithmeticEmitter::divide(Instruction& division, Value* left, Value* right, Value* mask) {
    const auto opcode = static_cast<Instruction::BinaryOps>(division.getOpcode());
    if (auto* known = llvm::dyn_cast<llvm::Constant>(right)) {
        return builder_.CreateBinOp(opcode, left, without_zeros(*known));
    }
    if (!right->getType()->isVectorTy()) {
        Value* one = llvm::ConstantInt::get(right->getType(), 1);
        return builder_.CreateBinOp(opcode, left, builder_.CreateSelect(mask, right, one));
    }
    const unsigned bits = division.getType()->getIntegerBitWidth();
    if (bits <= 32) return divide_by_doubles(division, left, right);
    if (bits <= 64) return divide_wide(division, left, right, mask);
    return divide_lanes(division, left, right, mask);
}

// A select of 1 for dead lanes would not do between vectors: InstCombine takes
// a constant divisor with a 0 in it, live or not, for proof that the whole
// vector of the select is the other one.
Value* ArithmeticEmitter::divide_lanes(Instruction& division, Value* left, Value* right,
                                       Value* mask) {
    auto* type = llvm::cast<llvm::FixedVectorType>(right->getType());
    return builder_.CreateIntrinsic(type, masked_division(division.getOpcode()),
                                    {left, right, mask, builder_.getInt32(type->getNumElements())});
}

// One scalar base where there is one, and 32-bit indices where the scalar code
// widened them: the forms gathers are made for.
Value* ArithmeticEmitter::vector_address(llvm::GetElementPtrInst& address, unsigned piece) {
    Value* pointer = address.getPointerOperand();
    Shape shape = shapes_.of(pointer);
    bool is_one = shape.has_scalars() && *shape.lane == 0;
    Value* start = is_one ? values_.scalar(pointer, piece) : values_.vector(pointer, piece);
    llvm::SmallVector<Value*, 4> indices;
    for (const llvm::Use& index : address.indices()) {
        Value* value = index.get();
        if (llvm::isa<llvm::Constant>(value)) {
            indices.push_back(index.get());
            continue;
        }
        auto* cast = llvm::dyn_cast<llvm::CastInst>(value);
        bool is_widened = cast && (cast->getOpcode() == Instruction::SExt ||
                                   (cast->getOpcode() == Instruction::ZExt && cast->hasNonNeg()));
        bool is_here = is_widened && cast->getOperand(0)->getType()->isIntegerTy(32) &&
                       values_.is_made(cast->getOperand(0));
        indices.push_back(values_.vector(is_here ? cast->getOperand(0) : value, piece));
    }
    return builder_.CreateGEP(address.getSourceElementType(), start, indices);
}

}  // namespace warpwise::cpu_compiler::gang
