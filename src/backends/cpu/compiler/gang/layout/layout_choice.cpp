// By the size of the kernel, what it does, and the shape of its blocks.
#include "src/backends/cpu/compiler/gang/layout/layout_choice.hpp"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/Instructions.h>

#include <algorithm>

#include "src/backends/cpu/abi.hpp"

namespace warpwise::cpu_compiler::gang {
namespace {

using cpu::kWarpSize;

constexpr unsigned kWidestVector = 512;    // bits
constexpr unsigned kLargestBlock = 10000;  // instructions times pieces

// More pieces hide latencies and share the work between lanes; too many spill and take long to
// compile. Blocks of one dimension have 64 threads and more; of tiles, 16 by 16 is the usual one.
unsigned choose_pieces(const KernelFacts& facts, bool has_rows) {
    if (facts.size > 400) return 1;
    if (facts.size > 200) return 2;
    bool is_small = has_rows || facts.size < 90;
    return is_small && facts.has_meetings ? 8 : 4;
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
unsigned room_for_vectors(const Layout& layout, const llvm::TargetTransformInfo& target,
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

}  // namespace

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

Layout choose_layout(const KernelFacts& facts, const std::optional<BlockShape>& block,
                     unsigned vector_bits) {
    Layout layout = narrowest_layout(facts, block);
    if (layout.is_warp) return layout;
    if (facts.reads_rows) layout.cut = Layout::Cut::Tiles;
    // Where registers are narrower, each piece takes several.
    const unsigned registers = kWidestVector / vector_bits;
    layout.pieces = std::max(1U, choose_pieces(facts, facts.reads_rows) / registers);
    if (layout.pieces == 1) layout.cut = Layout::Cut::AlongX;
    return layout;
}

std::optional<Layout> whole_block(const KernelFacts& facts, const BlockShape& block) {
    bool may_be = (facts.has_meetings || facts.has_warp_operations) && !facts.has_other_meetings;
    if (!may_be || block[2] != 1) return std::nullopt;
    Layout layout;
    bool has_whole_warps = block[0] % layout.width == 0 && block[0] * block[1] % kWarpSize == 0;
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
    if (facts.size * layout.pieces > kLargestBlock) return std::nullopt;
    return layout;
}

bool fits_registers(const Plan& plan, const Shapes& shapes, const Layout& layout,
                    const llvm::TargetTransformInfo& target, unsigned vector_bits) {
    return most_live_vectors(plan, shapes) * layout.pieces <=
           room_for_vectors(layout, target, vector_bits) * 3 / 4;
}

unsigned pieces_that_fit(const Plan& plan, const Shapes& shapes, const Layout& layout,
                         const llvm::TargetTransformInfo& target, unsigned vector_bits) {
    unsigned room = room_for_vectors(layout, target, vector_bits) * 2 / 3;
    unsigned live = most_live_vectors(plan, shapes);
    unsigned pieces = layout.pieces;
    while (pieces > 2 && live * pieces > room) pieces /= 2;
    return pieces;
}

}  // namespace warpwise::cpu_compiler::gang
