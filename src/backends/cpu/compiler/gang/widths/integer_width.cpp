// Ranges from the operands on, demanded bits from the users on, and for each operation the width
// at which it gives the same bits.
#include "src/backends/cpu/compiler/gang/widths/integer_width.hpp"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

namespace warpwise::cpu_compiler::gang {
namespace {

using llvm::ConstantRange;
using llvm::Instruction;
using llvm::Value;

constexpr unsigned kWidths[] = {8, 16};
constexpr unsigned kWidest = 64;

unsigned bits_of(const Value* value) {
    return value->getType()->getIntegerBitWidth();
}

bool is_integer(const Value* value) {
    return value->getType()->isIntegerTy() && bits_of(value) <= kWidest;
}

// Of a shift by a number within its width.
std::optional<unsigned> count_of(const Instruction& shift) {
    auto* number = llvm::dyn_cast<llvm::ConstantInt>(shift.getOperand(1));
    if (!number || number->getValue().uge(bits_of(&shift))) return std::nullopt;
    return static_cast<unsigned>(number->getZExtValue());
}

}  // namespace

IntegerWidths::IntegerWidths(const llvm::Function& kernel, const Shapes& shapes)
    : kernel_(kernel), shapes_(shapes) {
    find_demanded_bits();
    find_addresses();
    const llvm::ReversePostOrderTraversal order(&kernel);
    for (const llvm::BasicBlock* block : order) find_ranges(*block);
    for (const llvm::BasicBlock* block : order) find_widths(*block);
}

std::optional<unsigned> IntegerWidths::width_of(const Value* value) const {
    const auto known = widths_.find(value);
    return known == widths_.end() ? std::nullopt : std::optional(known->second);
}

std::optional<unsigned> IntegerWidths::width_of_comparison(const llvm::ICmpInst& comparison) const {
    const Value *left = comparison.getOperand(0), *right = comparison.getOperand(1);
    if (!is_integer(left) || shapes_.of(&comparison).has_scalars()) return std::nullopt;
    unsigned least = kWidths[0];
    for (const Value* operand : {left, right}) {
        if (const std::optional<unsigned> own = width_of(operand)) {
            least = std::max(least, *own);
        } else if (!shapes_.of(operand).is_uniform()) {
            return std::nullopt;
        }
    }
    for (unsigned width : kWidths) {
        if (width < least || width >= bits_of(left)) continue;
        const std::optional<Sign> sign = sign_of({left, right}, width);
        if (sign && (sign == Sign::Unsigned || !comparison.isUnsigned())) return width;
    }
    return std::nullopt;
}

std::optional<Sign> IntegerWidths::sign_of(llvm::ArrayRef<const Value*> values,
                                           unsigned width) const {
    for (Sign sign : {Sign::Unsigned, Sign::Signed}) {
        if (llvm::all_of(values, [&](const Value* value) { return fits(value, width, sign); })) {
            return sign;
        }
    }
    return std::nullopt;
}

Sign IntegerWidths::extension_of(const Value* value) const {
    return sign_of({value}, widths_.at(value)).value_or(Sign::Unsigned);
}

unsigned IntegerWidths::demanded_bits(const Value* value) const {
    const auto known = demanded_.find(value);
    return known == demanded_.end() ? bits_of(value) : known->second;
}

bool IntegerWidths::fits(const Value* value, unsigned width, Sign sign) const {
    const auto known = ranges_.find(value);
    if (known == ranges_.end()) return false;
    const ConstantRange& range = known->second;
    return sign == Sign::Unsigned ? range.getActiveBits() <= width
                                  : range.getMinSignedBits() <= width;
}

// --- Demanded bits: the least solution, from none on

void IntegerWidths::find_demanded_bits() {
    for (bool changed = true; changed;) {
        changed = false;
        for (const llvm::BasicBlock& block : llvm::reverse(kernel_)) {
            for (const Instruction& user : llvm::reverse(block)) changed |= demand_operands(user);
        }
    }
}

bool IntegerWidths::demand(const Value* value, unsigned bits) {
    if (!llvm::isa<Instruction>(value) || !is_integer(value)) return false;
    unsigned& known = demanded_.try_emplace(value, 0).first->second;
    bits = std::min(bits, bits_of(value));
    if (bits <= known) return false;
    known = bits;
    return true;
}

bool IntegerWidths::demand_operands(const Instruction& user) {
    bool changed = false;
    auto all = [&](unsigned bits) {
        for (const Value* operand : user.operands()) changed |= demand(operand, bits);
    };
    if (!is_integer(&user)) {
        all(kWidest);
        return changed;
    }
    const unsigned bits = demanded_.try_emplace(&user, 0).first->second;
    switch (user.getOpcode()) {
        case Instruction::And:
            if (auto* mask = llvm::dyn_cast<llvm::ConstantInt>(user.getOperand(1))) {
                all(std::min(bits, mask->getValue().getActiveBits()));
                return changed;
            }
            [[fallthrough]];
        case Instruction::Add:
        case Instruction::Sub:
        case Instruction::Mul:
        case Instruction::Or:
        case Instruction::Xor:
        case Instruction::PHI:
        case Instruction::Trunc:
        case Instruction::ZExt:
        case Instruction::SExt:
            all(bits);
            return changed;
        case Instruction::Select:
            changed |= demand(user.getOperand(0), 1);
            changed |= demand(user.getOperand(1), bits);
            return demand(user.getOperand(2), bits) || changed;
        case Instruction::Shl:
        case Instruction::LShr:
        case Instruction::AShr:
            if (std::optional<unsigned> count = count_of(user)) {
                const bool is_left = user.getOpcode() == Instruction::Shl;
                all(is_left ? bits - std::min(bits, *count) : bits == 0 ? 0 : bits + *count);
                return changed;
            }
            [[fallthrough]];
        default:
            all(kWidest);
            return changed;
    }
}

void IntegerWidths::find_ranges(const llvm::BasicBlock& block) {
    for (const Instruction& instruction : block) {
        for (const Value* operand : instruction.operands()) {
            auto* number = llvm::dyn_cast<llvm::ConstantInt>(operand);
            if (number && is_integer(number)) ranges_.try_emplace(number, number->getValue());
        }
        if (!is_integer(&instruction)) continue;
        ranges_.insert_or_assign(&instruction, range_of_instruction(instruction));
    }
}

void IntegerWidths::find_widths(const llvm::BasicBlock& block) {
    for (const Instruction& instruction : block) {
        if (!is_candidate(instruction)) continue;
        for (unsigned width : kWidths) {
            if (width >= bits_of(&instruction) || !suffices(instruction, width)) continue;
            widths_[&instruction] = width;
            narrowed_.push_back(&instruction);
            break;
        }
    }
}

// --- Ranges. Without the flags of additions and the like: they hold for what the program defines.

// Of what is known; nothing is of what an edge back to a loop's header brings.
ConstantRange IntegerWidths::range_of(const Value* value) const {
    const auto known = ranges_.find(value);
    return known == ranges_.end() ? ConstantRange::getFull(bits_of(value)) : known->second;
}

ConstantRange IntegerWidths::range_of_instruction(const Instruction& instruction) const {
    const unsigned bits = bits_of(&instruction);
    const ConstantRange full = ConstantRange::getFull(bits);
    auto operand = [&](unsigned index) -> ConstantRange {
        const Value* value = instruction.getOperand(index);
        return is_integer(value) ? range_of(value) : full;
    };
    if (auto* cast = llvm::dyn_cast<llvm::CastInst>(&instruction)) {
        const bool is_of_integers =
            llvm::isa<llvm::ZExtInst, llvm::SExtInst, llvm::TruncInst>(*cast);
        return is_of_integers && is_integer(cast->getOperand(0))
                   ? operand(0).castOp(cast->getOpcode(), bits)
                   : full;
    }
    if (auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(&instruction)) {
        return operand(0).binaryOp(operation->getOpcode(), operand(1));
    }
    if (llvm::isa<llvm::SelectInst>(instruction)) return operand(1).unionWith(operand(2));
    if (auto* phi = llvm::dyn_cast<llvm::PHINode>(&instruction)) {
        ConstantRange found = ConstantRange::getEmpty(bits);
        for (unsigned i = 0; i < phi->getNumIncomingValues(); ++i) {
            found = found.unionWith(operand(i));
        }
        return found;
    }
    auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
    if (!call || !ConstantRange::isIntrinsicSupported(call->getIntrinsicID())) return full;
    llvm::SmallVector<ConstantRange, 2> operands;
    for (unsigned i = 0; i < call->arg_size(); ++i) operands.push_back(operand(i));
    return ConstantRange::intrinsic(call->getIntrinsicID(), operands);
}

// --- Widths

// Indices stay as wide as accesses of memory take them.
void IntegerWidths::find_addresses() {
    llvm::SmallVector<const Value*> found;
    for (const Instruction& instruction : llvm::instructions(kernel_)) {
        if (llvm::isa<llvm::GetElementPtrInst, llvm::IntToPtrInst>(instruction)) {
            found.append(instruction.op_begin(), instruction.op_end());
        }
    }
    while (!found.empty()) {
        auto* instruction = llvm::dyn_cast<Instruction>(found.pop_back_val());
        if (!instruction || !is_integer(instruction) || instruction->mayReadFromMemory()) continue;
        if (!addresses_.insert(instruction).second) continue;
        found.append(instruction->op_begin(), instruction->op_end());
    }
}

bool IntegerWidths::is_candidate(const Instruction& instruction) const {
    return is_integer(&instruction) && bits_of(&instruction) > kWidths[0] &&
           !addresses_.contains(&instruction) && !shapes_.of(&instruction).has_scalars();
}

bool IntegerWidths::suffices(const Instruction& instruction, unsigned width) const {
    const bool is_result_right =
        demanded_bits(&instruction) <= width || sign_of({&instruction}, width);
    if (!is_result_right) return false;
    const Value* left = instruction.getNumOperands() > 0 ? instruction.getOperand(0) : nullptr;
    switch (instruction.getOpcode()) {
        case Instruction::Add:
        case Instruction::Sub:
        case Instruction::And:
        case Instruction::Or:
        case Instruction::Xor:
        case Instruction::Select:
        case Instruction::PHI:
        case Instruction::ZExt:
        case Instruction::SExt:
        case Instruction::Trunc:
            return true;
        case Instruction::Mul:
            return width > 8;  // there are none of bytes, nor quotients
        case Instruction::Shl:
        case Instruction::LShr:
        case Instruction::AShr:
            return suffices_for_shift(instruction, width);
        case Instruction::UDiv:
        case Instruction::URem:
        case Instruction::SDiv:
        case Instruction::SRem: {
            auto* divisor = llvm::dyn_cast<llvm::ConstantInt>(instruction.getOperand(1));
            if (width <= 8 || !divisor || divisor->isZero() || divisor->isMinusOne()) return false;
            const std::optional<Sign> sign = sign_of({left, divisor}, width);
            const bool is_signed = instruction.getOpcode() == Instruction::SDiv ||
                                   instruction.getOpcode() == Instruction::SRem;
            return sign && (is_signed || sign == Sign::Unsigned);
        }
        case Instruction::Call:
            if (auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction)) {
                return suffices_for_intrinsic(*call, width);
            }
            return false;
        default:
            return false;
    }
}

bool IntegerWidths::suffices_for_shift(const Instruction& shift, unsigned width) const {
    const std::optional<unsigned> count = count_of(shift);
    if (!count || *count >= width) return false;
    if (shift.getOpcode() == Instruction::Shl) return true;
    const Value* value = shift.getOperand(0);
    if (demanded_bits(&shift) + *count <= width || fits(value, width, Sign::Unsigned)) return true;
    return shift.getOpcode() == Instruction::AShr && fits(value, width, Sign::Signed);
}

bool IntegerWidths::suffices_for_intrinsic(const llvm::IntrinsicInst& call, unsigned width) const {
    const Value* left = call.arg_empty() ? nullptr : call.getArgOperand(0);
    switch (call.getIntrinsicID()) {
        case llvm::Intrinsic::abs:
            return fits(left, width, Sign::Signed) || is_absolute_difference(call, width, *this);
        case llvm::Intrinsic::smin:
        case llvm::Intrinsic::smax:
            return sign_of({left, call.getArgOperand(1)}, width).has_value();
        case llvm::Intrinsic::umin:
        case llvm::Intrinsic::umax:
            return sign_of({left, call.getArgOperand(1)}, width) == Sign::Unsigned;
        default:
            return false;
    }
}

bool is_absolute_difference(const llvm::IntrinsicInst& call, unsigned width,
                            const IntegerWidths& widths) {
    auto* difference = llvm::dyn_cast<llvm::BinaryOperator>(call.getArgOperand(0));
    if (!difference || difference->getOpcode() != Instruction::Sub) return false;
    return widths.sign_of({difference->getOperand(0), difference->getOperand(1)}, width) ==
           Sign::Unsigned;
}

}  // namespace warpwise::cpu_compiler::gang
