// Groups of operations of 64 bits, and the ranges of their values.
#include "src/backends/cpu/compiler/gang/widths/wide_sums.hpp"

#include <llvm/ADT/EquivalenceClasses.h>
#include <llvm/ADT/MapVector.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>

namespace warpwise::cpu_compiler::gang {
namespace {

using llvm::ConstantRange;
using llvm::Instruction;
using llvm::Value;

constexpr unsigned kWide = 64;
constexpr unsigned kNarrow = 32;
// Of guarded leaves; the first that suffice are taken.
constexpr unsigned kBits[] = {31, 30, 28, 24, 20};

bool is_wide(const Value* value) {
    return value->getType()->isIntegerTy(kWide);
}

const llvm::APInt* constant_operand(const Instruction& operation) {
    auto* constant = llvm::dyn_cast<llvm::ConstantInt>(operation.getOperand(1));
    return constant != nullptr ? &constant->getValue() : nullptr;
}

// By a constant with which the operation never traps.
bool is_by_constant(const Instruction& operation, std::uint64_t limit) {
    const llvm::APInt* by = constant_operand(operation);
    return by != nullptr && by->isStrictlyPositive() && by->ult(limit);
}

// What has the same value in 32 bits if its operands and its result have no more.
bool is_operation(const Value* value) {
    auto* operation = llvm::dyn_cast<Instruction>(value);
    if (operation == nullptr || !is_wide(operation)) return false;
    switch (operation->getOpcode()) {
        case Instruction::Add:
        case Instruction::Sub:
        case Instruction::Select:
            return true;
        case Instruction::Mul:
        case Instruction::SDiv:
        case Instruction::SRem:
        case Instruction::And:
            return is_by_constant(*operation, std::uint64_t{1} << 16);
        case Instruction::Shl:
        case Instruction::AShr:
            return is_by_constant(*operation, kNarrow - 1);
        case Instruction::Call: {
            const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(operation);
            const llvm::Intrinsic::ID id =
                call != nullptr ? call->getIntrinsicID() : llvm::Intrinsic::not_intrinsic;
            return id == llvm::Intrinsic::smin || id == llvm::Intrinsic::smax ||
                   id == llvm::Intrinsic::abs;
        }
        default:
            return false;
    }
}

bool is_comparison(const Value* value) {
    return llvm::isa<llvm::ICmpInst>(value) &&
           is_wide(llvm::cast<Instruction>(value)->getOperand(0));
}

}  // namespace

bool is_by_number(const Instruction& instruction) {
    return instruction.isShift() && is_operation(instruction.getOperand(1));
}

namespace {

// Its operands that are values of a group or leaves.
llvm::SmallVector<Value*, 4> numbers_of(const Instruction& member) {
    if (is_by_number(member)) return {member.getOperand(1)};
    llvm::SmallVector<Value*, 4> numbers;
    for (Value* operand : member.operands()) {
        if (is_wide(operand)) numbers.push_back(operand);
    }
    return numbers;
}

bool is_narrow(const ConstantRange& range) {
    return !range.isFullSet() && range.getSignedMin().isSignedIntN(kNarrow) &&
           range.getSignedMax().isSignedIntN(kNarrow);
}

}  // namespace

bool is_extension(const Value* value) {
    if (!llvm::isa<llvm::SExtInst, llvm::ZExtInst>(value) || !is_wide(value)) return false;
    const Value* source = llvm::cast<Instruction>(value)->getOperand(0);
    return source->getType()->getIntegerBitWidth() <= kNarrow;
}

bool is_end(const Instruction& instruction) {
    if (is_comparison(&instruction) || is_by_number(instruction)) return true;
    if (auto* choice = llvm::dyn_cast<llvm::SelectInst>(&instruction)) {
        const auto* condition = llvm::dyn_cast<Instruction>(choice->getCondition());
        return !is_wide(choice) && condition != nullptr && is_comparison(condition) &&
               condition->getParent() == choice->getParent();
    }
    const auto* cast = llvm::dyn_cast<llvm::CastInst>(&instruction);
    if (cast == nullptr || !is_wide(cast->getOperand(0))) return false;
    return cast->getOpcode() == Instruction::SIToFP ||
           (cast->getOpcode() == Instruction::Trunc &&
            cast->getType()->getIntegerBitWidth() <= kNarrow);
}

WideSums::WideSums(std::vector<Instruction*> members, const Shapes& shapes)
    : members_(std::move(members)), set_(members_.begin(), members_.end()), shapes_(shapes) {}

bool WideSums::is_used_outside(const Instruction& instruction) const {
    return llvm::any_of(instruction.users(), [&](const llvm::User* user) { return !has(user); });
}

bool WideSums::is_leaf(const Value* value) const {
    if (auto* constant = llvm::dyn_cast<llvm::ConstantInt>(value)) {
        return constant->getValue().isSignedIntN(kNarrow);
    }
    return is_extension(value) || shapes_.of(value).is_uniform();
}

bool WideSums::has_known_operands() const {
    return llvm::all_of(members_, [&](const Instruction* member) {
        // What is shifted stays in 64 bits, in front of the block of the wide values.
        if (is_by_number(*member) && has(member->getOperand(0))) return false;
        const bool are_known = llvm::all_of(numbers_of(*member), [&](const Value* number) {
            return (has(number) && is_operation(number)) || is_leaf(number);
        });
        return are_known && (is_end(*member) || !is_used_outside(*member));
    });
}

// Whether nothing in between uses a result.
bool WideSums::is_together() const {
    const Instruction* last = members_.back();
    const auto is_behind = [&](const llvm::User* user) {
        auto* instruction = llvm::cast<Instruction>(user);
        return has(instruction) || llvm::isa<llvm::PHINode>(instruction) ||
               instruction->getParent() != last->getParent() || last->comesBefore(instruction);
    };
    return llvm::all_of(members_, [&](const Instruction* member) {
        return llvm::all_of(member->users(), is_behind);
    });
}

// Not only the last bits of an operand, of which the bits of its operands suffice.
bool WideSums::takes_all_bits() const {
    return llvm::any_of(members_, [](const Instruction* member) {
        switch (member->getOpcode()) {
            case Instruction::ICmp:
            case Instruction::SIToFP:
            case Instruction::SDiv:
            case Instruction::SRem:
            case Instruction::AShr:
            case Instruction::Call:
                return true;
            default:
                return is_by_number(*member);
        }
    });
}

ConstantRange WideSums::range_of_leaf(const Value& leaf) const {
    if (auto* constant = llvm::dyn_cast<llvm::ConstantInt>(&leaf)) return constant->getValue();
    const bool is_signed = !llvm::isa<llvm::ZExtInst>(leaf);
    const llvm::APInt half = llvm::APInt::getOneBitSet(kWide, bits_ - 1);
    const ConstantRange guarded = is_signed ? ConstantRange(-half, half)
                                            : ConstantRange(llvm::APInt::getZero(kWide), half << 1);
    if (!is_extension(&leaf)) return guarded;
    const Value* source = llvm::cast<Instruction>(leaf).getOperand(0);
    const ConstantRange given = llvm::computeConstantRange(source, is_signed);
    const ConstantRange all = is_signed ? given.signExtend(kWide) : given.zeroExtend(kWide);
    return guarded_.contains(&leaf) ? all.intersectWith(guarded, ConstantRange::Signed) : all;
}

ConstantRange WideSums::range_of_operation(const Instruction& operation) const {
    const auto of = [&](unsigned i) { return range_of(operation.getOperand(i)); };
    switch (operation.getOpcode()) {
        case Instruction::Select:
            return of(1).unionWith(of(2), ConstantRange::Signed);
        case Instruction::Shl:  // of which LLVM knows no range where a number may be negative
            return of(0).multiply(llvm::APInt(kWide, 1) << *constant_operand(operation));
        case Instruction::Call: {
            const auto& call = llvm::cast<llvm::IntrinsicInst>(operation);
            if (call.getIntrinsicID() == llvm::Intrinsic::abs) return of(0).abs();
            const bool is_least = call.getIntrinsicID() == llvm::Intrinsic::smin;
            return is_least ? of(0).smin(of(1)) : of(0).smax(of(1));
        }
        default:
            return of(0).binaryOp(static_cast<Instruction::BinaryOps>(operation.getOpcode()),
                                  of(1));
    }
}

ConstantRange WideSums::range_of(const Value* value) const {
    if (auto known = ranges_.find(value); known != ranges_.end()) return known->second;
    const ConstantRange range =
        has(value) ? range_of_operation(*llvm::cast<Instruction>(value)) : range_of_leaf(*value);
    ranges_.try_emplace(value, range);
    return range;
}

// A value that may have more than 32 bits, null if there is none.
const Value* WideSums::find_large() const {
    ranges_.clear();
    for (const Instruction* member : members_) {
        for (const Value* number : numbers_of(*member)) {
            if (!is_narrow(range_of(number))) return number;
        }
    }
    return nullptr;
}

// What the value is made of.
void WideSums::guard(const Value* value) {
    llvm::SmallSetVector<const Value*, 8> parts;
    parts.insert(value);
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (has(parts[i])) {
            for (Value* number : numbers_of(*llvm::cast<Instruction>(parts[i]))) {
                parts.insert(number);
            }
        } else if (!llvm::isa<llvm::Constant>(parts[i])) {
            guarded_.insert(parts[i]);
        }
    }
}

// With leaves of `bits_` bits.
bool WideSums::fit() {
    guarded_.clear();
    for (const Instruction* member : members_) {
        for (const Value* number : numbers_of(*member)) {
            if (!has(number) && !is_extension(number)) guard(number);
        }
    }
    while (const Value* large = find_large()) {
        const std::size_t before = guarded_.size();
        guard(large);
        if (guarded_.size() == before) return false;
    }
    return true;
}

// Vector operations of 64 bits less, which are two of 32, and operations that look at leaves more.
int WideSums::gain() const {
    const auto is_vector = [&](const Value* value) { return !shapes_.of(value).has_scalars(); };
    int gain = 0;
    llvm::SmallPtrSet<const Instruction*, 8> extensions;
    for (const Instruction* member : members_) {
        const llvm::SmallVector<Value*, 4> numbers = numbers_of(*member);
        if (is_vector(member) && !numbers.empty()) ++gain;
        for (const Value* number : numbers) {
            if (is_extension(number) && is_vector(number)) {
                extensions.insert(llvm::cast<Instruction>(number));
            }
        }
    }
    for (const Instruction* one : extensions) gain += is_used_outside(*one) ? 0 : 2;
    for (const Value* one : guarded_) gain -= is_vector(one) ? 2 : 0;
    return guarded_.empty() ? gain : gain - 1;
}

bool WideSums::pay() {
    const bool has_vector = llvm::any_of(members_, [&](const Instruction* member) {
        return is_end(*member) && !shapes_.of(member).has_scalars();
    });
    if (!has_vector || !takes_all_bits() || !has_known_operands() || !is_together()) return false;
    const bool do_fit = llvm::any_of(kBits, [&](unsigned bits) {
        bits_ = bits;
        return fit();
    });
    return do_fit && gain() > 0;
}

namespace {

// Leaves out ends that take what other instructions of the block make of the group's values too:
// a selection by a comparison of a sum, of what the sum's last bits are masked to.
void drop_late_ends(std::vector<Instruction*>& group) {
    const llvm::SmallPtrSet<const Value*, 16> members(group.begin(), group.end());
    llvm::SmallPtrSet<const Value*, 16> late;
    for (Instruction* one = group.front(); one != nullptr; one = one->getNextNode()) {
        const bool is_member = members.contains(one);
        const bool is_late = llvm::any_of(one->operands(), [&](const Value* operand) {
            return late.contains(operand) || (!is_member && members.contains(operand));
        });
        if (is_late && (!is_member || is_end(*one))) late.insert(one);
    }
    llvm::erase_if(group, [&](const Instruction* one) { return late.contains(one); });
}

}  // namespace

std::vector<WideSums> wide_sums_of(llvm::BasicBlock& block, const Shapes& shapes) {
    llvm::EquivalenceClasses<const Instruction*> connected;
    const auto is_member = [&](const Value* value) {
        return (is_operation(value) || is_comparison(value)) &&
               connected.findValue(llvm::cast<Instruction>(value)) != connected.end();
    };
    std::vector<Instruction*> members;
    for (Instruction& one : block) {
        if (!is_operation(&one) && !is_end(one)) continue;
        llvm::SmallVector<Value*, 4> operands = numbers_of(one);
        if (llvm::isa<llvm::SelectInst>(one)) operands.append(one.op_begin(), one.op_end());
        if (!is_operation(&one) && llvm::none_of(operands, is_member)) continue;
        members.push_back(&one);
        connected.insert(&one);
        for (const Value* operand : operands) {
            if (is_member(operand)) connected.unionSets(&one, llvm::cast<Instruction>(operand));
        }
    }
    llvm::MapVector<const Instruction*, std::vector<Instruction*>> groups;
    for (Instruction* one : members) groups[connected.getLeaderValue(one)].push_back(one);
    std::vector<WideSums> sums;
    sums.reserve(groups.size());
    for (auto& [leader, group] : groups) {
        drop_late_ends(group);
        sums.emplace_back(std::move(group), shapes);
    }
    return sums;
}

}  // namespace warpwise::cpu_compiler::gang
