// One run of the emitter, and what becomes known of the kernel by it: the share that it wrote lane
// by lane, and how each line accesses memory.
#include "src/backends/cpu/compiler/gang/emit/emit.hpp"

#include <llvm/IR/InstIterator.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "src/backends/cpu/compiler/gang/analysis/lane_periods.hpp"
#include "src/backends/cpu/compiler/gang/emit/emitter.hpp"
#include "src/backends/cpu/compiler/gang/target/costs.hpp"

namespace warpwise::cpu_compiler::gang {
namespace {

constexpr std::uint64_t kWholeShare = 1000;

// Of the instructions of `scalar`, as they stand in it and in the functions
// they call, how many in a thousand run for one lane after the other.
std::uint64_t share_of(const llvm::DenseSet<const llvm::Instruction*>& lane_by_lane,
                       const llvm::Function& scalar, const CallGraph& graph) {
    std::uint64_t all = 0, single = 0;
    for (const llvm::Instruction& instruction : llvm::instructions(scalar)) {
        std::uint64_t size = 1;
        auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
        const llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
        if (callee && !callee->isDeclaration()) {
            for (const llvm::Function* function : graph.reachable(*callee)) {
                size += function->getInstructionCount();
            }
        }
        all += size;
        if (lane_by_lane.contains(&instruction)) single += size;
    }
    return single * kWholeShare / std::max<std::uint64_t>(all, 1);
}

// The accesses of memory by the line of the user's source that contains them.
std::vector<cpu::AccessRow> rows_of(const Emitter& emitter) {
    constexpr std::size_t kLaneByLane = 4;
    std::map<std::pair<std::string, int>, cpu::AccessRow> rows;
    auto count = [&](const llvm::Instruction& access, std::size_t kind) {
        const SourcePlace place = place_of(access);
        if (place.line == 0) return;
        ++rows[{place.file, place.line}].counts[kind];
    };
    for (const auto& [access, form] : emitter.accesses()) {
        if (!emitter.lane_by_lane().contains(access)) {
            count(*access, static_cast<std::size_t>(form));
        }
    }
    for (const llvm::Instruction* single : emitter.lane_by_lane()) count(*single, kLaneByLane);
    std::vector<cpu::AccessRow> result;
    for (auto& [place, row] : rows) {
        row.file = place.first;
        row.line = static_cast<std::uint32_t>(place.second);
        result.push_back(std::move(row));
    }
    return result;
}

// Whether the places of neighbouring lanes lie near each other: pixels of a few values, or every
// value for two lanes.
bool is_near(llvm::Instruction& access, const Shapes& shapes, const Layout& layout) {
    const Shape shape = shapes.of(llvm::getLoadStorePointerOperand(&access));
    if (shape.lane) return std::abs(*shape.lane) <= costs::kWidestStreamStep;
    return LanePeriods(shapes, layout).of(access) != nullptr;
}

bool is_streaming(const Emitter& emitter, llvm::Function& source, const Analysis& analysis,
                  const Layout& layout) {
    const auto& forms = emitter.accesses();
    const bool has_vectors_only = llvm::all_of(llvm::instructions(source), [&](auto& access) {
        const auto form = forms.find(&access);
        return form == forms.end() || form->second == AccessForm::Vector ||
               (form->second == AccessForm::Strided && is_near(access, *analysis.shapes, layout));
    });
    return has_vectors_only && emitter.lane_by_lane().empty() &&
           !analysis.plan->has_loops_or_atomics();
}

}  // namespace

llvm::PreservedAnalyses emit(llvm::Function& gang, GangContext& context) {
    llvm::Function& source = *context.emission.source;
    const Layout& layout = context.emission.layout;
    const Analysis& analysis = context.analysis(source, layout);
    Emitter emitter({source, gang, *analysis.plan, *analysis.shapes, context.costs(source),
                     *context.target, layout, context.emission.has_all_lanes});
    emitter.run();
    context.form.lane_by_lane = share_of(emitter.lane_by_lane(), source, *context.calls);
    if (context.emission.has_all_lanes || context.form.accesses.empty()) {
        context.form.accesses = rows_of(emitter);
        context.form.is_streaming = is_streaming(emitter, source, analysis, layout);
    }
    return llvm::PreservedAnalyses::none();
}

}  // namespace warpwise::cpu_compiler::gang
