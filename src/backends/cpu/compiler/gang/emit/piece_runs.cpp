// Which instructions have a form for one piece alone, and which runs of them are worth a branch.
#include "src/backends/cpu/compiler/gang/emit/piece_runs.hpp"

#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/IntrinsicInst.h>

#include "src/backends/cpu/compiler/gang/analysis/registers.hpp"
#include "src/backends/cpu/compiler/gang/emit/memory/accesses.hpp"

namespace warpwise::cpu_compiler::gang {
namespace {

using llvm::Instruction;
using Step = BlockSchedule::Step;

bool is_arithmetic(const Instruction& instruction) {
    if (auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction)) {
        return llvm::isTriviallyVectorizable(call->getIntrinsicID()) &&
               call->doesNotAccessMemory() && !call->getType()->isAggregateType();
    }
    return llvm::isa<llvm::BinaryOperator, llvm::UnaryOperator, llvm::CmpInst, llvm::CastInst,
                     llvm::SelectInst, llvm::FreezeInst, llvm::GetElementPtrInst>(instruction);
}

// Collects a run until an instruction comes that all pieces must run together.
class Runs {
  public:
    explicit Runs(const EmitState& state) : state_(state) {}

    void add(const Step& step) {
        if (is_for_pieces(step)) return add_to_run(step);
        if (!may_go_ahead(*step.instruction)) end_run();
        runs_.push_back({{step}, false});
    }

    void end_run() {
        if (!run_.steps.empty()) {
            run_.is_by_piece = is_worth_it_;
            runs_.push_back(std::move(run_));
        }
        run_ = Run();
        within_.clear();
        has_store_ = is_worth_it_ = false;
    }

    std::vector<Run> take() { return std::move(runs_); }

  private:
    bool is_for_pieces(const Step& step) const;
    bool may_go_ahead(const Instruction& instruction) const;
    void add_to_run(const Step& step);
    bool is_slow(const Step& step) const;

    const EmitState& state_;
    std::vector<Run> runs_;  // ended, and what went ahead of the one being collected
    Run run_;
    llvm::DenseSet<const llvm::Value*> within_;
    bool has_store_ = false;
    bool is_worth_it_ = false;
};

bool Runs::is_for_pieces(const Step& step) const {
    Instruction& instruction = *step.instruction;
    const Shape shape = state_.shapes.of(&instruction);
    if (state_.lane_periods.down_tile(instruction) != nullptr) return false;
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
        return load->isSimple() && !shape.is_single() && state_.lane_runs.of(*load) == nullptr &&
               (shape.has_scalars() || has_vector_form(state_, *load));
    }
    if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
        return store->isSimple() && has_vector_form(state_, *store) &&
               !state_.shapes.of(store->getPointerOperand()).is_uniform();
    }
    return is_arithmetic(instruction) && !shape.is_single();
}

bool Runs::may_go_ahead(const Instruction& instruction) const {
    const bool is_independent =
        llvm::none_of(instruction.operands(),
                      [&](const llvm::Value* operand) { return within_.contains(operand); });
    if (!is_independent) return false;
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
        return !has_store_ && load->isSimple() && state_.shapes.of(load).is_single();
    }
    if (auto* read = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
        read && shape_of_register(read->getIntrinsicID(), state_.layout)) {
        return true;
    }
    return is_arithmetic(instruction);
}

void Runs::add_to_run(const Step& step) {
    run_.steps.push_back(step);
    within_.insert(step.instruction);
    for (const Instruction* column : step.table) {
        if (column != nullptr) within_.insert(column);
    }
    has_store_ |= llvm::isa<llvm::StoreInst>(step.instruction);
    is_worth_it_ |= is_slow(step);
}

// A masked access to neighbouring elements is as quick as a branch, where the target has one.
bool Runs::is_slow(const Step& step) const {
    const llvm::Value* address = llvm::getLoadStorePointerOperand(step.instruction);
    if (!address) return false;
    auto* load = llvm::dyn_cast<llvm::LoadInst>(step.instruction);
    if (load && step.table.empty() && is_row_of_bytes(state_, *load)) return false;
    if (!state_.target.has_mask_registers()) return true;
    const Shape shape = state_.shapes.of(address);
    if (shape.lane == 0) return false;
    return !is_contiguous(state_, address, llvm::getLoadStoreType(step.instruction));
}

}  // namespace

std::vector<Run> piece_runs(const BlockSchedule& schedule, const EmitState& state) {
    const bool has_empty_pieces =
        state.layout.pieces > 1 && state.plan[state.current].may_lack_lanes;
    if (!has_empty_pieces) return {{schedule.steps(), false}};
    Runs runs(state);
    for (const Step& step : schedule.steps()) runs.add(step);
    runs.end_run();
    return runs.take();
}

}  // namespace warpwise::cpu_compiler::gang
