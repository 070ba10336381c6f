// Finds the period among the numbers that an address is divided by.
#include "src/backends/cpu/compiler/gang/analysis/lane_periods.hpp"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/PatternMatch.h>

#include <algorithm>
#include <numeric>

#include "src/backends/cpu/compiler/gang/target/costs.hpp"

namespace warpwise::cpu_compiler::gang {
namespace {

using llvm::Instruction;
using llvm::Value;
using namespace llvm::PatternMatch;

constexpr unsigned kDeepest = 16;  // operations from the address to what has a step

bool is_simple_access(Instruction& access) {
    auto* load = llvm::dyn_cast<llvm::LoadInst>(&access);
    auto* store = llvm::dyn_cast<llvm::StoreInst>(&access);
    const bool is_simple = (load && load->isSimple()) || (store && store->isSimple());
    return is_simple && llvm::getLoadStoreType(&access)->isSingleValueType();
}

// A quotient or remainder by it; 1 for anything else.
std::uint64_t divisor_of(const Instruction& instruction) {
    const llvm::APInt* number = nullptr;
    if (!instruction.isBinaryOp() || !match(instruction.getOperand(1), m_APInt(number))) return 1;
    switch (instruction.getOpcode()) {
        case Instruction::UDiv:
        case Instruction::SDiv:
        case Instruction::URem:
        case Instruction::SRem:
            return number->isStrictlyPositive() ? number->getLimitedValue() : 1;
        case Instruction::LShr:
        case Instruction::AShr:
            return number->ult(32) ? std::uint64_t{1} << number->getZExtValue() : 1;
        case Instruction::And:
            return (*number + 1).isPowerOf2() ? number->getLimitedValue() + 1 : 1;
        default:
            return 1;
    }
}

// The least number that all divisors are factors of, but for those above the most.
void multiply_divisors(const Value* value, const Shapes& shapes, std::uint64_t& period,
                       llvm::SmallPtrSetImpl<const Value*>& seen, unsigned depth = 0) {
    auto* instruction = llvm::dyn_cast<Instruction>(value);
    if (instruction == nullptr || shapes.of(value).has_scalars() || depth > kDeepest) return;
    if (!seen.insert(value).second || llvm::isa<llvm::LoadInst, llvm::PHINode>(instruction)) return;
    const std::uint64_t divisor = divisor_of(*instruction);
    if (divisor > 1 && divisor <= costs::kLongestPeriod) period = std::lcm(period, divisor);
    for (const Value* operand : instruction->operands()) {
        multiply_divisors(operand, shapes, period, seen, depth + 1);
    }
}

// Whether what lanes have in known steps is no more than an element for each.
bool are_close(llvm::ArrayRef<PlaceOfLane> places) {
    for (unsigned first = 0, end = 0; first < places.size(); first = end) {
        std::int64_t least = 0, most = 0;
        for (end = first; end < places.size() && places[end].anchor == first; ++end) {
            least = std::min(least, places[end].distance);
            most = std::max(most, places[end].distance);
        }
        if (most - least >= static_cast<std::int64_t>(end - first)) return false;
    }
    return true;
}

}  // namespace

LaneRuns& LanePeriods::runs(unsigned period) {
    std::unique_ptr<LaneRuns>& known = runs_[period];
    if (!known) known = std::make_unique<LaneRuns>(shapes_, layout_, period);
    return *known;
}

const LanePeriod* LanePeriods::of(Instruction& access) {
    auto known = found_.find(&access);
    if (known == found_.end()) {
        std::optional<LanePeriod> found = find(access);
        known = found_.try_emplace(&access, std::move(found)).first;
    }
    return known->second ? &*known->second : nullptr;
}

const LanePeriod* LanePeriods::down_tile(Instruction& access) {
    auto known = down_tile_.find(&access);
    if (known == down_tile_.end()) {
        std::optional<LanePeriod> found = find_down_tile(access);
        known = down_tile_.try_emplace(&access, std::move(found)).first;
    }
    return known->second ? &*known->second : nullptr;
}

std::optional<LanePeriod> LanePeriods::find(Instruction& access) {
    if (!is_simple_access(access)) return std::nullopt;
    Value* address = llvm::getLoadStorePointerOperand(&access);
    std::uint64_t period = 1;
    llvm::SmallPtrSet<const Value*, 16> seen;
    multiply_divisors(address, shapes_, period, seen);
    if (period < 2 || period > costs::kLongestPeriod) return std::nullopt;
    for (const unsigned lanes : {layout_.lanes(), layout_.width}) {
        if (lanes / period < costs::kLeastPeriods) continue;
        auto found = follow(access, static_cast<unsigned>(period), lanes);
        if (!found) continue;
        const bool has_form = llvm::isa<llvm::StoreInst>(access)
                                  ? found->step == 1 && period <= costs::kLongestStoredPeriod
                                  : found->step >= 0 && found->step <= costs::kWidestPeriodStep;
        if (!has_form) continue;
        if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&access)) find_places(*load, *found);
        return found;
    }
    return std::nullopt;
}

// Leaves none where the lanes of a period are not known to lie near each other.
void LanePeriods::find_places(llvm::LoadInst& load, LanePeriod& found) {
    LaneRuns& runs = this->runs(1);
    Value* address = load.getPointerOperand();
    const LaneSteps& steps = runs.steps_of(address);
    const auto size =
        static_cast<std::int64_t>(load.getDataLayout().getTypeAllocSize(load.getType()));
    std::vector<PlaceOfLane> places;
    for (unsigned lane = 0; lane < layout_.lanes(); ++lane) {
        const bool is_known = lane > 0 && steps[lane] && *steps[lane] % size == 0;
        if (!is_known && lane % found.lanes != 0) return;
        places.push_back(is_known ? PlaceOfLane{places.back().anchor,
                                                places.back().distance + *steps[lane] / size}
                                  : PlaceOfLane{lane, 0});
    }
    if (!are_close(places)) return;
    RunsOfLoad followed;
    llvm::SmallPtrSet<Value*, 16> seen;
    runs.collect(address, followed, seen);
    for (llvm::CastInst* widening : followed.widenings) {
        const bool is_signed = llvm::isa<llvm::SExtInst>(widening) || widening->hasNonNeg();
        if (is_exact(widening->getOperand(0), is_signed, runs)) continue;
        const LaneSteps& of_index = runs.steps_of(widening->getOperand(0));
        for (unsigned lane = 0; lane < layout_.lanes(); ++lane) {
            if (places[lane].anchor != lane && !of_index[lane]) return;
        }
        found.widenings_of_places.push_back(widening);
    }
    found.places = std::move(places);
}

std::optional<LanePeriod> LanePeriods::find_down_tile(Instruction& access) {
    if (!layout_.has_rows() || layout_.rows() < costs::kLeastPeriods) return std::nullopt;
    if (!is_simple_access(access)) return std::nullopt;
    const auto size = static_cast<std::int64_t>(
        access.getDataLayout().getTypeAllocSize(llvm::getLoadStoreType(&access)));
    // What has a step of none or of one element needs no transposition.
    const auto step = shapes_.of(llvm::getLoadStorePointerOperand(&access)).lane;
    if (step && std::abs(*step) <= size) return std::nullopt;
    auto found = follow(access, layout_.width * layout_.columns(), layout_.lanes());
    const bool has_form = found && std::abs(found->step) == 1 && found->widenings.size() <= 1;
    return has_form ? found : std::nullopt;
}

std::optional<LanePeriod> LanePeriods::follow(Instruction& access, unsigned period,
                                              unsigned lanes) {
    LaneRuns& runs = this->runs(period);
    const auto step_of = [&](Value* value) -> std::optional<std::int64_t> {
        const LaneSteps& steps = runs.steps_of(value);
        const std::optional<std::int64_t> step = steps[period];
        for (unsigned lane = 0; lane < layout_.lanes(); ++lane) {
            if (lane % lanes >= period && steps[lane] != step) return std::nullopt;
        }
        return step;
    };
    Value* address = llvm::getLoadStorePointerOperand(&access);
    const auto bytes = step_of(address);
    const auto size = static_cast<std::int64_t>(
        access.getDataLayout().getTypeAllocSize(llvm::getLoadStoreType(&access)));
    if (!bytes || *bytes % size != 0) return std::nullopt;
    LanePeriod result{.period = period, .lanes = lanes, .step = *bytes / size};
    RunsOfLoad found;
    llvm::SmallPtrSet<Value*, 16> seen;
    runs.collect(address, found, seen);
    if (!found.bounds.empty()) return std::nullopt;
    result.leaves = std::move(found.leaves);
    for (llvm::CastInst* widening : found.widenings) {
        const auto step = step_of(widening->getOperand(0));
        if (!step) return std::nullopt;
        const bool is_signed = llvm::isa<llvm::SExtInst>(widening) || widening->hasNonNeg();
        if (*step == 0 || is_exact(widening->getOperand(0), is_signed, runs)) continue;
        result.widenings.emplace_back(widening, *step);
    }
    return result;
}

// Whether a step of the value, read so, is one of whole numbers.
bool LanePeriods::is_exact(Value* value, bool is_signed, const LaneRuns& runs) const {
    if (shapes_.of(value).is_uniform() || runs.is_natural(value)) return true;
    Value* inverted = nullptr;
    if (match(value, m_Not(m_Value(inverted)))) {
        return is_signed && is_exact(inverted, is_signed, runs);
    }
    auto* sum = llvm::dyn_cast<llvm::BinaryOperator>(value);
    if (sum == nullptr || !llvm::isa<llvm::OverflowingBinaryOperator>(sum)) {
        const Shape shape = shapes_.of(value);
        return is_signed && shape.has_scalars() && shape.is_exact;
    }
    return (is_signed ? sum->hasNoSignedWrap() : sum->hasNoUnsignedWrap()) &&
           is_exact(sum->getOperand(0), is_signed, runs) &&
           is_exact(sum->getOperand(1), is_signed, runs);
}

}  // namespace warpwise::cpu_compiler::gang
