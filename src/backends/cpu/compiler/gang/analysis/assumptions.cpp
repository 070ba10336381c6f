// Which way a comparison is assumed to go: a lower bound that is a constant holds and an upper
// bound holds (i > 0, i < n), no two numbers are equal.
#include "src/backends/cpu/compiler/gang/analysis/assumptions.hpp"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include "src/backends/cpu/compiler/gang/analysis/registers.hpp"

namespace warpwise::cpu_compiler::gang {
namespace {

using llvm::Instruction;
using llvm::Value;

constexpr unsigned kDeepest = 16;

bool is_pure_intrinsic(llvm::Intrinsic::ID id) {
    using namespace llvm::Intrinsic;
    return id == smin || id == smax || id == umin || id == umax;
}

// A parameter, or a word of the thread's or block's state.
bool is_parameter(const llvm::LoadInst& load) {
    if (!load.hasMetadata(llvm::LLVMContext::MD_invariant_load)) return false;
    const Value* base = load.getPointerOperand()->stripInBoundsConstantOffsets();
    if (llvm::isa<llvm::Argument>(base)) return true;
    auto* block = llvm::dyn_cast<llvm::LoadInst>(base);
    if (!block || !block->hasMetadata(llvm::LLVMContext::MD_invariant_load)) return false;
    auto* state =
        llvm::dyn_cast<llvm::Argument>(block->getPointerOperand()->stripInBoundsConstantOffsets());
    return state && state->getArgNo() == 0;
}

// Whether a thread knows the value at its start, and whether it depends on more than its index.
struct Origin {
    bool is_known = false;
    bool is_of_launch = false;
};

Origin origin_of(const Value* value, unsigned depth = 0) {
    if (llvm::isa<llvm::ConstantInt>(value)) return {true, false};
    if (llvm::isa<llvm::Argument>(value)) return {true, true};
    auto* instruction = llvm::dyn_cast<Instruction>(value);
    if (!instruction || depth > kDeepest || !instruction->getType()->isIntegerTy()) return {};
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(instruction)) {
        return {is_parameter(*load), true};
    }
    if (auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(instruction)) {
        llvm::Intrinsic::ID id = call->getIntrinsicID();
        if (thread_axis_of(id)) return {true, false};
        if (is_block_register(id)) return {true, true};
        if (!is_pure_intrinsic(id)) return {};
    } else if (!llvm::isa<llvm::CastInst, llvm::FreezeInst>(instruction) &&
               (!instruction->isBinaryOp() || instruction->isIntDivRem())) {
        return {};
    }
    Origin result{true, false};
    unsigned operands = instruction->getNumOperands();
    if (auto* call = llvm::dyn_cast<llvm::CallBase>(instruction)) operands = call->arg_size();
    for (unsigned i = 0; i < operands; ++i) {
        Origin origin = origin_of(instruction->getOperand(i), depth + 1);
        result.is_known &= origin.is_known;
        result.is_of_launch |= origin.is_of_launch;
    }
    return result;
}

std::optional<bool> usual_outcome(llvm::CmpInst::Predicate predicate, bool has_constant) {
    using Cmp = llvm::CmpInst;
    switch (predicate) {
        case Cmp::ICMP_EQ:
        case Cmp::ICMP_UGT:
        case Cmp::ICMP_UGE:
            return false;
        case Cmp::ICMP_NE:
        case Cmp::ICMP_ULT:
        case Cmp::ICMP_ULE:
            return true;
        case Cmp::ICMP_SLT:
        case Cmp::ICMP_SLE:
            return !has_constant;
        default:
            return has_constant;
    }
}

// Makes, for the first thread, the values that comparisons are of. Without the promises that hold
// only where the kernel itself would compute them.
class Repetition {
  public:
    explicit Repetition(llvm::IRBuilder<>& builder) : builder_(builder) {}

    Value* of(Value* value) {
        llvm::Function* function = builder_.GetInsertBlock()->getParent();
        if (auto* argument = llvm::dyn_cast<llvm::Argument>(value)) {
            return function->getArg(argument->getArgNo());
        }
        auto* instruction = llvm::dyn_cast<Instruction>(value);
        if (!instruction) return value;
        if (Value* made = made_.lookup(value)) return made;
        Instruction* copy = instruction->clone();
        for (unsigned i = 0; i < copy->getNumOperands(); ++i) {
            copy->setOperand(i, of(instruction->getOperand(i)));
        }
        if (!llvm::isa<llvm::LoadInst>(copy)) copy->dropPoisonGeneratingAnnotations();
        return made_[value] = builder_.Insert(copy);
    }

  private:
    llvm::IRBuilder<>& builder_;
    llvm::DenseMap<Value*, Value*> made_;
};

struct Range {
    std::int64_t least = 0;
    std::int64_t most = 0;

    void add(std::int64_t value) {
        least = std::min(least, value);
        most = std::max(most, value);
    }
};

std::int64_t offset_of(const Shape& shape, const Layout& layout, unsigned piece, unsigned lane) {
    return layout.offset(*shape.row, piece) + *shape.lane * lane;
}

}  // namespace

Assumptions::Assumptions(llvm::Function& scalar, const Plan& plan, const Shapes& shapes,
                         const Layout& layout)
    : scalar_(scalar) {
    for (const PlannedBlock& planned : plan.blocks()) {
        for (Instruction& instruction : *planned.block) {
            auto* comparison = llvm::dyn_cast<llvm::ICmpInst>(&instruction);
            if (comparison) consider(*comparison, shapes, layout);
        }
    }
}

void Assumptions::consider(llvm::ICmpInst& comparison, const Shapes& shapes, const Layout& layout) {
    Value *left = comparison.getOperand(0), *right = comparison.getOperand(1);
    Shape a = shapes.of(left), b = shapes.of(right);
    auto is_usable = [](const Shape& shape) {
        return shape.row && shape.lane && (shape.is_exact || shape.is_uniform());
    };
    if (!left->getType()->isIntegerTy() || !is_usable(a) || !is_usable(b)) return;
    if (a.is_uniform() && b.is_uniform()) return;
    Origin first = origin_of(left), second = origin_of(right);
    if (!first.is_known || !second.is_known) return;
    if (!first.is_of_launch && !second.is_of_launch) return;
    llvm::CmpInst::Predicate predicate = comparison.getPredicate();
    if (a.is_uniform()) predicate = llvm::CmpInst::getSwappedPredicate(predicate);
    bool has_constant = llvm::isa<llvm::ConstantInt>(a.is_uniform() ? left : right);
    Range both, of_left, of_right;
    for (unsigned piece = 0; piece < layout.pieces; ++piece) {
        for (unsigned lane : {0U, layout.width - 1}) {
            std::int64_t x = offset_of(a, layout, piece, lane);
            std::int64_t y = offset_of(b, layout, piece, lane);
            of_left.add(x);
            of_right.add(y);
            both.add(x - y);
        }
    }
    assumed_.push_back({&comparison, *usual_outcome(predicate, has_constant), both.least, both.most,
                        of_left.least, of_right.least});
}

Value* Assumptions::test(llvm::IRBuilder<>& builder) const {
    Repetition repetition(builder);
    Value* all = builder.getTrue();
    for (const Assumed& assumed : assumed_) {
        // Wide enough for every sum below.
        Value* left = repetition.of(assumed.comparison->getOperand(0));
        Value* right = repetition.of(assumed.comparison->getOperand(1));
        llvm::Type* wide = builder.getIntNTy(left->getType()->getIntegerBitWidth() > 32 ? 128 : 64);
        left = builder.CreateSExt(left, wide);
        right = builder.CreateSExt(right, wide);
        auto number = [&](std::int64_t value) { return llvm::ConstantInt::getSigned(wide, value); };
        auto beyond = [&](Value* base, std::int64_t step, llvm::CmpInst::Predicate predicate) {
            return builder.CreateICmp(predicate, builder.CreateAdd(base, number(step)), number(0));
        };
        Value* difference = builder.CreateSub(left, right);
        llvm::CmpInst::Predicate predicate = assumed.comparison->getPredicate();
        if (!assumed.value) predicate = llvm::CmpInst::getInversePredicate(predicate);
        if (llvm::CmpInst::isUnsigned(predicate)) {
            predicate = llvm::ICmpInst::getSignedPredicate(predicate);
            auto is_natural = llvm::CmpInst::ICMP_SGE;
            all = builder.CreateAnd(all, beyond(left, assumed.least_left, is_natural));
            all = builder.CreateAnd(all, beyond(right, assumed.least_right, is_natural));
        }
        Value* holds = nullptr;
        if (predicate == llvm::CmpInst::ICMP_NE) {
            holds = builder.CreateOr(beyond(difference, assumed.least, llvm::CmpInst::ICMP_SGT),
                                     beyond(difference, assumed.most, llvm::CmpInst::ICMP_SLT));
        } else {
            bool is_below = llvm::ICmpInst::isLT(predicate) || llvm::ICmpInst::isLE(predicate);
            holds = beyond(difference, is_below ? assumed.most : assumed.least, predicate);
        }
        all = builder.CreateAnd(all, holds);
    }
    return all;
}

llvm::Function* Assumptions::apply() const {
    llvm::ValueToValueMapTy copies;
    llvm::Function* copy = llvm::CloneFunction(&scalar_, copies);
    for (const Assumed& assumed : assumed_) {
        Value* comparison = copies[assumed.comparison];
        comparison->replaceAllUsesWith(
            llvm::ConstantInt::getBool(comparison->getContext(), assumed.value));
    }
    return copy;
}

}  // namespace warpwise::cpu_compiler::gang
