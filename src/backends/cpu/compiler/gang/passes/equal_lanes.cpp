// Where a branch has found a number equal to one that all lanes share, as in `if (column == k)`,
// it is that one in the addresses of loads. LLVM writes the row `m[k][k]` behind such a branch as
// `m[column][column]`: a gather of a diagonal, lane by lane without gathers, of which one lane is
// asked for.
#include <llvm/IR/Dominators.h>
#include <llvm/IR/PatternMatch.h>

#include <vector>

#include "src/backends/cpu/compiler/gang/analysis/shape.hpp"
#include "src/backends/cpu/compiler/gang/passes/passes.hpp"

namespace warpwise::cpu_compiler::gang {
namespace {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::Value;

// Of operations from a number to an address.
constexpr unsigned kDeepestAddress = 8;

struct Equality {
    llvm::BasicBlockEdge edge;  // holds behind it
    Value* varying;
    Value* shared;
};

bool is_same_in_lanes(const Shapes& shapes, const Value* value) {
    return shapes.of(value).lane == 0;
}

// What follows from `condition` being true, or false.
void collect(Value* condition, bool is_true, const llvm::BasicBlockEdge& edge, const Shapes& shapes,
             std::vector<Equality>& found) {
    using llvm::PatternMatch::m_LogicalAnd;
    using llvm::PatternMatch::m_LogicalOr;
    using llvm::PatternMatch::m_Value;
    Value *first = nullptr, *second = nullptr;
    const bool holds_both = is_true
                                ? match(condition, m_LogicalAnd(m_Value(first), m_Value(second)))
                                : match(condition, m_LogicalOr(m_Value(first), m_Value(second)));
    if (holds_both) {
        collect(first, is_true, edge, shapes, found);
        collect(second, is_true, edge, shapes, found);
        return;
    }
    auto* comparison = llvm::dyn_cast<llvm::ICmpInst>(condition);
    if (comparison == nullptr || !comparison->getOperand(0)->getType()->isIntegerTy()) return;
    const auto equal = is_true ? llvm::ICmpInst::ICMP_EQ : llvm::ICmpInst::ICMP_NE;
    if (comparison->getPredicate() != equal) return;
    Value *left = comparison->getOperand(0), *right = comparison->getOperand(1);
    if (is_same_in_lanes(shapes, left)) std::swap(left, right);
    if (is_same_in_lanes(shapes, left) || !is_same_in_lanes(shapes, right)) return;
    found.push_back({edge, left, right});
}

std::vector<Equality> equalities_of(llvm::Function& kernel, const Shapes& shapes) {
    std::vector<Equality> found;
    for (BasicBlock& block : kernel) {
        auto* branch = llvm::dyn_cast<llvm::BranchInst>(block.getTerminator());
        if (branch == nullptr || !branch->isConditional()) continue;
        if (branch->getSuccessor(0) == branch->getSuccessor(1)) continue;
        for (const bool is_true : {true, false}) {
            BasicBlock* behind = branch->getSuccessor(is_true ? 0 : 1);
            collect(branch->getCondition(), is_true, {&block, behind}, shapes, found);
        }
    }
    return found;
}

// Addresses with the shared number in the place of the varying one.
class Substitution {
  public:
    Substitution(const Equality& equality, const Shapes& shapes)
        : equality_(equality), shapes_(shapes) {}

    // Whether `value` is the same in all lanes then.
    bool is_same(Value* value, unsigned depth = kDeepestAddress) const {
        if (value == equality_.varying || is_same_in_lanes(shapes_, value)) return true;
        auto* made = operation(value);
        if (made == nullptr || depth == 0) return false;
        return llvm::all_of(made->operands(), [&](Value* one) { return is_same(one, depth - 1); });
    }

    // Only of what `is_same()`.
    Value* written(Value* value, Instruction& before) const {
        if (value == equality_.varying) return equality_.shared;
        if (is_same_in_lanes(shapes_, value)) return value;
        Instruction* copy = operation(value)->clone();
        for (llvm::Use& operand : copy->operands()) operand.set(written(operand.get(), before));
        copy->insertBefore(&before);
        return copy;
    }

  private:
    static Instruction* operation(Value* value) {
        auto* made = llvm::dyn_cast<Instruction>(value);
        const bool is_plain =
            made &&
            (llvm::isa<llvm::BinaryOperator, llvm::CastInst, llvm::GetElementPtrInst>(made)) &&
            !made->isIntDivRem();
        return is_plain ? made : nullptr;
    }

    const Equality& equality_;
    const Shapes& shapes_;
};

bool share_addresses(BasicBlock& block, const Equality& equality, const Shapes& shapes) {
    const llvm::DataLayout& data = block.getModule()->getDataLayout();
    const Substitution substitution(equality, shapes);
    bool has_changed = false;
    for (Instruction& instruction : llvm::make_early_inc_range(block)) {
        auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
        if (load == nullptr || !load->isSimple()) continue;
        Value* address = load->getPointerOperand();
        const auto step = shapes.of(address).lane;
        const auto size = data.getTypeStoreSize(load->getType()).getFixedValue();
        if (step == 0 || step == static_cast<std::int64_t>(size)) continue;
        if (!substitution.is_same(address)) continue;
        load->setOperand(0, substitution.written(address, *load));
        has_changed = true;
    }
    return has_changed;
}

}  // namespace

PreservedAnalyses share_equal_lanes(llvm::Function& kernel, GangContext& context) {
    const Shapes& shapes = *context.analysis(kernel, context.layout).shapes;
    const llvm::DominatorTree& tree = context.dominators(kernel);
    bool has_changed = false;
    for (const Equality& equality : equalities_of(kernel, shapes)) {
        for (BasicBlock& block : kernel) {
            if (!tree.dominates(equality.edge, &block)) continue;
            has_changed |= share_addresses(block, equality, shapes);
        }
    }
    return has_changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

}  // namespace warpwise::cpu_compiler::gang
