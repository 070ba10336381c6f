// np.roll(), flip(), diff(), cumsum() and cumprod() of arrays of any length, as the value of a part
// of an array.
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "src/script/promotion.hpp"
#include "src/script/resolve/library/unmade_arrays.hpp"

namespace warpwise::script {
namespace {

Type int64() {
    return number_type(Kind::Int64);
}

ExpressionRef as_natural(const ExpressionRef& value) {
    auto made = std::make_shared<Expression>(*value);
    made->is_never_negative = true;
    return made;
}

}  // namespace

// Where the element comes from that roll() without an axis moves to the places: all are one axis.
UnmadeArrays::Values UnmadeArrays::rolled_places(const Operand& of, const ExpressionRef& shift,
                                                 const Values& places, const Syntax& node,
                                                 Block& body) {
    const ExpressionRef& shape = of.whole->shape;
    ExpressionRef at = places[0];
    Values extents{resolver_.extent(shape, 0)};
    ExpressionRef size = extents[0];
    for (std::size_t axis = 1; axis < places.size(); ++axis) {
        extents.push_back(resolver_.extent(shape, static_cast<int>(axis)));
        at = infix("+", infix("*", at, extents[axis], int64()), places[axis], int64());
        size = infix("*", size, extents[axis], int64());
    }
    at = resolver_.binary("%", infix("-", at, shift, int64()), size, node);
    return Resolver::place_of_number(resolver_.held(as_natural(at), "from", node, body), extents);
}

// np.roll(), flip() and diff().
WholeValue::Leaf UnmadeArrays::moved(const Computation& made, const Syntax& node, Block& out) {
    WholeValue::Leaf leaf;
    const Operand of = operand(*made.operands[0], leaf, out);
    require_any_order(*of.whole);
    const int rank = of.whole->shape->type->rank;
    const std::size_t axis = axis_of(made, rank);
    Values extents;
    for (int i = 0; i < rank; ++i) extents.push_back(resolver_.extent(of.whole->shape, i));
    const ExpressionRef length = extents[axis];
    const bool has_axis = made.axis != nullptr || rank == 1;
    Resolver* const resolver = &resolver_;
    if (made.name == "roll") {
        const ExpressionRef given = resolver_.expression(*made.shift);
        if (!is_unknown(given) && !is_whole_number(given->type)) {
            resolver_.fail(*made.shift, fmt::format("numpy.roll() takes a whole number, got {}",
                                                    described(given->type)));
        }
        const ExpressionRef shift = resolver_.held(is_unknown(given) ? given : cast(given, int64()),
                                                   "shift", *made.shift, out);
        leaf.at = [=, &node](Values places, Block& body) {
            UnmadeArrays arrays(*resolver);
            if (is_unknown(shift)) return shift;
            if (!has_axis) {
                places = arrays.rolled_places(of, shift, places, node, body);
            } else {
                const ExpressionRef before = infix("-", places[axis], shift, int64());
                places[axis] = as_natural(resolver->binary("%", before, length, node));
            }
            return arrays.element(of, places, body);
        };
    } else if (made.name == "flip") {
        leaf.at = [=](Values places, Block& body) {
            for (std::size_t i = 0; i < places.size(); ++i) {
                if (has_axis && i != axis) continue;
                const ExpressionRef last = infix("-", extents[i], whole(1), int64());
                places[i] = as_natural(infix("-", last, places[i], int64()));
            }
            return UnmadeArrays(*resolver).element(of, places, body);
        };
    } else {
        extents[axis] = call("__ww_py_max", {infix("-", length, whole(1), int64()), whole(0)},
                             int64(), Effect::Pure, true);
        leaf.at = [=, &node](Values places, Block& body) {
            UnmadeArrays arrays(*resolver);
            const ExpressionRef one = arrays.element(of, places, body);
            places[axis] = as_natural(infix("+", places[axis], whole(1), int64()));
            const ExpressionRef next = arrays.element(of, places, body);
            return is_unknown(next) ? next : resolver->binary("-", next, one, node);
        };
    }
    set_shape(leaf, std::move(extents), node, out);
    return leaf;
}

// np.repeat() and tile() of one axis.
WholeValue::Leaf UnmadeArrays::repeated(const Computation& made, const Syntax& node, Block& out) {
    WholeValue::Leaf leaf;
    const Operand of = operand(*made.operands[0], leaf, out);
    require_any_order(*of.whole);
    const ExpressionRef length = resolver_.extent(of.whole->shape, 0);
    const ExpressionRef given = resolver_.expression(*made.shift);
    if (!is_unknown(given) && !is_whole_number(given->type)) {
        resolver_.fail(*made.shift, fmt::format("numpy.{}() takes a whole number, got {}",
                                                made.name, described(given->type)));
    }
    const ExpressionRef times = resolver_.held(is_unknown(given) ? whole(1) : cast(given, int64()),
                                               "times", *made.shift, out);
    const std::string_view op = made.name == "tile" ? "%" : "/";
    leaf.at = [=, resolver = &resolver_](const Values& places, Block& body) {
        const ExpressionRef at = infix(op, places[0], op == "%" ? length : times, int64());
        return UnmadeArrays(*resolver).element(of, {as_natural(at)}, body);
    };
    set_shape(leaf, {infix("*", length, times, int64())}, node, out);
    return leaf;
}

// np.cumsum(), cumprod() and np.maximum.accumulate() along the last axis: the places are asked for
// in their order.
WholeValue::Leaf UnmadeArrays::running(const Computation& made, const Syntax& node, Block& out) {
    WholeValue::Leaf leaf;
    const Operand of = operand(*made.operands[0], leaf, out);
    const int rank = of.whole->shape->type->rank;
    // accumulate() goes along the first axis where none is given.
    const bool is_accumulated = !made.name.starts_with("cum");
    const bool is_first = is_accumulated && made.axis == nullptr && rank > 1;
    if (is_first || axis_of(made, rank) + 1 != static_cast<std::size_t>(rank)) {
        resolver_.unsupported(node, fmt::format("numpy.{}() goes along the last axis in kernels, "
                                                "axis=-1; write a loop",
                                                made.name));
    }
    Values extents;
    for (int i = 0; i < rank; ++i) extents.push_back(resolver_.extent(of.whole->shape, i));
    Block none;
    const Values zeros(extents.size(), whole(0));
    const Type item = element(of, zeros, none)->type;
    leaf.is_running = true;
    if (item->family == Family::Unknown) {
        leaf.at = [item](const Values&, Block&) { return nothing(item); };
    } else {
        const bool is_extreme = made.name.starts_with("max") || made.name.starts_with("min");
        const Type type = is_extreme ? item : total_type(item, false);
        const std::shared_ptr<Variable> sum = resolver_.total("total", type);
        const bool is_sum = made.name == "cumsum" || made.name == "add.accumulate";
        const std::string function = "numpy." + made.name.substr(0, made.name.find('.'));
        out.push_back({.op = Statement::Op::Assign,
                       .place = node.place,
                       .variable = sum,
                       .value = cast(whole(is_sum ? 0 : 1), type)});
        leaf.at = [=, resolver = &resolver_, &node](const Values& places, Block& body) {
            const ExpressionRef one =
                resolver->held(cast(UnmadeArrays(*resolver).element(of, places, body), type),
                               "element", node, body);
            const auto argument = [&node](const ExpressionRef& value) {
                return Resolver::Argument{.keyword = "", .value = value, .node = &node};
            };
            const ExpressionRef read = variable(sum);
            const ExpressionRef next = cast(
                is_extreme ? resolver->call_known(function, {argument(read), argument(one)}, node)
                           : resolver->binary(is_sum ? "+" : "*", read, one, node),
                type);
            const ExpressionRef is_first =
                infix("==", places.back(), whole(0), number_type(Kind::Bool));
            body.push_back({.op = Statement::Op::Assign,
                            .place = node.place,
                            .variable = sum,
                            .value = select(is_first, one, next, type)});
            return cast(variable(sum), item->is_whole() ? type : item);
        };
    }
    set_shape(leaf, std::move(extents), node, out);
    return leaf;
}

}  // namespace warpwise::script
