// Rows: quotients that lanes share, and where they do.
#include <llvm/IR/Dominators.h>

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
        if (!ascends || !runs.is_natural(dividend) || !is_of_launch(divisor, LaunchDivisors::Any))
            return false;
    }
    auto* number = llvm::dyn_cast<llvm::ConstantInt>(divisor);
    const std::int64_t shortest =
        rows_ == Rows::Split ? costs::kShortestSplitRow : costs::kGangsOfRow * span;
    const bool may_be = number == nullptr || number->getValue().sge(shortest);
    const bool is_wide = division.getType()->getIntegerBitWidth() >= 32;
    if (!may_be || !is_wide || span > kFarthest) return false;
    divisions_.push_back(
        {&division, divisor, *least, span, shape.is_exact, row_sum(dividend, divisor)});
    join_row(divisions_.size() - 1);
    return true;
}

// Of rows that hold few gangs, most gangs lie in two, or at an end where a bound is reached; but
// none lies in two where rows are whole gangs.
Value* Assumptions::are_rows_long(llvm::IRBuilder<>& builder) const {
    const bool have_bounds = llvm::any_of(assumed_, [](const Assumed& assumed) {
        return assumed.of_left.is_bound || assumed.of_right.is_bound;
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

bool Assumptions::is_in(const RowOfData& row, const Division& division) const {
    const Division& other = divisions_[row.divisions.front()];
    const RowSum& sum = division.sum;
    const std::int64_t least = sum.number + division.least;
    const bool is_alike =
        division.divisor == other.divisor && sum.terms == other.sum.terms &&
        std::max(sum.divisors, row.greatest) <= 1 + std::min(sum.divisors, row.fewest);
    // Those that have no number in common may lie in one row each.
    return is_alike && least <= row.most && row.least <= least + division.span;
}

void Assumptions::join_row(unsigned number) {
    const Division& division = divisions_[number];
    const std::int64_t least = division.sum.number + division.least;
    const std::int64_t most = least + division.span;
    const unsigned divisors = division.sum.divisors;
    for (RowOfData& row : rows_of_data_) {
        if (rows_ != Rows::Assumed || !is_in(row, division)) continue;
        row.divisions.push_back(number);
        row.least = std::min(row.least, least);
        row.most = std::max(row.most, most);
        row.fewest = std::min(row.fewest, divisors);
        row.greatest = std::max(row.greatest, divisors);
        return;
    }
    rows_of_data_.push_back({{number}, least, most, divisors, divisors});
}

// Whether all dividends lie in one row, or where they have one more or one less divisor in the next
// or in that before. By lane 0 of the first division, which its copy divides too.
Value* Assumptions::test_row(llvm::IRBuilder<>& builder, const RowOfData& row,
                             Repetition& repetition) const {
    const Division& first = divisions_[row.divisions.front()];
    Value* dividend = repetition.of(first.division->getOperand(0));
    Value* divisor = repetition.divisor_of(repetition.of(first.divisor));
    llvm::Type* type = dividend->getType();
    const std::int64_t below = first.sum.number - row.least, above = row.most - first.sum.number;
    const llvm::APInt most = llvm::APInt::getSignedMaxValue(type->getIntegerBitWidth());
    Value* limit = llvm::ConstantInt::get(type, most - static_cast<std::uint64_t>(above));
    // As unsigned ones, negative numbers are above; so is what wraps.
    Value* stays = builder.CreateICmpULE(dividend, limit);
    if (row.greatest > first.sum.divisors) {
        Value* beyond = builder.CreateAdd(dividend, divisor);
        stays = builder.CreateAnd(stays, builder.CreateICmpULE(beyond, limit));
    }
    if (row.fewest < first.sum.divisors) {
        stays = builder.CreateAnd(stays, builder.CreateICmpUGE(dividend, divisor));
    }
    Value* quotient = builder.CreateUDiv(dividend, divisor);
    Value* rest = builder.CreateSub(dividend, builder.CreateMul(quotient, divisor));
    for (const std::int64_t distance : {-below, above}) {
        if (distance == 0) continue;
        Value* other = builder.CreateAdd(rest, llvm::ConstantInt::getSigned(type, distance));
        stays = builder.CreateAnd(stays, builder.CreateICmpULT(other, divisor));
    }
    return stays;
}

// The first division of a row divides for all that it dominates.
void Assumptions::apply_divisions(llvm::Function& copy,
                                  const llvm::ValueToValueMapTy& copies) const {
    const llvm::DominatorTree tree(copy);
    const auto copy_of = [&](Value* value) {
        Value* made = copies.lookup(value);
        return made != nullptr ? made : value;
    };
    for (const RowOfData& row : rows_of_data_) {
        const Division& first = divisions_[row.divisions.front()];
        Instruction* shared = nullptr;
        for (const unsigned number : row.divisions) {
            const Division& assumed = divisions_[number];
            auto* division = llvm::cast<Instruction>(copy_of(assumed.division));
            Value* divisor = copy_of(assumed.divisor);
            llvm::IRBuilder<> builder(division);
            Value* quotient = shared;
            if (shared == nullptr || !tree.dominates(shared, division)) {
                quotient = write_quotient(builder, division->getOperand(0), divisor);
                if (shared == nullptr) shared = llvm::dyn_cast<Instruction>(quotient);
            } else if (assumed.sum.divisors != first.sum.divisors) {
                const bool is_more = assumed.sum.divisors > first.sum.divisors;
                quotient = builder.CreateAdd(
                    shared, llvm::ConstantInt::getSigned(shared->getType(), is_more ? 1 : -1));
            }
            apply_division(assumed, *division, divisor, quotient);
        }
    }
}

Value* Assumptions::write_quotient(llvm::IRBuilder<>& builder, Value* dividend,
                                   Value* divisor) const {
    Value* first = rows_ == Rows::Split
                       ? Repetition(builder, Repetition::Thread::FirstOfRow).of(dividend)
                       : call_marker(builder, kFirstLane, dividend->getType(), {dividend});
    return builder.CreateUDiv(first, divisor);
}

// One quotient of all lanes, and a remainder with steps.
void Assumptions::apply_division(const Division& assumed, Instruction& division, Value* divisor,
                                 Value* quotient) {
    llvm::IRBuilder<> builder(&division);
    Value* result = quotient;
    const bool is_remainder =
        division.getOpcode() == Instruction::URem || division.getOpcode() == Instruction::SRem;
    if (is_remainder) {
        Value* dividend = division.getOperand(0);
        if (!assumed.is_exact) {
            dividend = call_marker(builder, kWithoutWrap, dividend->getType(),
                                   {dividend, builder.getTrue()});
        }
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
    return builder.CreateAnd(all, repetition.are_defined());
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
