// tile[t / 20][t % 20] is element t of the tile: a row is as long as the divisor. The two indices
// differ from lane to lane in no way that a vector access knows, the joined one in steps.
//
// t == t / d * d + t % d for all t, whatever rounding the division has, and so do their extensions
// add up to that of t.
#include "src/backends/cpu/compiler/gang/passes/passes.hpp"

#include <llvm/IR/GetElementPtrTypeIterator.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/PatternMatch.h>

#include <optional>

namespace warpwise::cpu_compiler::gang {
namespace {

using llvm::APInt;
using llvm::Value;
using namespace llvm::PatternMatch;

// By a constant above 1; bits are shifts and masks.
struct Part {
    Value* whole;
    APInt divisor;
    bool is_signed;
};

std::optional<Part> divided(Value* value) {
    Value* whole = nullptr;
    const APInt* number = nullptr;
    if (match(value, m_UDiv(m_Value(whole), m_APInt(number)))) return Part{whole, *number, false};
    if (match(value, m_SDiv(m_Value(whole), m_APInt(number)))) return Part{whole, *number, true};
    if (!match(value, m_LShr(m_Value(whole), m_APInt(number)))) return std::nullopt;
    if (number->uge(number->getBitWidth() - 1)) return std::nullopt;
    return Part{whole, APInt::getOneBitSet(number->getBitWidth(), number->getZExtValue()), false};
}

std::optional<Part> rest(Value* value) {
    Value* whole = nullptr;
    const APInt* number = nullptr;
    if (match(value, m_URem(m_Value(whole), m_APInt(number)))) return Part{whole, *number, false};
    if (match(value, m_SRem(m_Value(whole), m_APInt(number)))) return Part{whole, *number, true};
    if (!match(value, m_And(m_Value(whole), m_LowBitMask(number)))) return std::nullopt;
    return Part{whole, *number + 1, false};
}

// What both are parts of: t, or t / e of t / (e * d) and t / e % d.
Value* whole_of(const Part& quotient, const Part& remainder) {
    if (quotient.is_signed != remainder.is_signed || quotient.divisor.isNonPositive() ||
        remainder.divisor.isNonPositive() || remainder.divisor.isOne()) {
        return nullptr;
    }
    if (quotient.whole == remainder.whole) {
        return quotient.divisor == remainder.divisor ? remainder.whole : nullptr;
    }
    const auto outer = divided(remainder.whole);
    if (!outer || outer->whole != quotient.whole || outer->is_signed != quotient.is_signed ||
        outer->divisor.isNonPositive()) {
        return nullptr;
    }
    bool has_overflow = false;
    const APInt both = outer->divisor.smul_ov(remainder.divisor, has_overflow);
    return !has_overflow && both == quotient.divisor ? remainder.whole : nullptr;
}

// Of an index that may have been widened. A negative one must have been by its sign.
template <class Find>
std::optional<Part> part_of(Value* index, Find&& find) {
    auto* widening = llvm::dyn_cast<llvm::CastInst>(index);
    const bool is_widened = llvm::isa<llvm::SExtInst, llvm::ZExtInst>(index);
    const auto part = find(is_widened ? widening->getOperand(0) : index);
    const bool may_differ =
        is_widened && llvm::isa<llvm::ZExtInst>(index) && !widening->hasNonNeg();
    return part && part->is_signed && may_differ ? std::nullopt : part;
}

std::uint64_t stride_of(const llvm::GetElementPtrInst& address, unsigned operand) {
    auto at = llvm::gep_type_begin(address);
    std::advance(at, operand - 1);
    return at.isStruct() ? 0
                         : at.getSequentialElementStride(address.getDataLayout()).getFixedValue();
}

bool join(llvm::GetElementPtrInst& address, unsigned row, unsigned column) {
    const auto quotient = part_of(address.getOperand(row), divided);
    const auto remainder = part_of(address.getOperand(column), rest);
    if (!quotient || !remainder) return false;
    Value* whole = whole_of(*quotient, *remainder);
    const std::uint64_t element = stride_of(address, column);
    if (whole == nullptr || element == 0 || remainder->divisor.getActiveBits() > 32 ||
        stride_of(address, row) != element * remainder->divisor.getZExtValue()) {
        return false;
    }
    llvm::IRBuilder<> builder(&address);
    llvm::Type* wide = address.getDataLayout().getIndexType(address.getType());
    if (whole->getType()->getScalarSizeInBits() > wide->getScalarSizeInBits()) return false;
    Value* joined =
        quotient->is_signed ? builder.CreateSExt(whole, wide) : builder.CreateZExt(whole, wide);
    address.setOperand(row, llvm::Constant::getNullValue(address.getOperand(row)->getType()));
    address.setOperand(column, joined);
    return true;
}

// What two have made may be the rest beside a third.
bool join_indices(llvm::GetElementPtrInst& address) {
    const unsigned count = address.getNumOperands();
    for (unsigned column = 2; column < count; ++column) {
        for (unsigned row = 1; row < column; ++row) {
            if (!join(address, row, column)) continue;
            join_indices(address);
            return true;
        }
    }
    return false;
}

}  // namespace

PreservedAnalyses join_quotients(llvm::Function& kernel, GangContext&) {
    bool has_changed = false;
    for (llvm::Instruction& one : llvm::instructions(kernel)) {
        auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(&one);
        if (address != nullptr) has_changed |= join_indices(*address);
    }
    return has_changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

}  // namespace warpwise::cpu_compiler::gang
