// From the strides of a draft's operands to iteration axes.
#include "src/graph/draft/iteration_axes.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "src/codegen/arguments.hpp"
#include "src/runtime/context.hpp"
#include "src/runtime/stream/stream_state.hpp"
#include "src/types/promotion.hpp"

namespace warpwise::graph {
namespace {

using codegen::Group;
using ir::Instruction;

// The axes of the draft that the kernel iterates over, outermost first.
std::vector<int> ordered_axes(const Draft& draft, const DraftKernel& kernel,
                              const std::vector<int>& index_axes) {
    const std::uint32_t reduced = draft.reduced.value_or(0);
    std::vector<int> axes;
    for (int axis = 0; axis < draft.space.size(); ++axis) {
        const bool is_index = std::ranges::find(index_axes, axis) != index_axes.end();
        if (draft.space[axis] != 1 || is_index) axes.push_back(axis);
    }
    if (draft.reduced) {
        std::ranges::sort(axes, {}, [&](int axis) { return std::pair{reduced >> axis & 1, axis}; });
    } else if (!kernel.binding.stores.empty()) {
        const Strides& strides = kernel.binding.stores[0].strides;
        std::ranges::sort(axes, {},
                          [&](int axis) { return std::pair{-std::abs(strides[axis]), axis}; });
    }
    return axes;
}

// Every operand's strides over the axes, to be rewritten together.
struct Operands {
    std::vector<Strides*> all;   // over all axes
    std::vector<Strides*> kept;  // over the kept ones, in the order of the draft
};

Strides picked(const Strides& strides, const std::vector<int>& axes) {
    Strides result;
    for (const int axis : axes) result.push_back(strides[axis]);
    return result;
}

bool can_merge(const Operands& operands, const Shape& extents, int outer, bool is_kept) {
    const auto fits = [&](const Strides* strides) {
        return (*strides)[outer] == (*strides)[outer + 1] * extents[outer + 1];
    };
    return std::ranges::all_of(operands.all, fits) &&
           (!is_kept || std::ranges::all_of(operands.kept, fits));
}

codegen::Access access_of(const Strides& strides, const Shape& extents, std::int64_t item) {
    bool is_broadcast = true;
    bool is_linear = true;
    std::int64_t expected = item;
    std::int64_t points = 1;
    for (int axis = strides.size() - 1; axis >= 0; --axis) {
        points *= extents[axis];
        if (extents[axis] == 1) continue;
        is_broadcast &= strides[axis] == 0;
        is_linear &= strides[axis] == expected;
        expected *= extents[axis];
    }
    if (is_linear) return codegen::Access::Linear;
    if (is_broadcast && points > 1) return codegen::Access::Broadcast;
    return codegen::Access::Strided;
}

// Where a view begins, modulo what alignment asks for. Memory that a node has yet to get is
// aligned.
std::uint64_t start_of(const Node* node, std::int64_t offset) {
    const bool is_somewhere =
        node != nullptr && node->memory != nullptr && node->memory->is_allocated();
    return (is_somewhere ? node->memory->address() : 0) + static_cast<std::uint64_t>(offset);
}

// Whether all elements lie at multiples of their size.
bool is_aligned(std::uint64_t start, const Strides& strides, std::int64_t item) {
    return start % static_cast<std::uint64_t>(item) == 0 &&
           std::ranges::all_of(strides, [&](std::int64_t stride) { return stride % item == 0; });
}

// Shorter rows, but for a single one, end between the lanes of a vector: it has no constant step.
constexpr std::int64_t kLeastRow = 16;

// Chooses the iteration axes, and gives every operand its strides and class over them.
class Axes {
  public:
    Axes(const Draft& draft, DraftKernel& kernel, const std::vector<int>& index_axes)
        : draft_(draft),
          kernel_(kernel),
          index_axes_(index_axes),
          axes_(ordered_axes(draft, kernel, index_axes)) {}

    void finish() {
        bind_inputs();
        pick();
        merge();
        if (draft_.reduced && kernel_.group.reduced == 0) append_axis_of_one(true);
        if (extents_.empty()) append_axis_of_one(false);
        kernel_.binding.extents = extents_;
        kernel_.group.rank = static_cast<std::uint8_t>(extents_.size());
        if (draft_.reduced) kernel_.group.skeleton = codegen::Skeleton::Reduction;
        classify();
        renumber_indices();
    }

  private:
    void bind_inputs() {
        for (const Leaf& leaf : kernel_.inputs) {
            kernel_.binding.inputs.push_back({.strides = leaf.access.strides});
            kernel_.input_offsets.push_back(leaf.access.offset);
        }
        for (auto& place : kernel_.binding.inputs) operands_.all.push_back(&place.strides);
        for (auto& place : kernel_.binding.stores) operands_.all.push_back(&place.strides);
        for (const Leaf& leaf : kernel_.kept_inputs) {
            kernel_.binding.kept_inputs.push_back({.strides = leaf.access.strides});
        }
        for (auto& place : kernel_.binding.kept_inputs) operands_.kept.push_back(&place.strides);
        for (auto& place : kernel_.binding.kept_stores) operands_.kept.push_back(&place.strides);
    }

    bool is_reduced(int axis) const { return (draft_.reduced.value_or(0) >> axis & 1) != 0; }

    void pick() {
        std::vector<int> kept;  // numbers among the kept axes of the draft
        for (const int axis : axes_) {
            extents_.push_back(draft_.space[axis]);
            origins_.push_back(axis);
            if (is_reduced(axis)) {
                ++kernel_.group.reduced;
                continue;
            }
            int number = 0;
            for (int before = 0; before < axis; ++before) number += is_reduced(before) ? 0 : 1;
            kept.push_back(number);
        }
        for (Strides* strides : operands_.all) *strides = picked(*strides, axes_);
        for (Strides* strides : operands_.kept) *strides = picked(*strides, kept);
    }

    bool is_indexed(int at) const {
        return std::ranges::find(index_axes_, origins_[static_cast<std::size_t>(at)]) !=
               index_axes_.end();
    }

    void merge() {
        for (int at = extents_.size() - 2; at >= 0; --at) {
            const int kept = extents_.size() - kernel_.group.reduced;
            const bool crosses = at == kept - 1;
            const bool is_kept = draft_.reduced && at < kept;
            if (crosses && draft_.reduced) continue;
            if (is_indexed(at) || is_indexed(at + 1)) continue;
            if (!can_merge(operands_, extents_, at, is_kept)) continue;
            for (Strides* strides : operands_.all) strides->erase(at);
            if (is_kept) {
                for (Strides* strides : operands_.kept) strides->erase(at);
            } else if (draft_.reduced) {
                --kernel_.group.reduced;
            }
            extents_[at + 1] *= extents_[at];
            extents_.erase(at);
            origins_.erase(origins_.begin() + at);
        }
    }

    void append_axis_of_one(bool is_of_reduction) {
        extents_.push_back(1);
        origins_.push_back(-1);
        for (Strides* strides : operands_.all) strides->push_back(0);
        if (is_of_reduction) kernel_.group.reduced = 1;
    }

    void classify() {
        Group& group = kernel_.group;
        constexpr std::int64_t kNarrow = std::int64_t{1} << 31;
        const auto look = [&](codegen::Operand& operand, const codegen::Place& place,
                              const Shape& extents, std::uint64_t start, bool is_store) {
            const auto item = static_cast<std::int64_t>(DType(operand.kind).size());
            operand.unaligned = !operand.is_counter && !is_aligned(start, place.strides, item);
            operand.access = operand.gathered ? codegen::Access::Strided
                                              : access_of(place.strides, extents, item);
            if (operand.access == codegen::Access::Strided) {
                describe(operand, place.strides, item);
                describe_step(operand, place.strides, item, is_store);
            }
            const ByteRange range = bytes_of({0, place.strides}, extents, item);
            group.wide |= range.end >= kNarrow || range.begin <= -kNarrow;
        };
        Shape kept;
        for (int axis = 0; axis < extents_.size() - group.reduced; ++axis) {
            kept.push_back(extents_[axis]);
        }
        if (draft_.reduced) {
            Shape reduced;
            for (int axis = kept.size(); axis < extents_.size(); ++axis) {
                reduced.push_back(extents_[axis]);
            }
            group.lanes = codegen::lanes_of(group.order, count_of(kept), count_of(reduced));
        }
        for (std::size_t i = 0; i < group.inputs.size(); ++i) {
            look(group.inputs[i], kernel_.binding.inputs[i], extents_,
                 start_of(kernel_.inputs[i].node, kernel_.input_offsets[i]), false);
            group.inputs[i].is_whole = group.inputs[i].is_counter &&
                                       group.inputs[i].access == codegen::Access::Linear &&
                                       kernel_.input_offsets[i] == 0;
        }
        for (std::size_t i = 0; i < group.stores.size(); ++i) {
            look(group.stores[i].operand, kernel_.binding.stores[i], extents_,
                 start_of(kernel_.stores[i], kernel_.store_offsets[i]), true);
        }
        for (std::size_t i = 0; i < group.kept_inputs.size(); ++i) {
            const Leaf& leaf = kernel_.kept_inputs[i];
            look(group.kept_inputs[i], kernel_.binding.kept_inputs[i], kept,
                 start_of(leaf.node, leaf.access.offset), false);
        }
        for (std::size_t i = 0; i < group.kept_stores.size(); ++i) {
            look(group.kept_stores[i].operand, kernel_.binding.kept_stores[i], kept, 0, true);
        }
        group.wide |= count_of(extents_) >= kNarrow;
        if (!draft_.reduced) {
            group.rows = extents_.size() > 1 && extents_[extents_.size() - 1] >= codegen::kLongRow;
            choose_across();
            group.short_rows = group.rows && group.across < 0 &&
                               extents_[extents_.size() - 1] < codegen::kThreads && is_on_cpu_;
        }
    }

    // The last axis is the one along which results are neighbours.
    void choose_across() {
        Group& group = kernel_.group;
        const int last = extents_.size() - 1;
        if (extents_[last] < codegen::kTileSide || codegen::draws_by_tiles(group)) return;
        for (const codegen::Operand& input : group.inputs) {
            const bool is_across = input.access == codegen::Access::Strided && !input.gathered &&
                                   !input.is_counter && input.unit >= 0 && input.unit < last &&
                                   (input.fixed >> last & 1) == 0;
            if (is_across && extents_[input.unit] >= codegen::kTileSide) group.across = input.unit;
        }
    }

    void describe(codegen::Operand& operand, const Strides& strides, std::int64_t item) {
        for (int axis = 0; axis < strides.size(); ++axis) {
            if (strides[axis] == item) operand.unit = static_cast<std::int8_t>(axis);
            if (strides[axis] == 0) operand.fixed |= static_cast<std::uint16_t>(1u << axis);
        }
    }

    // Where the lanes of a vector lie: along the last axis whose points threads have of their own.
    int axis_of_lanes(int axes) const {
        const Group& group = kernel_.group;
        const bool is_kept = draft_.reduced && group.lanes == 1;
        return std::min(axes, is_kept ? extents_.size() - group.reduced : axes) - 1;
    }

    // A complex number that is read has one load at any stride, and two in known steps.
    void describe_step(codegen::Operand& operand, const Strides& strides, std::int64_t item,
                       bool is_store) {
        const int lanes = axis_of_lanes(strides.size());
        if (!is_on_cpu_ || operand.is_counter || operand.gathered || lanes < 0) return;
        if (types::is_complex(operand.kind) && !is_store) return;
        if (lanes > 0 && extents_[lanes] < kLeastRow) return;
        const std::int64_t step = strides[lanes] / item;
        const bool is_few = step != 0 && std::abs(step) <= codegen::kWidestStep;
        if (strides[lanes] % item != 0 || !is_few) return;
        operand.unit = static_cast<std::int8_t>(lanes);
        operand.step = static_cast<std::int8_t>(step);
    }

    void renumber_indices() {
        for (Instruction& instruction : kernel_.group.body.instructions) {
            if (instruction.form != Instruction::Form::Index) continue;
            const auto at = std::ranges::find(origins_, static_cast<int>(instruction.number));
            instruction.number = static_cast<std::uint16_t>(at - origins_.begin());
        }
    }

    const Draft& draft_;
    DraftKernel& kernel_;
    const std::vector<int>& index_axes_;
    const std::vector<int> axes_;
    const bool is_on_cpu_ = draft_.stream->context().info().shares_host_memory;
    Operands operands_;
    Shape extents_;
    std::vector<int> origins_;  // of each axis, the draft's; merged: the inner one's
};

}  // namespace

void choose_axes(const Draft& draft, DraftKernel& kernel, const std::vector<int>& index_axes) {
    Axes(draft, kernel, index_axes).finish();
}

}  // namespace warpwise::graph
