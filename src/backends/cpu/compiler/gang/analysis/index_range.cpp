// The base of a stepped value is computed modulo 2^width from bases of its operands, so its low
// zero bits follow from theirs, for any active lanes.
#include "src/backends/cpu/compiler/gang/analysis/index_range.hpp"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/PatternMatch.h>

#include <algorithm>
#include <bit>

#include "src/backends/cpu/compiler/gang/analysis/markers.hpp"
#include "src/backends/cpu/compiler/gang/analysis/registers.hpp"
#include "src/backends/cpu/compiler/gang/analysis/shape.hpp"

namespace warpwise::cpu_compiler::gang {
namespace {

using llvm::Instruction;
using llvm::Value;
using namespace llvm::PatternMatch;

constexpr unsigned kAllZero = 64;
constexpr unsigned kMostVisits = 64;

unsigned zeros_of_number(std::uint64_t number) {
    return static_cast<unsigned>(std::countr_zero(number));
}

// How many low bits of a value's base are known to be zero.
class LowZeros {
  public:
    LowZeros(const Shapes& shapes, const Layout& layout, const llvm::DataLayout& target)
        : shapes_(shapes), layout_(layout), target_(target) {}

    unsigned of(const Value* value) {
        if (!shapes_.of(value).is_stepped()) {
            return std::min(kAllZero,
                            llvm::computeKnownBits(value, target_).countMinTrailingZeros());
        }
        auto* instruction = llvm::dyn_cast<Instruction>(value);
        if (!instruction || ++visits_ > kMostVisits) return 0;
        auto operand = [&](unsigned index) { return of(instruction->getOperand(index)); };
        switch (instruction->getOpcode()) {
            case Instruction::PHI:
                return of_phi(llvm::cast<llvm::PHINode>(*instruction));
            case Instruction::Add:
            case Instruction::Sub:
            case Instruction::Or:
            case Instruction::Xor:
                return std::min(operand(0), operand(1));
            case Instruction::And:
                return std::max(operand(0), operand(1));
            case Instruction::Mul:
                return std::min(kAllZero, operand(0) + operand(1));
            case Instruction::Shl: {
                auto* by = llvm::dyn_cast<llvm::ConstantInt>(instruction->getOperand(1));
                return by ? std::min<std::uint64_t>(kAllZero, operand(0) + by->getZExtValue()) : 0;
            }
            case Instruction::Select:
                return std::min(operand(1), operand(2));
            case Instruction::SExt:
            case Instruction::ZExt:
            case Instruction::Trunc:
            case Instruction::Freeze:
                return operand(0);
            case Instruction::Call:
                return of_call(llvm::cast<llvm::CallBase>(*instruction));
            default:
                return 0;
        }
    }

  private:
    // The back edge of a loop keeps what all other edges and the loop's steps keep.
    unsigned of_phi(const llvm::PHINode& phi) {
        if (!entered_.insert(&phi).second) return kAllZero;
        unsigned least = kAllZero;
        for (const Value* incoming : phi.incoming_values()) {
            least = std::min(least, of(incoming));
        }
        entered_.erase(&phi);
        return least;
    }

    unsigned of_call(const llvm::CallBase& call) {
        if (is_call_of(call, kWithoutWrap)) return of(call.getArgOperand(0));
        auto* read = llvm::dyn_cast<llvm::IntrinsicInst>(&call);
        if (!read) return 0;
        switch (read->getIntrinsicID()) {
            case llvm::Intrinsic::nvvm_read_ptx_sreg_laneid:
                return kAllZero;
            case llvm::Intrinsic::nvvm_read_ptx_sreg_tid_x:
                if (layout_.is_block) return kAllZero;
                if (layout_.begins_anywhere) return 0;
                return zeros_of_number(std::uint64_t{layout_.width} * layout_.columns());
            case llvm::Intrinsic::nvvm_read_ptx_sreg_tid_y:
                if (layout_.is_block) return kAllZero;
                return zeros_of_number(layout_.rows());
            default:
                return 0;
        }
    }

    const Shapes& shapes_;
    const Layout& layout_;
    const llvm::DataLayout& target_;
    llvm::SmallPtrSet<const llvm::PHINode*, 8> entered_;
    unsigned visits_ = 0;
};

}  // namespace

bool is_index_in_known_block(const Value* value, const Layout& layout) {
    using namespace llvm::Intrinsic;
    constexpr ID kThread[] = {nvvm_read_ptx_sreg_tid_x, nvvm_read_ptx_sreg_tid_y,
                              nvvm_read_ptx_sreg_tid_z};
    constexpr ID kBlock[] = {nvvm_read_ptx_sreg_ctaid_x, nvvm_read_ptx_sreg_ctaid_y,
                             nvvm_read_ptx_sreg_ctaid_z};
    const Value *left = nullptr, *right = nullptr;
    if (!layout.block || !match(value, m_AddLike(m_Value(left), m_Value(right)))) return false;
    auto is_read = [](const Value* read, ID id) {
        auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(read);
        return call && call->getIntrinsicID() == id;
    };
    for (unsigned axis = 0; axis < 3; ++axis) {
        if (is_read(left, kThread[axis])) std::swap(left, right);
        if (!is_read(right, kThread[axis])) continue;
        const Value* block = nullptr;
        const llvm::APInt* number = nullptr;
        const std::uint64_t extent = (*layout.block)[axis];
        bool is_product = (match(left, m_Mul(m_Value(block), m_APInt(number))) &&
                           number->getZExtValue() == extent) ||
                          (match(left, m_Shl(m_Value(block), m_APInt(number))) && number->ult(32) &&
                           std::uint64_t{1} << number->getZExtValue() == extent);
        return is_product && is_read(block, kBlock[axis]);
    }
    return false;
}

bool numbers_in_31_bits(const llvm::Function& kernel, const Layout& layout) {
    const auto is_thread = [](const Value* value) {
        auto* read = llvm::dyn_cast<llvm::IntrinsicInst>(value);
        return read && read->getIntrinsicID() == llvm::Intrinsic::nvvm_read_ptx_sreg_tid_x;
    };
    return llvm::any_of(llvm::instructions(kernel), [&](const Instruction& one) {
        return (is_launch_index(&one) || is_index_in_known_block(&one, layout)) &&
               llvm::any_of(one.operands(), is_thread);
    });
}

unsigned low_zeros_of_base(const Value* value, const Shapes& shapes, const Layout& layout) {
    auto* instruction = llvm::dyn_cast<Instruction>(value);
    if (!instruction) return 0;
    return LowZeros(shapes, layout, instruction->getDataLayout()).of(value);
}

namespace {

// Whether the same in all threads of a block, by its form alone.
bool is_of_block(const Value* value, unsigned depth) {
    using namespace llvm::Intrinsic;
    if (llvm::isa<llvm::ConstantInt>(value)) return true;
    if (depth == 0) return false;
    if (auto* read = llvm::dyn_cast<llvm::IntrinsicInst>(value)) {
        const ID id = read->getIntrinsicID();
        return id == nvvm_read_ptx_sreg_ctaid_x || id == nvvm_read_ptx_sreg_ctaid_y ||
               id == nvvm_read_ptx_sreg_ctaid_z || id == nvvm_read_ptx_sreg_nctaid_x;
    }
    auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(value);
    return operation && !operation->isIntDivRem() &&
           is_of_block(operation->getOperand(0), depth - 1) &&
           is_of_block(operation->getOperand(1), depth - 1);
}

// threadIdx.x, or that and a multiple of 2^zeros of the block's.
bool is_thread_behind_multiple(const Value* value, unsigned zeros, const llvm::DataLayout& target) {
    constexpr unsigned kDeepest = 6;
    auto is_thread = [](const Value* other) {
        auto* read = llvm::dyn_cast<llvm::IntrinsicInst>(other);
        return read && read->getIntrinsicID() == llvm::Intrinsic::nvvm_read_ptx_sreg_tid_x;
    };
    if (is_thread(value)) return true;
    Value *left = nullptr, *right = nullptr;
    if (!match(value, m_AddLike(m_Value(left), m_Value(right)))) return false;
    if (is_thread(left)) std::swap(left, right);
    return is_thread(right) && is_of_block(left, kDeepest) &&
           llvm::computeKnownBits(left, target).countMinTrailingZeros() >= zeros;
}

}  // namespace

bool is_quotient_of_gang(const Value* value, const Layout& layout) {
    auto* quotient = llvm::dyn_cast<llvm::BinaryOperator>(value);
    if (!quotient || layout.is_linear() || layout.begins_anywhere) return false;
    if (!quotient->getType()->isIntegerTy()) return false;
    auto* by = llvm::dyn_cast<llvm::ConstantInt>(quotient->getOperand(1));
    const std::uint64_t lanes = std::uint64_t{layout.width} * layout.columns();
    if (!by || by->getBitWidth() > 64 || !std::has_single_bit(lanes)) return false;
    std::uint64_t divisor = by->getZExtValue();
    const Value* index = quotient->getOperand(0);
    switch (quotient->getOpcode()) {
        case Instruction::LShr:
        case Instruction::AShr:
            if (divisor >= 63) return false;
            divisor = std::uint64_t{1} << divisor;
            break;
        case Instruction::SDiv:  // of a negative number it is rounded the other way
            if (!is_launch_index(index) && !is_index_in_known_block(index, layout)) return false;
            break;
        case Instruction::UDiv:
            break;
        default:
            return false;
    }
    return divisor != 0 && divisor % lanes == 0 &&
           is_thread_behind_multiple(index, zeros_of_number(lanes), quotient->getDataLayout());
}

bool is_within_aligned_range(const llvm::CastInst& widening, const Shapes& shapes,
                             const Layout& layout) {
    const Value* narrow = widening.getOperand(0);
    Shape shape = shapes.of(narrow);
    if (!shape.is_stepped() || !shape.row || *shape.lane < 0) return false;
    if (shape.row->across < 0 || shape.row->down < 0) return false;
    constexpr std::int64_t kMost = std::int64_t{1} << 31;
    if (std::max({*shape.lane, shape.row->across, shape.row->down}) >= kMost) return false;
    const std::int64_t farthest = *shape.lane * (layout.width - 1) +
                                  shape.row->across * (layout.columns() - 1) +
                                  shape.row->down * (layout.rows() - 1);
    const unsigned bits = narrow->getType()->getIntegerBitWidth();
    // A number added to a multiple of the range's size is where the first lane lies in it.
    std::int64_t first = 0;
    const llvm::APInt* number = nullptr;
    const Value* multiple = narrow;
    if (match(narrow, m_AddLike(m_Value(multiple), m_APInt(number))) && number->ult(kMost)) {
        first = static_cast<std::int64_t>(number->getZExtValue());
    } else {
        multiple = narrow;
    }
    const unsigned zeros = LowZeros(shapes, layout, widening.getDataLayout()).of(multiple);
    // Of a signed number the upper bit is the sign.
    const bool is_signed = widening.getOpcode() == Instruction::SExt;
    return first + farthest < std::int64_t{1} << std::min({zeros, bits - is_signed, 62U});
}

}  // namespace warpwise::cpu_compiler::gang
