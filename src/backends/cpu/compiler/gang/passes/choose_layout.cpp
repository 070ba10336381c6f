// How the threads of a block are cut into gangs: by the size of the kernel, what it does, and the
// shape of its blocks. Refuses kernels whose threads cannot run in lock step.
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/Instructions.h>

#include <algorithm>

#include "src/backends/cpu/abi.hpp"
#include "src/backends/cpu/compiler/gang/analysis/lane_periods.hpp"
#include "src/backends/cpu/compiler/gang/analysis/waits.hpp"
#include "src/backends/cpu/compiler/gang/passes/passes.hpp"
#include "src/backends/cpu/compiler/gang/target/costs.hpp"

namespace warpwise::cpu_compiler::gang {
namespace {

using cpu::kWarpSize;

constexpr const char* kReasonForFibers =
    "its threads also synchronise or wait elsewhere than at barriers of the whole block";

constexpr const char* kReasonOfWork =
    "threads leave a loop with barriers before others, and touch memory before they end";

constexpr unsigned kWidestVector = 512;  // bits
constexpr unsigned kBitsOfWord = 32;

// More pieces hide latencies and share the work between lanes; too many spill and take long to
// compile. Blocks of one dimension have 64 threads and more; of tiles, 16 by 16 is the usual one.
unsigned choose_pieces(const KernelFacts& facts, bool has_rows) {
    if (facts.size > costs::kOnePieceAbove) return 1;
    if (facts.size > costs::kTwoPiecesAbove) return 2;
    bool is_small = has_rows || facts.size < costs::kEightPiecesBelow;
    return is_small && facts.has_barriers ? 8 : 4;
}

unsigned live_vectors(const llvm::Loop& loop, const Shapes& shapes) {
    auto is_vector = [&](const llvm::Value* value) { return !shapes.of(value).has_scalars(); };
    llvm::SmallPtrSet<const llvm::Value*, 16> live;
    for (const llvm::PHINode& phi : loop.getHeader()->phis()) {
        if (is_vector(&phi)) live.insert(&phi);
    }
    for (const llvm::BasicBlock* block : loop.blocks()) {
        for (const llvm::Instruction& instruction : *block) {
            // What a phi starts from ends there.
            bool is_start = llvm::isa<llvm::PHINode>(instruction) && block == loop.getHeader();
            if (is_start) continue;
            for (const llvm::Value* operand : instruction.operands()) {
                auto* source = llvm::dyn_cast<llvm::Instruction>(operand);
                if (!source || loop.contains(source) || !is_vector(source)) continue;
                live.insert(source);
            }
        }
    }
    return live.size();
}

// Registers that hold one vector of a gang each.
unsigned registers_for_vectors(const Layout& layout, const llvm::TargetTransformInfo& target,
                               unsigned vector_bits) {
    unsigned registers = target.getNumberOfRegisters(target.getRegisterClassForType(true));
    return registers * vector_bits / (32 * layout.width);
}

unsigned most_live_vectors(const Plan& plan, const Shapes& shapes) {
    unsigned most = 0;
    for (const PlannedBlock& planned : plan.blocks()) {
        if (planned.is_header) most = std::max(most, live_vectors(*planned.loop, shapes));
    }
    return most;
}

// One vector a value, or as few as make a warp: the least code.
Layout narrowest_layout(const KernelFacts& facts, const std::optional<BlockShape>& block) {
    Layout layout;
    layout.block = block;
    if (facts.has_warp_operations) {
        layout.cut = Layout::Cut::Linear;
        layout.is_warp = true;
        layout.pieces = kWarpSize / layout.width;
    }
    return layout;
}

// For blocks of any shape, or of `block`, on a processor whose registers have `vector_bits`.
Layout usual_layout(const KernelFacts& facts, const std::optional<BlockShape>& block,
                    unsigned vector_bits) {
    Layout layout = narrowest_layout(facts, block);
    if (layout.is_warp) return layout;
    if (facts.reads_rows) layout.cut = Layout::Cut::Tiles;
    // Where registers are narrower, each piece takes several.
    const unsigned registers = kWidestVector / vector_bits;
    layout.pieces = std::max(1U, choose_pieces(facts, facts.reads_rows) / registers);
    return layout.with_pieces(layout.pieces);
}

// The whole block as one gang, where its threads synchronise and it is small enough: a barrier is
// nothing at all. Warps that never meet stay gangs of their own: each may have a row of its own,
// and leave a loop when it likes.
std::optional<Layout> whole_block(const KernelFacts& facts, const BlockShape& block) {
    const bool may_be = facts.has_barriers && !facts.has_other_barriers;
    if (!may_be || block[2] != 1) return std::nullopt;
    Layout layout;
    const bool has_whole_warps =
        block[0] % layout.width == 0 && block[0] * block[1] % kWarpSize == 0;
    if (facts.has_warp_operations && !has_whole_warps) return std::nullopt;
    layout.block = block;
    layout.is_block = true;
    unsigned columns = (block[0] + layout.width - 1) / layout.width;
    layout.pieces = columns * block[1];
    if (block[1] > 1) {
        layout.cut = Layout::Cut::Tiles;
        layout.columns_of_tile = columns;
    }
    if (layout.lanes() > cpu::kMaxGangLanes) return std::nullopt;
    if (facts.size * layout.pieces > costs::kLargestBlock) return std::nullopt;
    return layout;
}

// Whether not too many vectors stay alive through each loop.
bool is_small_as_block(const Plan& plan, const Shapes& shapes, const Layout& layout) {
    return most_live_vectors(plan, shapes) * layout.pieces <= costs::kMostLiveOfBlock;
}

// As many pieces as leave these free, but two at least, at most those of `layout`.
unsigned pieces_that_fit(const Plan& plan, const Shapes& shapes, const Layout& layout,
                         const llvm::TargetTransformInfo& target, unsigned vector_bits) {
    unsigned available =
        registers_for_vectors(layout, target, vector_bits) * costs::kGangShareOf3 / 3;
    unsigned live = most_live_vectors(plan, shapes);
    unsigned pieces = layout.pieces;
    while (pieces > 2 && live * pieces > available) pieces /= 2;
    return pieces;
}

// Whether lanes that run a loop by their own counts also walk through memory of their own there:
// then more of them gain nothing from each other's company.
bool has_gathering_loop(const gang::Plan& plan, const gang::Shapes& shapes) {
    return llvm::any_of(plan.blocks(), [&](const gang::PlannedBlock& planned) {
        if (!planned.loop || !plan.is_divergent(planned.loop)) return false;
        return llvm::any_of(*planned.block, [&](const llvm::Instruction& instruction) {
            auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
            return load && !shapes.of(load->getPointerOperand()).has_scalars();
        });
    });
}

// Where `layout` is too wide, the narrowest one.
bool is_too_wide(const Analysis& found, const Layout& layout) {
    // Warps may diverge at barriers, so a gang must be no more than a part of one.
    bool is_part_of_warp = layout.lanes() <= kWarpSize && !layout.has_rows();
    if (!is_part_of_warp && found.plan->has_divergent_operations()) return true;
    return layout.cut == Layout::Cut::AlongX && layout.pieces > 1 && !layout.is_warp &&
           has_gathering_loop(*found.plan, *found.shapes);
}

bool is_good_as_block(const Analysis& found, const Layout& whole) {
    return !found.plan->has_divergent_barriers() && !lanes_wait_for_each_other(*found.plan) &&
           !has_gathering_loop(*found.plan, *found.shapes) &&
           is_small_as_block(*found.plan, *found.shapes, whole);
}

// Accesses whose places repeat every few lanes are no gathers, and what computes the places has no
// lanes (analysis/lane_periods.hpp).
struct Repeating {
    llvm::SmallPtrSet<const llvm::Instruction*, 8> accesses;
    llvm::SmallPtrSet<const llvm::Value*, 16> places;

    Repeating(const Plan& plan, const Shapes& shapes, const Layout& layout) {
        LanePeriods periods(shapes, layout);
        for (const PlannedBlock& planned : plan.blocks()) {
            for (llvm::Instruction& instruction : *planned.block) {
                if (periods.of(instruction) == nullptr) continue;
                accesses.insert(&instruction);
                add(llvm::getLoadStorePointerOperand(&instruction), shapes);
            }
        }
    }

  private:
    void add(const llvm::Value* value, const Shapes& shapes) {
        auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
        if (instruction == nullptr || shapes.of(value).has_scalars()) return;
        if (!places.insert(value).second) return;
        for (const llvm::Value* operand : instruction->operands()) add(operand, shapes);
    }
};

// Of the lanes of vectors, over the instructions that have some.
unsigned average_bits(const Plan& plan, const Shapes& shapes, const Repeating& repeating) {
    constexpr unsigned kIterations = 8;  // of a loop, for all that is known
    std::uint64_t bits = 0, count = 0;
    for (const PlannedBlock& planned : plan.blocks()) {
        std::uint64_t weight = 1;
        for (const llvm::Loop* loop = planned.loop; loop; loop = loop->getParentLoop()) {
            weight *= kIterations;
        }
        for (const llvm::Instruction& instruction : *planned.block) {
            const llvm::Value* value = &instruction;
            if (llvm::isa<llvm::StoreInst, llvm::CmpInst>(instruction)) {
                value = instruction.getOperand(0);
            }
            llvm::Type* type = value->getType();
            const bool is_number = type->isIntegerTy() || type->isFloatingPointTy();
            if (!is_number || type->isIntegerTy(1) || shapes.of(value).has_scalars()) continue;
            if (repeating.places.contains(value)) continue;
            bits += weight * type->getPrimitiveSizeInBits();
            count += weight;
        }
    }
    return count == 0 ? kBitsOfWord : static_cast<unsigned>(bits / count);
}

bool has_gathers(const Plan& plan, const Shapes& shapes, const Repeating& repeating) {
    return llvm::any_of(plan.blocks(), [&](const PlannedBlock& planned) {
        return llvm::any_of(*planned.block, [&](const llvm::Instruction& instruction) {
            const llvm::Value* address = llvm::getLoadStorePointerOperand(&instruction);
            return address != nullptr && !shapes.of(address).has_scalars() &&
                   !repeating.accesses.contains(&instruction);
        });
    });
}

bool has_loops(const Plan& plan) {
    return llvm::any_of(plan.blocks(),
                        [](const PlannedBlock& planned) { return planned.is_header; });
}

// As many pieces as divide the rows of the known block.
void fit_row(Layout& layout) {
    while (layout.pieces > 1 && (*layout.block)[0] % (layout.width * layout.pieces) != 0) {
        layout.pieces /= 2;
    }
}

// Bytes and short integers: as many lanes as fill a register, where the shape of the block is known
// and has whole vectors of them. A gang of more threads shares its indices and tests among them. In
// loops it may have more pieces, of which pieces_that_fit() leaves as many as stay in registers.
Layout widened(const Layout& layout, const Analysis& found, const Repeating& repeating,
               unsigned vector_bits) {
    const unsigned bits = average_bits(*found.plan, *found.shapes, repeating);
    const std::array<std::uint32_t, 3>& block = *layout.block;
    Layout wide = layout;
    while (wide.width < costs::kMostLanesOfVector && block[0] % (2 * wide.width) == 0 &&
           2 * wide.width * bits * 2 <= vector_bits * costs::kFilledHalves) {
        wide.width *= 2;
    }
    if (wide.width == layout.width) return layout;
    unsigned lanes = layout.pieces * wide.width;
    // A piece takes one register, where words took several.
    if (has_loops(*found.plan)) lanes *= kWidestVector / vector_bits;
    lanes = std::min(lanes, cpu::kMaxGangLanes);
    if (has_gathers(*found.plan, *found.shapes, repeating))
        lanes = std::max(layout.lanes(), wide.width);
    wide.pieces = lanes / wide.width;
    if (wide.has_rows()) return wide.with_pieces(wide.pieces);
    fit_row(wide);
    return wide;
}

// Whether it moves neighbouring elements once, and neither waits nor loops.
bool is_stream(const KernelFacts& facts, const Analysis& found, const Repeating& repeating) {
    return !facts.has_barriers && !facts.has_warp_operations &&
           !has_gathers(*found.plan, *found.shapes, repeating) &&
           !found.plan->has_loops_or_atomics();
}

// Tiles of several rows as gangs of one row, where it has several vectors for them: memory is read
// in fewer places at once.
Layout in_one_row(const Layout& layout) {
    Layout row = layout;
    row.cut = Layout::Cut::AlongX;
    row.columns_of_tile = 1;
    fit_row(row);
    return row.pieces > 1 ? row : layout;
}

// Tiles as high as a vector of the elements that lanes access by columns, if any do: each lane's
// are one vector then (emit/memory/emit_tiles.cpp).
Layout with_rows_of_columns(llvm::Function& kernel, GangContext& context, const Layout& layout) {
    const bool may_be = layout.has_rows() && !layout.is_block && layout.columns() == 1 &&
                        context.facts.size < costs::kLargestOfColumns;
    if (!may_be) return layout;
    const unsigned bytes = context.target->vector_bits() / 8;
    for (unsigned rows = layout.width; rows > layout.rows(); rows /= 2) {
        Layout high = layout;
        high.pieces = rows;
        if (high.with_pieces(rows) != high || high.lanes() > cpu::kMaxGangLanes) continue;
        const Analysis& found = context.analysis(kernel, high);
        LanePeriods periods(*found.shapes, high);
        const bool has_columns = llvm::any_of(found.plan->blocks(), [&](const auto& planned) {
            return llvm::any_of(*planned.block, [&](llvm::Instruction& access) {
                if (periods.down_tile(access) == nullptr) return false;
                llvm::Type* type = llvm::getLoadStoreType(&access);
                return rows * access.getDataLayout().getTypeAllocSize(type) <= bytes;
            });
        });
        if (has_columns) return high;
    }
    return layout;
}

Layout layout_that_fits(llvm::Function& kernel, GangContext& context) {
    const llvm::TargetTransformInfo& costs = context.costs(kernel);
    const unsigned bits = context.target->vector_bits();
    const bool may_be_block =
        !context.is_quick && context.executor != Executor::Gang && context.block.has_value();
    std::optional<Layout> whole;
    if (may_be_block) whole = whole_block(facts_of(kernel), *context.block);
    if (whole && is_good_as_block(context.analysis(kernel, *whole), *whole)) return *whole;
    Layout layout = context.layout;
    unsigned lane_bits = kBitsOfWord;
    if (is_too_wide(context.analysis(kernel, layout), layout)) {
        layout = Layout();
        layout.block = context.block;
        layout.is_cut = context.layout.is_cut;
    } else if (layout.block && !layout.is_warp && !context.is_quick) {
        const Analysis& found = context.analysis(kernel, layout);
        const Repeating repeating(*found.plan, *found.shapes, layout);
        const Layout wide = widened(layout, found, repeating, bits);
        if (wide != layout) lane_bits = average_bits(*found.plan, *found.shapes, repeating);
        layout = wide;
        if (layout.has_rows() &&
            is_stream(context.facts, context.analysis(kernel, layout), repeating)) {
            layout = in_one_row(layout);
        }
        layout = with_rows_of_columns(kernel, context, layout);
    }
    const Analysis& found = context.analysis(kernel, layout);
    unsigned pieces =
        pieces_that_fit(*found.plan, *found.shapes, layout, costs, bits / lane_bits * kBitsOfWord);
    if (layout.is_warp || pieces >= layout.pieces) return layout;
    return layout.with_pieces(pieces);
}

bool needs_fibers(const KernelFacts& facts) {
    return facts.has_other_barriers || facts.yields;
}

}  // namespace

PreservedAnalyses check_candidate(llvm::Function& kernel, GangContext& context) {
    context.calls.emplace(*kernel.getParent());
    context.refusal = reason_against(kernel, *context.calls);
    if (!context.refusal.empty()) return PreservedAnalyses::all();
    context.facts = facts_of(kernel);
    context.layout = context.is_quick ? narrowest_layout(context.facts, context.block)
                                      : usual_layout(context.facts, context.block,
                                                     context.target->vector_bits());
    context.layout.is_cut = context.facts.has_barriers && !needs_fibers(context.facts) &&
                            context.executor != Executor::Gang;
    return PreservedAnalyses::all();
}

PreservedAnalyses choose_layout(llvm::Function& kernel, GangContext& context) {
    context.layout = layout_that_fits(kernel, context);
    const Plan& plan = *context.analysis(kernel, context.layout).plan;
    if (lanes_wait_for_each_other(plan)) {
        context.refusal = kReasonToWait;
    } else if (plan.leaves_work_behind_barriers()) {
        context.refusal = kReasonOfWork;
    } else if (context.executor == Executor::Regions && needs_fibers(context.facts) &&
               !context.layout.is_block) {
        context.refusal = kReasonForFibers;
    }
    return PreservedAnalyses::all();
}

}  // namespace warpwise::cpu_compiler::gang
