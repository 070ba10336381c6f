// The inference, to a fixed point over phis.
#include "src/backends/cpu/compiler/gang/analysis/shape.hpp"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/GetElementPtrTypeIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/Operator.h>
#include <llvm/IR/PatternMatch.h>

#include "src/backends/cpu/compiler/gang/analysis/index_range.hpp"
#include "src/backends/cpu/compiler/gang/analysis/markers.hpp"
#include "src/backends/cpu/compiler/gang/analysis/registers.hpp"
#include "src/backends/cpu/compiler/lowering/services/service_table.hpp"

namespace warpwise::cpu_compiler::gang {
namespace {

using llvm::Instruction;

constexpr unsigned kBaseBits = 64;

template <class Step>
std::optional<Step> same(const std::optional<Step>& a, const std::optional<Step>& b) {
    return a == b ? a : std::nullopt;
}

std::optional<std::int64_t> sum(std::optional<std::int64_t> a, std::optional<std::int64_t> b,
                                std::int64_t factor) {
    if (!a || !b) return std::nullopt;
    std::int64_t scaled = 0, result = 0;
    if (__builtin_mul_overflow(*b, factor, &scaled) ||
        __builtin_add_overflow(*a, scaled, &result)) {
        return std::nullopt;
    }
    return result;
}

std::optional<PieceStep> sum(const std::optional<PieceStep>& a, const std::optional<PieceStep>& b,
                             std::int64_t factor) {
    if (!a || !b) return std::nullopt;
    std::optional<std::int64_t> across = sum(a->across, b->across, factor);
    std::optional<std::int64_t> down = sum(a->down, b->down, factor);
    if (!across || !down) return std::nullopt;
    return PieceStep{*across, *down};
}

bool is_wide(const llvm::Type* type) {
    return type->isPointerTy() || type->isIntegerTy(kBaseBits);
}

bool can_have_steps(const llvm::Type* type) {
    return type->isPointerTy() || (type->isIntegerTy() && !type->isIntegerTy(1) &&
                                   type->getIntegerBitWidth() <= kBaseBits);
}

// Of a sum or product: whether it cannot wrap in the lanes that run it.
bool is_without_wrap(const llvm::Instruction& instruction) {
    if (auto* disjoint = llvm::dyn_cast<llvm::PossiblyDisjointInst>(&instruction)) {
        return disjoint->isDisjoint();
    }
    auto* operation = llvm::dyn_cast<llvm::OverflowingBinaryOperator>(&instruction);
    return operation && operation->hasNoSignedWrap();
}

bool is_never_negative(const llvm::Value* value) {
    return llvm::isKnownNonNegative(
        value, llvm::SimplifyQuery(llvm::cast<Instruction>(value)->getDataLayout()));
}

}  // namespace

std::vector<std::int64_t> Shape::offsets(const Layout& layout) const {
    std::vector<std::int64_t> offsets;
    offsets.reserve(layout.lanes());
    for (unsigned number = 0; number < layout.lanes(); ++number) {
        offsets.push_back(layout.offset(*row, number / layout.width) +
                          *lane * (number % layout.width));
    }
    return offsets;
}

Shapes::Shapes(const Plan& plan, const Uniformity& uniformity, const Layout& layout)
    : plan_(plan), uniformity_(uniformity), layout_(layout) {
    for (bool changed = true; changed;) {
        changed = false;
        for (const PlannedBlock& planned : plan.blocks()) {
            for (const Instruction& instruction : *planned.block) {
                if (instruction.getType()->isVoidTy()) continue;
                Shape shape = normalised(infer(instruction));
                auto [entry, is_new] = shapes_.try_emplace(&instruction, shape);
                if (!is_new && entry->second == shape) continue;
                entry->second = shape;
                changed = true;
            }
        }
    }
}

Shape Shapes::of(const llvm::Value* value) const {
    auto entry = shapes_.find(value);
    return entry == shapes_.end() ? Shape::uniform() : entry->second;
}

// With one column or row of pieces there is no next one to differ from.
Shape Shapes::normalised(Shape shape) const {
    if (layout_.pieces == 1) shape.row = PieceStep();
    if (!shape.row) return shape;
    if (layout_.columns() == 1) shape.row->across = 0;
    if (layout_.rows() == 1) shape.row->down = 0;
    return shape;
}

Shape Shapes::elementwise(const llvm::User& user) const {
    Shape result = Shape::uniform();
    for (const llvm::Value* operand : user.operands()) {
        Shape shape = of(operand);
        if (shape.lane != 0) result.lane = std::nullopt;
        if (!shape.has_no_row_step()) result.row = std::nullopt;
    }
    return result;
}

namespace {

// Used for nothing but accesses in this block, by itself or by addresses beside it.
bool is_for_accesses_in(const llvm::BasicBlock* block, const llvm::GetElementPtrInst& address) {
    return llvm::all_of(address.users(), [&](const llvm::User* user) {
        auto* instruction = llvm::cast<Instruction>(user);
        if (auto* beside = llvm::dyn_cast<llvm::GetElementPtrInst>(instruction)) {
            return is_for_accesses_in(block, *beside);
        }
        return instruction->getParent() == block &&
               llvm::getLoadStorePointerOperand(instruction) == &address;
    });
}

// Used for nothing but addresses, in the block of the accesses, so that the lanes that run it are
// those that use it.
bool is_for_addresses(const llvm::CastInst& widening) {
    return llvm::all_of(widening.users(), [&](const llvm::User* user) {
        auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(user);
        return address && is_for_accesses_in(widening.getParent(), *address);
    });
}

}  // namespace

bool Shapes::is_checked(const llvm::CastInst& widening) const {
    return is_inexact(widening) && !is_within_aligned_range(widening, *this, layout_) &&
           widening.getSrcTy()->getIntegerBitWidth() >= 32 && is_for_addresses(widening);
}

bool Shapes::is_rebased(const llvm::CastInst& widening) const {
    return is_inexact(widening) && is_within_aligned_range(widening, *this, layout_);
}

// A widening to a base's width of an index with steps, whose own base does not give each lane's
// value.
bool Shapes::is_inexact(const llvm::CastInst& widening) const {
    const bool is_unsigned = widening.getOpcode() == Instruction::ZExt;
    if (!is_unsigned && widening.getOpcode() != Instruction::SExt) return false;
    const llvm::Value* narrow = widening.getOperand(0);
    Shape shape = of(narrow);
    if (!widening.getType()->isIntegerTy(kBaseBits) || !shape.is_stepped() || *shape.lane == 0) {
        return false;
    }
    if (!shape.is_exact || !is_unsigned) return !shape.is_exact;
    return !widening.hasNonNeg() && !is_index_of_launch(narrow) && !is_thread_register(narrow) &&
           !is_never_negative(narrow);
}

bool Shapes::is_index_of_launch(const llvm::Value* value) const {
    return is_launch_index(value) || is_index_in_known_block(value, layout_);
}

Shape Shapes::infer(const Instruction& instruction) const {
    if (uniformity_.is_uniform(instruction)) return Shape::uniform();
    switch (instruction.getOpcode()) {
        case Instruction::PHI:
            return infer_phi(llvm::cast<llvm::PHINode>(instruction));
        case Instruction::Add:
            return infer_sum(instruction, 1);
        case Instruction::Sub:
            return infer_sum(instruction, -1);
        case Instruction::Or:
            if (!is_without_wrap(instruction)) return elementwise(instruction);
            return infer_sum(instruction, 1);
        case Instruction::Mul:
        case Instruction::Shl:
            return infer_product(instruction);
        case Instruction::Xor:
            if (llvm::PatternMatch::match(
                    &instruction, llvm::PatternMatch::m_Not(llvm::PatternMatch::m_Value()))) {
                return infer_complement(instruction);
            }
            [[fallthrough]];
        case Instruction::And:
        case Instruction::LShr:
        case Instruction::AShr:
        case Instruction::UDiv:
        case Instruction::SDiv:
        case Instruction::URem:
        case Instruction::SRem:
            return infer_part(instruction).value_or(elementwise(instruction));
        case Instruction::SExt:
        case Instruction::ZExt:
        case Instruction::Trunc:
        case Instruction::PtrToInt:
        case Instruction::IntToPtr:
            return infer_cast(llvm::cast<llvm::CastInst>(instruction));
        case Instruction::GetElementPtr:
            return infer_address(llvm::cast<llvm::GetElementPtrInst>(instruction));
        case Instruction::Select:
            return infer_select(llvm::cast<llvm::SelectInst>(instruction));
        case Instruction::Freeze:
            return of(instruction.getOperand(0));
        case Instruction::Call:
            return infer_call(llvm::cast<llvm::CallBase>(instruction));
        case Instruction::Alloca: {
            auto& local = llvm::cast<llvm::AllocaInst>(instruction);
            auto size = local.getAllocationSize(instruction.getDataLayout());
            if (!size) return Shape::varying();
            auto bytes =
                static_cast<std::int64_t>(interleaved_bytes(local).value_or(size->getFixedValue()));
            std::int64_t vector = bytes * layout_.width;
            return {PieceStep{vector, vector * layout_.columns()}, bytes, true};
        }
        case Instruction::AtomicRMW:
        case Instruction::AtomicCmpXchg:
        case Instruction::ExtractValue:
            return Shape::varying();
        default:
            return elementwise(instruction);
    }
}

// Where lanes join, nothing is known; where all do, what holds on each incoming edge holds.
Shape Shapes::infer_phi(const llvm::PHINode& phi) const {
    unsigned here = plan_.index_of(phi.getParent());
    std::optional<Shape> result;
    for (unsigned i = 0; i < phi.getNumIncomingValues(); ++i) {
        const llvm::BasicBlock* from = phi.getIncomingBlock(i);
        if (plan_.joins(plan_.index_of(from), here)) return Shape::varying();
        const llvm::Value* value = phi.getIncomingValue(i);
        bool is_known = !llvm::isa<Instruction>(value) || shapes_.contains(value);
        if (!is_known) continue;
        Shape shape = of(value);
        if (!result) {
            result = shape;
            continue;
        }
        result->row = same(result->row, shape.row);
        result->lane = same(result->lane, shape.lane);
        result->is_exact &= shape.is_exact;
    }
    if (!result) return Shape::uniform();
    if (!can_have_steps(phi.getType()) && result->is_stepped()) return Shape::varying();
    return *result;
}

Shape Shapes::infer_sum(const Instruction& instruction, int sign) const {
    if (!can_have_steps(instruction.getType())) return elementwise(instruction);
    Shape a = of(instruction.getOperand(0)), b = of(instruction.getOperand(1));
    Shape result{sum(a.row, b.row, sign), sum(a.lane, b.lane, sign), true};
    // An unknown step plus nothing stays what it is; a vector plus a vector may be anything.
    if (!result.is_stepped()) result.is_exact = true;
    if (result.is_stepped() || (result.lane && !result.row)) {
        bool keeps = is_without_wrap(instruction) || is_wide(instruction.getType());
        result.is_exact = a.is_exact && b.is_exact && (keeps || is_index_of_launch(&instruction));
    }
    if (result.lane == 0 && !result.has_no_row_step()) {
        // Rows of scalars: exact by nature once each has its own.
        if (!result.row) result.is_exact = true;
    }
    return result;
}

Shape Shapes::infer_product(const Instruction& instruction) const {
    if (!can_have_steps(instruction.getType())) return elementwise(instruction);
    const llvm::Value* other = instruction.getOperand(1);
    auto* constant = llvm::dyn_cast<llvm::ConstantInt>(other);
    if (!constant || constant->getBitWidth() > kBaseBits) return elementwise(instruction);
    std::int64_t factor = constant->getSExtValue();
    if (instruction.getOpcode() == Instruction::Shl) {
        if (constant->getZExtValue() >= kBaseBits - 2) return elementwise(instruction);
        factor = std::int64_t{1} << constant->getZExtValue();
    }
    Shape a = of(instruction.getOperand(0));
    Shape result{sum(PieceStep(), a.row, factor), sum(0, a.lane, factor), true};
    if (!a.is_stepped() && !(a.lane && *a.lane != 0)) return elementwise(instruction);
    result.is_exact =
        a.is_exact && (is_without_wrap(instruction) || is_wide(instruction.getType()));
    return result;
}

// -1 less the operand, which never wraps.
Shape Shapes::infer_complement(const Instruction& instruction) const {
    const Shape a = of(instruction.getOperand(0));
    if (!can_have_steps(instruction.getType()) || !a.is_stepped()) return elementwise(instruction);
    return {sum(PieceStep(), a.row, -1), sum(0, a.lane, -1), a.is_exact};
}

Shape Shapes::infer_cast(const llvm::CastInst& cast) const {
    Shape a = of(cast.getOperand(0));
    if (!a.lane || (*a.lane == 0 && !a.is_stepped())) return elementwise(cast);
    if (!can_have_steps(cast.getType()) || !can_have_steps(cast.getSrcTy())) {
        return elementwise(cast);
    }
    if (is_inexact(cast)) {
        if (!is_checked(cast) && !is_rebased(cast)) return elementwise(cast);
        a.is_exact = true;
        return a;
    }
    switch (cast.getOpcode()) {
        case Instruction::SExt:
            return a.is_exact ? a : elementwise(cast);
        case Instruction::ZExt: {
            const llvm::Value* narrow = cast.getOperand(0);
            bool is_positive = cast.hasNonNeg() || is_index_of_launch(narrow) ||
                               is_thread_register(narrow) || is_never_negative(narrow);
            return a.is_exact && is_positive ? a : elementwise(cast);
        }
        case Instruction::Trunc: {
            a.is_exact &= llvm::cast<llvm::TruncInst>(cast).hasNoSignedWrap();
            return a;
        }
        default:  // between pointers and integers
            if (!is_wide(cast.getType()) || !is_wide(cast.getSrcTy())) return elementwise(cast);
            return a;
    }
}

Shape Shapes::infer_address(const llvm::GetElementPtrInst& address) const {
    const llvm::DataLayout& target = address.getDataLayout();
    Shape result = of(address.getPointerOperand());
    for (auto at = llvm::gep_type_begin(address), end = llvm::gep_type_end(address); at != end;
         ++at) {
        const llvm::Value* index = at.getOperand();
        if (llvm::isa<llvm::Constant>(index)) continue;
        Shape step = of(index);
        if (step.lane && (*step.lane != 0 || step.is_stepped())) {
            if (!step.is_exact && !index->getType()->isIntegerTy(kBaseBits)) {
                step = Shape::varying();
            }
        }
        auto size =
            static_cast<std::int64_t>(at.getSequentialElementStride(target).getFixedValue());
        result.row = sum(result.row, step.row, size);
        result.lane = sum(result.lane, step.lane, size);
    }
    result.is_exact = true;
    if (!result.lane) return elementwise(address);
    return result;
}

Shape Shapes::infer_select(const llvm::SelectInst& select) const {
    Shape condition = of(select.getCondition());
    Shape a = of(select.getTrueValue()), b = of(select.getFalseValue());
    if (!condition.is_uniform() || !can_have_steps(select.getType())) return elementwise(select);
    Shape result{same(a.row, b.row), same(a.lane, b.lane), a.is_exact && b.is_exact};
    if (!result.lane || (*result.lane == 0 && !result.is_stepped())) return elementwise(select);
    return result;
}

Shape Shapes::infer_call(const llvm::CallBase& call) const {
    if (auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&call)) {
        if (std::optional<Shape> shape = shape_of_register(intrinsic->getIntrinsicID(), layout_)) {
            return *shape;
        }
        if (!llvm::isTriviallyVectorizable(intrinsic->getIntrinsicID())) return Shape::varying();
        if (call.getType()->isAggregateType()) return Shape::varying();
        Shape result = Shape::uniform();
        for (const llvm::Value* operand : call.args()) {
            Shape shape = of(operand);
            if (shape.lane != 0) result.lane = std::nullopt;
            if (!shape.has_no_row_step()) result.row = std::nullopt;
        }
        return result;
    }
    if (is_call_of(call, kWithoutWrap)) {
        Shape result = of(call.getArgOperand(0));
        result.is_exact = result.lane.has_value();
        return result;
    }
    if (is_call_of(call, kTransposed)) return infer_transposed(call);
    // One answer for each warp, which is some vectors of a gang of several.
    const Service* service = find_service(call);
    if (service && service->gives_warp_one_result()) {
        const std::optional<unsigned> mask = service->mask_argument();
        if (!mask || of(call.getArgOperand(*mask)).lane == 0) return {std::nullopt, 0, true};
    }
    return Shape::varying();
}

// Lanes one step apart are neighbours, wherever the first one lies.
Shape Shapes::infer_transposed(const llvm::CallBase& call) const {
    const auto step = llvm::cast<llvm::ConstantInt>(call.getArgOperand(1))->getSExtValue();
    const Shape index = of(call.getArgOperand(0));
    if (index.lane != step) return elementwise(call);
    Shape result{std::nullopt, 1, true};
    if (index.row && index.row->across % step == 0 && index.row->down % step == 0) {
        result.row = PieceStep{index.row->across / step, index.row->down / step};
    }
    return result;
}

}  // namespace warpwise::cpu_compiler::gang
