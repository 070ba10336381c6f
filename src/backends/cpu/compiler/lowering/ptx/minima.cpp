// Minima and maxima as PTX has them, of what LLVM leaves open or has no code for.
//
// Of two zeros the negative one is the smaller: LLVM's minnum may give either, and x86's
// instruction gives its second operand. After vectorisation, so that all executors get the same.
// AVX-512 has one instruction that does all of it; without it, six, or four where one operand is
// never a NaN.
//
// 16-bit floats: LLVM shrinks minima of float to them when all around is 16 bits wide, and x86 has
// only calls of the C library for them. They are done in float, which is exact.
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>

#include <algorithm>
#include <array>
#include <bit>
#include <utility>
#include <vector>

#include "src/backends/cpu/compiler/gang/target/target_traits.hpp"
#include "src/backends/cpu/compiler/lowering/lowering.hpp"
#include "src/backends/cpu/compiler/lowering/ptx/nan_kinds.hpp"

namespace warpwise::cpu_compiler {
namespace {

using llvm::Value;

constexpr unsigned kLeastRegister = 128;  // bits

bool is_narrow_minimum(const llvm::IntrinsicInst& call) {
    if (!call.getType()->getScalarType()->isHalfTy()) return false;
    switch (call.getIntrinsicID()) {
        case llvm::Intrinsic::minnum:
        case llvm::Intrinsic::maxnum:
        case llvm::Intrinsic::minimum:
        case llvm::Intrinsic::maximum:
            return true;
        default:
            return false;
    }
}

void widen(llvm::IntrinsicInst& call) {
    llvm::IRBuilder<> builder(&call);
    llvm::Type* wide = call.getType()->getWithNewType(builder.getFloatTy());
    Value* result = builder.CreateBinaryIntrinsic(call.getIntrinsicID(),
                                                  builder.CreateFPExt(call.getArgOperand(0), wide),
                                                  builder.CreateFPExt(call.getArgOperand(1), wide));
    call.replaceAllUsesWith(builder.CreateFPTrunc(result, call.getType()));
    call.eraseFromParent();
}

bool is_number_minimum(const llvm::IntrinsicInst& call) {
    const llvm::Intrinsic::ID id = call.getIntrinsicID();
    return (id == llvm::Intrinsic::minnum || id == llvm::Intrinsic::maxnum) &&
           !call.hasNoSignedZeros();
}

// Whether one operand may be a zero of one sign and the other that of the other.
bool may_have_both_zeros(const llvm::IntrinsicInst& call) {
    const llvm::DataLayout& target = call.getModule()->getDataLayout();
    const auto first = llvm::computeKnownFPClass(call.getArgOperand(0), target, llvm::fcZero);
    const auto second = llvm::computeKnownFPClass(call.getArgOperand(1), target, llvm::fcZero);
    return (!first.isKnownNever(llvm::fcNegZero) && !second.isKnownNever(llvm::fcPosZero)) ||
           (!first.isKnownNever(llvm::fcPosZero) && !second.isKnownNever(llvm::fcNegZero));
}

// Found out before any is rewritten: what one is known to be says something of others.
struct Minimum {
    explicit Minimum(llvm::IntrinsicInst& minimum)
        : call(&minimum),
          is_max(minimum.getIntrinsicID() == llvm::Intrinsic::maxnum),
          has_zeros(may_have_both_zeros(minimum)) {
        for (unsigned i = 0; i < 2; ++i) {
            is_number[i] = is_never_nan(minimum.getArgOperand(i));
            is_quiet[i] = is_never_signalling(minimum.getArgOperand(i));
        }
    }

    Value* operand(unsigned i) const { return call->getArgOperand(i); }
    bool has_number() const { return is_number[0] || is_number[1]; }

    llvm::IntrinsicInst* call;
    bool is_max;
    bool has_zeros;  // of both signs
    std::array<bool, 2> is_number = {}, is_quiet = {};
};

// x where it is beyond y, else y, also where x is a NaN: one instruction of x86's.
Value* that_beyond(llvm::IRBuilder<>& builder, const Minimum& minimum, Value* x, Value* y) {
    Value* is_beyond = minimum.is_max ? builder.CreateFCmpOGT(x, y) : builder.CreateFCmpOLT(x, y);
    return builder.CreateSelect(is_beyond, x, y);
}

// max(x, 0) is x where that is greater, else 0. So is min(x, -0).
Value* with_constant_zero(llvm::IRBuilder<>& builder, const Minimum& minimum) {
    Value *x = minimum.operand(0), *zero = minimum.operand(1);
    if (llvm::isa<llvm::Constant>(x)) std::swap(x, zero);
    const bool is_that = minimum.is_max
                             ? llvm::PatternMatch::match(zero, llvm::PatternMatch::m_PosZeroFP())
                             : llvm::PatternMatch::match(zero, llvm::PatternMatch::m_NegZeroFP());
    return is_that ? that_beyond(builder, minimum, x, zero) : nullptr;
}

// One operand is no NaN.
Value* with_known_number(llvm::IRBuilder<>& builder, const Minimum& minimum) {
    const unsigned number = minimum.is_number[1] ? 1 : 0;
    return that_beyond(builder, minimum, minimum.operand(1 - number), minimum.operand(number));
}

// Equal numbers have equal bits, but for zeros.
Value* with_bits_of_equals(llvm::IRBuilder<>& builder, const Minimum& minimum) {
    Value *x = minimum.operand(0), *y = minimum.operand(1);
    llvm::Type* type = x->getType();
    llvm::Type* bits = type->getWithNewType(builder.getIntNTy(type->getScalarSizeInBits()));
    Value *x_bits = builder.CreateBitCast(x, bits), *y_bits = builder.CreateBitCast(y, bits);
    Value* both =
        minimum.is_max ? builder.CreateAnd(x_bits, y_bits) : builder.CreateOr(x_bits, y_bits);
    Value* usual = minimum.has_number() ? with_known_number(builder, minimum)
                                        : builder.Insert(minimum.call->clone());
    return builder.CreateSelect(builder.CreateFCmpOEQ(x, y), builder.CreateBitCast(both, type),
                                usual);
}

// Lanes `first` and following ones; behind the last one anything.
Value* part_of(llvm::IRBuilder<>& builder, Value* value, unsigned first, unsigned lanes) {
    if (!value->getType()->isVectorTy()) {
        auto* type = llvm::FixedVectorType::get(value->getType(), lanes);
        return builder.CreateInsertElement(llvm::PoisonValue::get(type), value, std::uint64_t{0});
    }
    const unsigned count = llvm::cast<llvm::FixedVectorType>(value->getType())->getNumElements();
    llvm::SmallVector<int, 16> from;
    for (unsigned lane = first; lane < first + lanes; ++lane) {
        from.push_back(lane < count ? static_cast<int>(lane) : llvm::PoisonMaskElem);
    }
    return builder.CreateShuffleVector(value, from);
}

// Where a value is made, so that all that use it have one.
void insert_behind(llvm::IRBuilder<>& builder, Value* value, llvm::Function& function) {
    auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
    const auto behind = instruction ? instruction->getInsertionPointAfterDef()
                                    : std::optional(function.getEntryBlock().getFirstInsertionPt());
    if (behind) builder.SetInsertPoint(*behind);
}

// The values that were made quiet, by the first lane of a register.
using QuietParts = llvm::DenseMap<std::pair<Value*, unsigned>, Value*>;

// By the target's instruction, register by register.
Value* by_instruction(llvm::IRBuilder<>& builder, const Minimum& minimum,
                      const gang::TargetTraits& target, QuietParts& quiet_parts) {
    auto* type = llvm::dyn_cast<llvm::FixedVectorType>(minimum.call->getType());
    const unsigned size = minimum.call->getType()->getScalarSizeInBits();
    const unsigned count = type ? type->getNumElements() : 1;
    const unsigned lanes =
        std::clamp(std::bit_ceil(count), kLeastRegister / size, target.vector_bits() / size);
    const auto chosen = [&](Value* x, Value* y) {
        return target.minimum(builder, minimum.is_max, x, y);
    };
    const auto quiet = [&](unsigned operand, unsigned first) {
        Value* value = minimum.operand(operand);
        if (minimum.is_quiet[operand]) return part_of(builder, value, first, lanes);
        Value*& known = quiet_parts[{value, first}];
        if (known != nullptr) return known;
        llvm::IRBuilder<>::InsertPointGuard guard(builder);
        insert_behind(builder, value, *minimum.call->getFunction());
        Value* part = part_of(builder, value, first, lanes);
        return known = target.minimum(builder, minimum.is_max, part, part);
    };
    llvm::SmallVector<Value*, 4> parts;
    for (unsigned first = 0; first < count; first += lanes) {
        Value* left = quiet(0, first);
        parts.push_back(chosen(left, quiet(1, first)));
    }
    if (type == nullptr) return builder.CreateExtractElement(parts[0], std::uint64_t{0});
    Value* all = llvm::concatenateVectors(builder, parts);
    return lanes * parts.size() == count ? all : part_of(builder, all, 0, count);
}

Value* defined(llvm::IRBuilder<>& builder, const Minimum& minimum, const gang::TargetTraits& target,
               QuietParts& quiet_parts) {
    Value* by_zero = minimum.has_zeros ? with_constant_zero(builder, minimum) : nullptr;
    if (by_zero != nullptr) return by_zero;
    if (!minimum.has_zeros && minimum.has_number()) return with_known_number(builder, minimum);
    if (target.has_minimum()) return by_instruction(builder, minimum, target, quiet_parts);
    return minimum.has_zeros ? with_bits_of_equals(builder, minimum) : nullptr;
}

template <class Is>
std::vector<llvm::IntrinsicInst*> calls_that(llvm::Module& module, Is&& is) {
    std::vector<llvm::IntrinsicInst*> calls;
    for (llvm::Function& function : module) {
        for (llvm::Instruction& instruction : llvm::instructions(function)) {
            auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
            if (call && is(*call)) calls.push_back(call);
        }
    }
    return calls;
}

}  // namespace

void define_minima(Lowering& job) {
    for (llvm::IntrinsicInst* call : calls_that(job.module, is_narrow_minimum)) widen(*call);
    const auto target = gang::target_traits(job.machine);
    std::vector<Minimum> minima;
    for (llvm::IntrinsicInst* call : calls_that(job.module, is_number_minimum)) {
        minima.emplace_back(*call);
    }
    QuietParts quiet_parts;
    for (const Minimum& minimum : minima) {
        llvm::IRBuilder<> builder(minimum.call);
        Value* result = defined(builder, minimum, *target, quiet_parts);
        if (result == nullptr) continue;
        minimum.call->replaceAllUsesWith(result);
        minimum.call->eraseFromParent();
    }
}

}  // namespace warpwise::cpu_compiler
