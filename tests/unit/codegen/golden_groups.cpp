// One group for each form of text: skeletons, accesses, widths and lanes.
#include "tests/unit/codegen/golden_groups.hpp"

#include "tests/unit/codegen/sample_groups.hpp"

namespace warpwise::codegen {
namespace {

using ir::Op;
using ir::ValueId;

const std::vector<Kind> kTwoFloats = {Kind::Float32, Kind::Float32};

// 5 * x + 6 * y - sin(x) * sqrt(y), with scalars in place of 5 and 6.
ValueId chain(Group& group) {
    group.inputs = {{Kind::Float32}, {Kind::Float32}};
    group.scalars = kTwoFloats;
    BodyBuilder make(group.body, kTwoFloats, group.scalars);
    const ValueId x = make.input(0);
    const ValueId y = make.input(1);
    const ValueId sum = make.op(Op::Add, {make.op(Op::Multiply, {make.scalar(0), x}),
                                          make.op(Op::Multiply, {make.scalar(1), y})});
    const ValueId product = make.op(Op::Multiply, {make.op(Op::Sin, {x}), make.op(Op::Sqrt, {y})});
    return make.op(Op::Subtract, {sum, product});
}

Group linear_chain() {
    Group group;
    const ValueId value = chain(group);
    group.stores = {{{Kind::Float32}, value}};
    return group;
}

// a[:, ::-1] + row, where the last axis is long; the result is linear.
Group broadcast_rows() {
    Group group;
    group.rank = 2;
    group.rows = true;
    group.inputs = {{Kind::Float32, Access::Strided},
                    {.kind = Kind::Float32, .access = Access::Strided, .unit = 1, .fixed = 1}};
    BodyBuilder make(group.body, kTwoFloats, group.scalars);
    group.stores = {{{Kind::Float32}, make.op(Op::Add, {make.input(0), make.input(1)})}};
    return group;
}

// z.real[:, ::-1] + rgb[..., 0], where the last axis is long; a channel of the result is written.
Group constant_steps() {
    Group group;
    group.rank = 2;
    group.rows = true;
    group.inputs = {{.kind = Kind::Float32, .access = Access::Strided, .unit = 1, .step = -2},
                    {.kind = Kind::Float32, .access = Access::Strided, .unit = 1, .step = 3}};
    BodyBuilder make(group.body, kTwoFloats, group.scalars);
    group.stores = {{{.kind = Kind::Float32, .access = Access::Strided, .unit = 1, .step = 4},
                     make.op(Op::Add, {make.input(0), make.input(1)})}};
    return group;
}

// a.T + b in tiles, between outer axes.
Group transposed_tiles() {
    Group group;
    group.rank = 4;
    group.rows = true;
    group.across = 1;
    group.inputs = {{.kind = Kind::Float32, .access = Access::Strided, .unit = 1}, {Kind::Float32}};
    BodyBuilder make(group.body, kTwoFloats, group.scalars);
    group.stores = {{{Kind::Float32}, make.op(Op::Add, {make.input(0), make.input(1)})}};
    return group;
}

// where(mask, a.T, 0) over short rows, with offsets beyond 32 bits.
Group wide_selection() {
    Group group;
    group.rank = 3;
    group.wide = true;
    const std::vector<Kind> kinds = {Kind::Bool, Kind::Int32};
    group.inputs = {{Kind::Bool}, {.kind = Kind::Int32, .access = Access::Strided, .unit = 0}};
    group.scalars = {Kind::Int32};
    BodyBuilder make(group.body, kinds, group.scalars);
    const ValueId value = make.op(Op::Where, {make.input(0), make.input(1), make.scalar(0)});
    group.stores = {{{Kind::Int32}, value}};
    return group;
}

Group reduction_of(ValueId value, Group group, Reduce reduce, Kind kind, std::uint16_t lanes) {
    group.skeleton = Skeleton::Reduction;
    group.lanes = lanes;
    group.reducers = {{reduce, kind, value}};
    const std::vector<Kind> results = {group.reducers[0].result()};
    BodyBuilder end(group.epilogue, results, group.scalars);
    group.kept_stores = {{{results[0]}, end.input(0)}};
    return group;
}

Group sum_of_chain() {
    Group group;
    const ValueId value = chain(group);
    group.reduced = 1;
    return reduction_of(value, group, Reduce::Sum, Kind::Float32, 256);
}

Group of_one_input(ReduceOrder order) {
    Group group;
    group.rank = 2;
    group.reduced = 1;
    group.order = order;
    group.inputs = {{Kind::Float32}};
    if (order == ReduceOrder::Outer) {
        group.inputs = {{.kind = Kind::Float32, .access = Access::Strided, .unit = 0}};
    }
    BodyBuilder(group.body, kTwoFloats, group.scalars).input(0);
    return group;
}

}  // namespace

std::vector<GoldenGroup> golden_groups() {
    return {
        {"chain", linear_chain()},
        {"broadcast_rows", broadcast_rows()},
        {"constant_steps", constant_steps()},
        {"transposed_tiles", transposed_tiles()},
        {"wide_selection", wide_selection()},
        {"sum_of_chain", sum_of_chain()},
        {"column_deviations", reduction_of(0, of_one_input(ReduceOrder::Outer),
                                           Reduce::SquaredDeviation, Kind::Float32, 1)},
        {"row_places",
         reduction_of(0, of_one_input(ReduceOrder::Inner), Reduce::ArgMax, Kind::Float32, 32)},
    };
}

}  // namespace warpwise::codegen
