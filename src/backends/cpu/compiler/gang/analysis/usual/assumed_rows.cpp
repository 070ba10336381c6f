// Rows: quotients that lanes share, and where they do.
#include <llvm/IR/InstIterator.h>

#include <algorithm>
#include <bit>
#include <vector>

#include "src/backends/cpu/compiler/gang/analysis/markers.hpp"
#include "src/backends/cpu/compiler/gang/analysis/registers.hpp"
#include "src/backends/cpu/compiler/gang/analysis/usual/assumptions.hpp"
#include "src/backends/cpu/compiler/gang/analysis/usual/start_values.hpp"
#include "src/backends/cpu/compiler/gang/target/costs.hpp"

namespace warpwise::cpu_compiler::gang {

using llvm::Instruction;
using llvm::Value;

namespace {

// The first and the last lane of an index that is divided, so that a sum stays in its type.
constexpr std::int64_t kFarthest = std::int64_t{1} << 20;

}  // namespace

// Of an index with steps, by a row that is thought to be longer than the gang, where the test also
// finds whether the index wraps, (x - 1 + width) % width; of one that ascends by one and is never
// negative, by what a launch knows, where gangs end with rows.
bool Assumptions::consider_division(Instruction& division, const Shapes& shapes,
                                    const Layout& layout, const LaneRuns& runs) {
    Value* dividend = division.getOperand(0);
    Value* divisor = usual_divisor(division.getOperand(1));
    const Shape shape = shapes.of(dividend);
    const bool has_steps =
        shape.is_single() && shape.is_stepped() && (shape.is_exact || rows_ == Rows::Assumed);
    if (!has_steps || shapes.of(&division).has_scalars() || !shapes.of(divisor).is_uniform()) {
        return false;
    }
    const Origin first = origin_of(dividend), second = origin_of(divisor);
    if (!first.is_known || !second.is_known || !first.is_of_launch) return false;
    const std::vector<std::int64_t> lanes = shape.offsets(layout);
    const auto [least, most] = std::minmax_element(lanes.begin(), lanes.end());
    const std::int64_t span = *most - *least;
    if (rows_ == Rows::Split) {
        const bool ascends = *shape.lane == 1 && span == layout.lanes() - 1;
        if (!ascends || !runs.is_natural(dividend) || !is_of_launch(divisor)) return false;
    }
    auto* number = llvm::dyn_cast<llvm::ConstantInt>(divisor);
    const std::int64_t shortest =
        rows_ == Rows::Split ? costs::kShortestSplitRow : costs::kGangsOfRow * span;
    const bool may_be = number == nullptr || number->getValue().sge(shortest);
    const bool is_wide = division.getType()->getIntegerBitWidth() >= 32;
    if (!may_be || !is_wide || span > kFarthest) return false;
    divisions_.push_back({&division, divisor, *least, span, shape.is_exact});
    return true;
}

// Of rows that hold few gangs, most gangs lie in two, or at an end where a bound is reached; but
// none lies in two where rows are whole gangs.
Value* Assumptions::are_rows_long(llvm::IRBuilder<>& builder) const {
    const bool have_bounds = llvm::any_of(assumed_, [](const Assumed& assumed) {
        return assumed.of_left.may_wrap || assumed.of_right.may_wrap;
    });
    const std::int64_t gangs = have_bounds ? costs::kGangsOfBoundedRow : costs::kGangsOfRow;
    Repetition repetition(builder);
    Value* all = builder.getTrue();
    for (const Division& division : divisions_) {
        if (llvm::isa<llvm::ConstantInt>(division.divisor)) continue;
        Value* divisor = repetition.of(division.divisor);
        Value* least = llvm::ConstantInt::getSigned(divisor->getType(), gangs * division.span);
        Value* is_long = builder.CreateICmpSGE(divisor, least);
        if (!have_bounds && std::has_single_bit(static_cast<std::uint64_t>(division.span + 1))) {
            Value* rest = builder.CreateAnd(divisor, static_cast<std::uint64_t>(division.span));
            Value* is_whole =
                builder.CreateICmpEQ(rest, llvm::Constant::getNullValue(rest->getType()));
            is_long = builder.CreateOr(is_long, is_whole);
        }
        all = builder.CreateAnd(all, is_long);
    }
    return all;
}

// Whether the lowest and the highest lane's dividend lie in one row.
Value* Assumptions::test_division(llvm::IRBuilder<>& builder, const Division& division,
                                  Value* dividend, Value* divisor) {
    llvm::Type* type = dividend->getType();
    const unsigned bits = type->getIntegerBitWidth();
    const auto number = [&](std::int64_t value) {
        return llvm::ConstantInt::getSigned(type, value);
    };
    Value* lowest = builder.CreateAdd(dividend, number(division.least));
    Value* limit = llvm::ConstantInt::get(
        type, llvm::APInt::getSignedMaxValue(bits) - static_cast<std::uint64_t>(division.span));
    // As unsigned ones, negative numbers are above; so is what lies below 0 or wraps.
    Value* stays = builder.CreateICmpULE(lowest, limit);
    Value* quotient = builder.CreateUDiv(lowest, divisor);
    Value* rest = builder.CreateSub(lowest, builder.CreateMul(quotient, divisor));
    Value* is_in_row =
        builder.CreateICmpULT(builder.CreateAdd(rest, number(division.span)), divisor);
    return builder.CreateAnd(stays, is_in_row);
}

// One quotient of all lanes, and a remainder with steps.
void Assumptions::apply_division(Instruction& division, Value* divisor, bool is_exact) const {
    llvm::IRBuilder<> builder(&division);
    Value* dividend = division.getOperand(0);
    if (!is_exact) {
        dividend =
            call_marker(builder, kWithoutWrap, dividend->getType(), {dividend, builder.getTrue()});
    }
    Value* first = rows_ == Rows::Split
                       ? Repetition(builder, Repetition::Thread::FirstOfRow).of(dividend)
                       : call_marker(builder, kFirstLane, dividend->getType(), {dividend});
    Value* result = builder.CreateUDiv(first, divisor);
    const bool is_remainder =
        division.getOpcode() == Instruction::URem || division.getOpcode() == Instruction::SRem;
    if (is_remainder) {
        Value* before = builder.CreateMul(result, divisor, "", /*HasNUW=*/true, /*HasNSW=*/true);
        // Nothing combines the two to sums that may wrap.
        before = call_marker(builder, kFirstLane, before->getType(), {before});
        result = builder.CreateSub(dividend, before, "", /*HasNUW=*/true, /*HasNSW=*/true);
        for (llvm::User* user : division.users()) {
            if (auto* widening = llvm::dyn_cast<llvm::ZExtInst>(user)) widening->setNonNeg();
        }
    }
    division.replaceAllUsesWith(result);
    division.eraseFromParent();
}

Value* Assumptions::are_rows_worth_splitting(llvm::IRBuilder<>& builder) const {
    Repetition repetition(builder);
    Value* all = builder.getTrue();
    for (const Division& division : divisions_) {
        if (llvm::isa<llvm::ConstantInt>(division.divisor)) continue;
        Value* divisor = repetition.of(division.divisor);
        Value* shortest =
            llvm::ConstantInt::getSigned(divisor->getType(), costs::kShortestSplitRow);
        all = builder.CreateAnd(all, builder.CreateICmpSGE(divisor, shortest));
    }
    return all;
}

Value* Assumptions::threads_in_rows(llvm::IRBuilder<>& builder) const {
    Repetition repetition(builder, Repetition::Thread::FirstOfRow);
    Value* threads = nullptr;
    for (const Division& division : divisions_) {
        Value* dividend = repetition.of(division.division->getOperand(0));
        Value* divisor = repetition.of(division.divisor);
        Value* before = builder.CreateMul(builder.CreateUDiv(dividend, divisor), divisor);
        Value* left = builder.CreateSub(divisor, builder.CreateSub(dividend, before));
        Value* most = llvm::ConstantInt::getSigned(left->getType(), kFarthest);
        left = builder.CreateBinaryIntrinsic(llvm::Intrinsic::umin, left, most);
        left = builder.CreateZExtOrTrunc(left, builder.getInt32Ty());
        threads =
            threads ? builder.CreateBinaryIntrinsic(llvm::Intrinsic::umin, threads, left) : left;
    }
    return threads;
}

}  // namespace warpwise::cpu_compiler::gang
