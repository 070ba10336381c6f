// From a draft's nodes to instructions.
#include "src/graph/draft/draft.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <utility>

#include "src/graph/draft/iteration_axes.hpp"
#include "src/graph/report/index_report.hpp"
#include "src/ir/op.hpp"
#include "src/runtime/stream/stream_state.hpp"

namespace warpwise::graph {
namespace {

int operand_of(const Node& node, std::size_t place) {
    return node.operands[place];
}

// Which scalar of a node an operand below 0 names.
std::size_t scalar_of(int operand) {
    const int number = ~operand;
    return static_cast<std::size_t>(number);
}

using codegen::Group;
using ir::Instruction;
using ir::ValueId;

class Builder {
  public:
    Builder(const Plan& plan, const Draft& draft, DraftKernel& kernel)
        : plan_(plan), draft_(draft), kernel_(kernel), group_(kernel.group) {}

    void build() {
        for (const std::size_t number : draft_.nodes) {
            const Planned& planned = plan_.nodes()[number];
            if (planned.is_behind) continue;
            if (planned.node->form == Form::Reduce) {
                add_reducer(planned);
            } else {
                const ValueId value = value_of(planned, 0);
                if (planned.is_stored) add_store(planned, value);
            }
        }
        // Their inputs have numbers behind all reducers.
        is_behind_ = true;
        values_ = std::move(results_);
        for (const std::size_t number : draft_.nodes) {
            const Planned& planned = plan_.nodes()[number];
            if (!planned.is_behind) continue;
            const ValueId value = value_of(planned, 0);
            if (planned.is_stored) add_kept_store(planned, value);
        }
    }

    const std::vector<int>& index_axes() const noexcept { return index_axes_; }

  private:
    // What is computed now: the body at the points of the draft, or behind the results.
    ir::Body& body() const { return is_behind_ ? group_.epilogue : group_.body; }
    ValueId add(const Instruction& instruction) { return body().add(instruction); }

    ValueId cast(ValueId value, Kind kind) {
        if (body().instructions[value].kind == kind) return value;
        return add({.form = Instruction::Form::Cast, .kind = kind, .operands = {value}});
    }

    ValueId number(const Node& node, std::size_t which, Kind kind) {
        return number(node.scalars[which], kind, {&node, which, kind});
    }
    ValueId number(const Scalar& value, Kind kind, const NumberSource& source = {}) {
        kernel_.binding.scalars.push_back(value.typed(kind));
        kernel_.numbers.push_back(source);
        group_.scalars.push_back(kind);
        return add({.form = Instruction::Form::Scalar,
                    .kind = kind,
                    .number = static_cast<std::uint16_t>(group_.scalars.size() - 1)});
    }

    ValueId leaf(const Input& input, std::size_t map) {
        if (is_behind_) return read_kept_leaf({input.node.get(), input.access, input.kind});
        return read_leaf({input.node.get(), map_at(map).read(input.access), input.kind});
    }

    ValueId read_kept_leaf(const Leaf& leaf) {
        auto known = std::ranges::find(kernel_.kept_inputs, leaf);
        if (known == kernel_.kept_inputs.end()) {
            kernel_.kept_inputs.push_back(leaf);
            known = kernel_.kept_inputs.end() - 1;
            group_.kept_inputs.push_back({.kind = leaf.kind});
        }
        const auto number =
            static_cast<std::size_t>(known - kernel_.kept_inputs.begin()) + group_.reducers.size();
        return add({.form = Instruction::Form::Input,
                    .kind = leaf.kind,
                    .number = static_cast<std::uint16_t>(number)});
    }

    // The number of the element of a Draw at this point.
    ValueId counter(const Node& node, std::size_t map) {
        const Access access = map_at(map).read({0, c_strides(node.space, 1)});
        // Draws at the same points share it.
        for (Leaf& known : kernel_.inputs) {
            if (known.is_counter && known.access == access) return read_leaf(known);
        }
        return read_leaf({nullptr, access, Kind::Int8, true});
    }

    ValueId gather(const Planned& planned, std::size_t map) {
        const Input& input = planned.node->inputs[0];
        const ValueId offset = cast(input_of(planned, 1, map), Kind::Int64);
        const Leaf leaf{.node = input.node.get(),
                        .access = map_at(map).read(input.access),
                        .kind = input.kind,
                        .gathered = true};
        return add({.form = Instruction::Form::Gather,
                    .kind = input.kind,
                    .number = number_of_leaf(leaf),
                    .operands = {offset}});
    }

    ValueId bound(const Planned& planned, std::size_t map) {
        const Node& node = *planned.node;
        const ValueId index = cast(input_of(planned, 0, map), Kind::Int64);
        const ValueId extent = number(node, 0, Kind::Int64);
        const ValueId site = number(node, 1, Kind::Int64);
        return add({.form = Instruction::Form::Bound,
                    .kind = Kind::Int64,
                    .operands = {index, extent, site}});
    }

    std::uint16_t number_of_leaf(const Leaf& leaf) {
        auto known = std::ranges::find(kernel_.inputs, leaf);
        if (known == kernel_.inputs.end()) {
            kernel_.inputs.push_back(leaf);
            known = kernel_.inputs.end() - 1;
            group_.inputs.push_back(
                {.kind = leaf.kind, .is_counter = leaf.is_counter, .gathered = leaf.gathered});
        }
        return static_cast<std::uint16_t>(known - kernel_.inputs.begin());
    }

    ValueId read_leaf(const Leaf& leaf) {
        const std::uint16_t number = number_of_leaf(leaf);
        return add({.form = Instruction::Form::Input,
                    .kind = leaf.is_counter ? Kind::Int64 : leaf.kind,
                    .number = number});
    }

    // Maps by number; 0 is the identity.
    std::size_t number_of(IndexMap map) {
        if (maps_.empty()) maps_.push_back(IndexMap::identity(draft_.space.size()));
        const auto known = std::ranges::find(maps_, map);
        if (known != maps_.end()) return static_cast<std::size_t>(known - maps_.begin());
        maps_.push_back(std::move(map));
        return maps_.size() - 1;
    }
    const IndexMap& map_at(std::size_t number) {
        if (maps_.empty()) maps_.push_back(IndexMap::identity(draft_.space.size()));
        return maps_[number];
    }

    ValueId input_of(const Planned& reader, std::size_t i, std::size_t map) {
        const Input& input = reader.node->inputs[i];
        const Edge& edge = reader.edges[i];
        if (input.node->is_pending()) {
            const Planned& read = plan_.of(*input.node);
            const bool floats = read.draft < 0;
            const bool is_here = map == 0 && edge.is_identity && is_of_this_draft(read);
            if (is_here || floats) {
                return value_of(read,
                                edge.is_identity ? map : number_of(edge.map.after(map_at(map))));
            }
        }
        return leaf(input, map);
    }

    bool is_of_this_draft(const Planned& planned) const {
        return planned.draft >= 0 &&
               &plan_.drafts()[static_cast<std::size_t>(planned.draft)] == &draft_;
    }

    ValueId value_of(const Planned& planned, std::size_t map) {
        const auto known = values_.find({planned.node.get(), map});
        if (known != values_.end()) return known->second;
        const ValueId value = compute(planned, map);
        values_.emplace(std::pair{planned.node.get(), map}, value);
        return value;
    }

    ValueId compute(const Planned& planned, std::size_t map) {
        const Node& node = *planned.node;
        switch (node.form) {
            case Form::Scalar:
                return number(node, 0, node.kind);
            case Form::Index:
                return coordinate(node.number, map);
            case Form::Apply:
                return apply(planned, map);
            case Form::Draw:
                return draw(planned, map);
            case Form::Bound:
                return bound(planned, map);
            case Form::Gather:
                return gather(planned, map);
            default:  // Cast, Update
                return cast(input_of(planned, 0, map), node.kind);
        }
    }

    ValueId apply(const Planned& planned, std::size_t map) {
        const Node& node = *planned.node;
        const ir::OpRow& row = ir::row_of(node.op);
        Instruction instruction{.form = Instruction::Form::Apply, .kind = node.kind, .op = node.op};
        for (int i = 0; i < row.arity; ++i) {
            const bool is_condition = row.rule == ir::TypeRule::Select && i == 0;
            const Kind kind = is_condition ? Kind::Bool : node.computation;
            const auto place = static_cast<std::size_t>(i);
            const int operand = operand_of(node, place);
            instruction.operands[place] =
                operand >= 0 ? cast(input_of(planned, static_cast<std::size_t>(operand), map), kind)
                             : number(node, scalar_of(operand), kind);
        }
        return add(instruction);
    }

    ValueId draw(const Planned& planned, std::size_t map) {
        const Node& node = *planned.node;
        Instruction instruction{
            .form = Instruction::Form::Draw, .kind = node.kind, .draw = node.draw};
        instruction.operands[0] = counter(node, map);
        for (int i = 0; i < ir::row_of(node.draw).parameters; ++i) {
            const int operand = operand_of(node, static_cast<std::size_t>(i));
            instruction.operands[static_cast<std::size_t>(i) + 1] =
                operand >= 0 ? cast(input_of(planned, static_cast<std::size_t>(operand), map),
                                    node.computation)
                             : number(node, scalar_of(operand), node.computation);
        }
        instruction.number = static_cast<std::uint16_t>(group_.scalars.size());
        for (std::size_t i = 0; i < ir::kDrawScalars; ++i) {
            kernel_.binding.scalars.push_back(node.scalars[i]);
            kernel_.numbers.push_back({&node, i, Kind::UInt64});
            group_.scalars.push_back(Kind::UInt64);
        }
        return add(instruction);
    }

    ValueId coordinate_of_space(int axis) {
        if (std::ranges::find(index_axes_, axis) == index_axes_.end()) index_axes_.push_back(axis);
        return add({.form = Instruction::Form::Index,
                    .kind = Kind::Int64,
                    .number = static_cast<std::uint16_t>(axis)});
    }

    ValueId coordinate(int axis, std::size_t map) {
        if (map == 0) return coordinate_of_space(axis);
        const IndexMap by = map_at(map);
        const auto apply2 = [&](ir::Op op, ValueId a, ValueId b) {
            return add({.form = Instruction::Form::Apply,
                        .kind = Kind::Int64,
                        .op = op,
                        .operands = {a, b}});
        };
        ValueId value = number(by.start[static_cast<std::size_t>(axis)], Kind::Int64);
        for (int j = 0; j < by.rank; ++j) {
            const std::int64_t step = by.step_of(axis, j);
            if (step == 0) continue;
            const ValueId part =
                apply2(ir::Op::Multiply, coordinate_of_space(j), number(step, Kind::Int64));
            value = apply2(ir::Op::Add, value, part);
        }
        return value;
    }

    void add_store(const Planned& planned, ValueId value) {
        const Node& node = *planned.node;
        const bool is_update = node.form == Form::Update;
        kernel_.stores.push_back(planned.node.get());
        kernel_.store_offsets.push_back(is_update ? node.target.offset : 0);
        kernel_.binding.stores.push_back(
            {.strides = is_update ? node.target.strides : node.layout});
        group_.stores.push_back({.operand = {.kind = node.kind}, .value = value});
    }

    void add_reducer(const Planned& planned) {
        const Node& node = *planned.node;
        const Reduction& reduction = *node.reduction;
        const bool keeps_kind = reduction.reduce == codegen::Reduce::ArgMin ||
                                reduction.reduce == codegen::Reduce::ArgMax;
        ValueId value = input_of(planned, 0, 0);
        if (!keeps_kind) value = cast(value, reduction.accumulator);
        const auto reducer = static_cast<std::uint16_t>(group_.reducers.size());
        group_.reducers.push_back({reduction.reduce, reduction.accumulator, value});
        group_.order = order_of(node);
        const ValueId result = append_epilogue(node, reducer);
        results_.emplace(std::pair{planned.node.get(), std::size_t{0}}, result);
        if (planned.is_stored) add_kept_store(planned, result);
    }

    void add_kept_store(const Planned& planned, ValueId value) {
        const Node& node = *planned.node;
        kernel_.kept_stores.push_back(planned.node.get());
        kernel_.binding.kept_stores.push_back({.strides = node.layout});
        group_.kept_stores.push_back({.operand = {.kind = node.kind}, .value = value});
    }

    // The reduction's own operations on its result, behind those of the others.
    ValueId append_epilogue(const Node& node, std::uint16_t reducer) {
        const auto first_scalar = static_cast<std::uint16_t>(group_.scalars.size());
        const Reduction& reduction = *node.reduction;
        std::vector<ValueId> places;
        for (Instruction instruction : reduction.epilogue.instructions) {
            if (instruction.form == Instruction::Form::Input) instruction.number = reducer;
            if (instruction.form == Instruction::Form::Scalar) {
                instruction.number = static_cast<std::uint16_t>(first_scalar + instruction.number);
                group_.scalars.push_back(instruction.kind);
                const std::size_t own = instruction.number - first_scalar;
                kernel_.binding.scalars.push_back(node.scalars[own].typed(instruction.kind));
                kernel_.numbers.push_back({&node, own, instruction.kind});
            }
            for (ValueId& operand : instruction.operands) {
                operand = operand < places.size() ? places[operand] : ValueId{0};
            }
            places.push_back(group_.epilogue.add(instruction));
        }
        if (places.empty()) {
            places.push_back(group_.epilogue.add({.form = Instruction::Form::Input,
                                                  .kind = group_.reducers[reducer].result(),
                                                  .number = reducer}));
        }
        return places.back();
    }

    // By the operand as the program has it, whatever it was fused with.
    static codegen::ReduceOrder order_of(const Node& node) {
        const Strides& strides = node.inputs[0].access.strides;
        int fastest = -1;
        for (int axis = 0; axis < node.space.size(); ++axis) {
            if (node.space[axis] < 2 || strides[axis] == 0) continue;
            if (fastest < 0 || std::abs(strides[axis]) <= std::abs(strides[fastest])) {
                fastest = axis;
            }
        }
        const bool is_kept = fastest >= 0 && (node.reduction->axes >> fastest & 1) == 0;
        return is_kept ? codegen::ReduceOrder::Outer : codegen::ReduceOrder::Inner;
    }

    const Plan& plan_;
    const Draft& draft_;
    DraftKernel& kernel_;
    Group& group_;
    std::vector<IndexMap> maps_;
    using Values = std::map<std::pair<const Node*, std::size_t>, ValueId>;
    Values values_;
    Values results_;  // of reductions, in the epilogue
    bool is_behind_ = false;
    std::vector<int> index_axes_;
};

}  // namespace

DraftKernel make_kernel(const Plan& plan, const Draft& draft) {
    DraftKernel kernel;
    Builder builder(plan, draft, kernel);
    builder.build();
    choose_axes(draft, kernel, builder.index_axes());
    if (kernel.group.reports()) kernel.binding.report = report_address(draft.stream->context());
    return kernel;
}

}  // namespace warpwise::graph
