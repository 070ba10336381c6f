// Reductions along an axis, products of matrices, np.outer() and gathers of arrays of any length,
// as the value of a part of an array.
#include "src/script/resolve/library/unmade_arrays.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <set>
#include <string_view>
#include <utility>

#include "src/script/promotion.hpp"

namespace warpwise::script {
namespace {

const std::set<std::string, std::less<>> kReductions = {
    "sum",  "prod", "mean", "var",    "std",    "min",           "max",        "amin",
    "amax", "any",  "all",  "argmin", "argmax", "count_nonzero", "linalg.norm"};
// By the operator that joins two, or the function.
const std::set<std::string, std::less<>> kAccumulated = {
    "add.accumulate", "multiply.accumulate", "maximum.accumulate", "minimum.accumulate"};
const std::set<std::string, std::less<>> kOthers = {"repeat", "tile", "dot",    "outer",  "roll",
                                                    "flip",   "diff", "cumsum", "cumprod"};

Type int64() {
    return number_type(Kind::Int64);
}

bool is_none(const Syntax& node) {
    return node.is("Constant") && node["value"].is_none();
}

bool is_truth(const Syntax& node) {
    return node.is("Constant") && node["value"].form == Syntax::Form::Bool;
}

}  // namespace

bool UnmadeArrays::has_two(const Computation& made) {
    return made.name == "dot" || made.name == "outer";
}

// Whether an element of the value needs a loop.
bool UnmadeArrays::repeats_loops(const Syntax& node) {
    std::vector<const Syntax*> leaves;
    resolver_.add_leaves(node, leaves);
    return std::ranges::any_of(leaves, [this](const Syntax* leaf) {
        if (leaf->is("Subscript")) return false;
        const std::optional<Computation> made = computation(*leaf);
        if (!made) return false;
        if (made->name == "dot" || kReductions.contains(made->name)) return true;
        return std::ranges::any_of(made->operands,
                                   [this](const Syntax* one) { return repeats_loops(*one); });
    });
}

std::optional<UnmadeArrays::Computation> UnmadeArrays::computation(const Syntax& node) {
    if (node.is("BinOp") && node["op"].is("MatMult")) {
        return Computation{.name = "dot", .operands = {&node["left"], &node["right"]}};
    }
    if (!node.is("Call")) return std::nullopt;
    const Syntax& callee = node["func"];
    std::vector<const Syntax*> given{node.list("args").begin(), node.list("args").end()};
    const bool is_plain =
        std::ranges::none_of(given, [](const Syntax* one) { return one->is("Starred"); });
    if (!is_plain) return std::nullopt;
    Computation made;
    const std::optional<std::string> path = resolver_.dotted(callee);
    const bool is_of_ufunc = path && callee.is("Attribute") && callee["attr"].text == "accumulate";
    const bool is_global = path && (callee.is("Name") || resolver_.scope_value(*path) != nullptr);
    if (is_global || is_of_ufunc) {
        const Type type = resolver_.expression(callee)->type;
        const bool is_numpy = type->family == Family::Known && type->names.empty() &&
                              type->name.starts_with("numpy.");
        if (!is_numpy || given.empty()) return std::nullopt;
        made.name = type->name.substr(6);
    } else {
        if (!callee.is("Attribute")) return std::nullopt;
        made.name = callee["attr"].text;
        static const std::set<std::string_view> kMethods = {"dot", "cumsum", "cumprod"};
        if (!kMethods.contains(made.name) && !kReductions.contains(made.name)) return std::nullopt;
        given.insert(given.begin(), &callee["value"]);
    }
    if (made.name == "matmul") made.name = "dot";
    const bool is_reduction = kReductions.contains(made.name);
    const bool is_accumulated = kAccumulated.contains(made.name);
    if (!is_reduction && !is_accumulated && !kOthers.contains(made.name)) return std::nullopt;
    const std::size_t operands = has_two(made) ? 2 : 1;
    if (given.size() < operands) return std::nullopt;
    made.operands.assign(given.begin(), given.begin() + static_cast<std::ptrdiff_t>(operands));
    std::vector<const Syntax**> parameters;
    const bool is_repeated = made.name == "repeat" || made.name == "tile";
    const bool has_shift = made.name == "roll" || is_repeated;
    const bool has_axis = operands == 1 && made.name != "diff" && !is_repeated;
    if (has_shift) parameters.push_back(&made.shift);
    if (has_axis) parameters.push_back(&made.axis);
    if (given.size() > operands + parameters.size()) return std::nullopt;
    for (std::size_t i = operands; i < given.size(); ++i) *parameters[i - operands] = given[i];
    for (const Syntax* one : node.list("keywords")) {
        const std::string& keyword = (*one)["arg"].text;
        const Syntax& value = (*one)["value"];
        const bool is_shift = keyword == (is_repeated ? made.name == "tile" ? "reps" : "repeats"
                                          : made.name == "roll" ? "shift"
                                                                : "");
        if (is_shift) {
            made.shift = &value;
        } else if (keyword == "axis" && has_axis) {
            made.axis = &value;
        } else if (keyword == "keepdims" && is_reduction && is_truth(value)) {
            made.keeps_axis = value["value"].flag;
        } else {
            return std::nullopt;
        }
    }
    const bool is_all = made.axis == nullptr || is_none(*made.axis);
    if (is_all) made.axis = nullptr;
    const bool fits = (!is_reduction || !is_all) && (made.shift != nullptr) == has_shift;
    return fits ? std::optional(made) : std::nullopt;
}

// The axes of an array of numbers, or of an expression over such; 0: it is none. `is_long`: its
// shape is not known when compiled. Nothing: a type is not known yet.
std::optional<int> UnmadeArrays::rank_of(const Syntax& node, bool& is_long) {
    std::vector<const Syntax*> leaves;
    resolver_.add_leaves(node, leaves);
    int rank = 0;
    for (const Syntax* leaf : leaves) {
        const std::optional<bool> is_unmade = is_one(*leaf);
        const std::optional<bool> is_part = is_chosen(*leaf);
        if (!is_unmade || !is_part) return std::nullopt;
        if (*is_part) return 0;
        if (*is_unmade) {
            Block none;
            rank = std::max(rank, this->leaf(*leaf, none).value->type->rank);
            is_long = true;
            continue;
        }
        const ExpressionRef value = resolver_.expression(*leaf);
        if (is_unknown(value)) return std::nullopt;
        const Type type = value->type;
        const bool is_array =
            type->is_array() && type->rank > 0 && !type->is_list && type->element->is_number();
        if (!is_array && !type->is_number()) return 0;
        if (is_array) rank = std::max(rank, type->rank);
    }
    if (rank == 0 || is_long) return rank;
    if (resolver_.elementwise_operands(node).empty()) {
        const ExpressionRef value = resolver_.shaped(resolver_.expression(node), node);
        is_long |= Resolver::known_shape(value).empty();
        return rank;
    }
    const std::optional<bool> is_over = resolver_.is_over_arrays(node);
    if (!is_over) return std::nullopt;
    is_long |= *is_over;
    return rank;
}

std::optional<bool> UnmadeArrays::is_one(const Syntax& node) {
    if (node.is("Subscript")) {
        const std::optional<bool> is_index = is_gathered(node);
        if (!is_index.value_or(false)) return is_index;
        for (const Syntax* entry : entries_of(node)) {
            const std::optional<bool> is_over = resolver_.is_over_arrays(*entry);
            if (!is_over) return std::nullopt;
            if (*is_over) return true;
            if (!resolver_.elementwise_operands(*entry).empty()) continue;
            const ExpressionRef value = resolver_.expression(*entry);
            const bool is_long = value->type->is_array() &&
                                 Resolver::known_shape(resolver_.shaped(value, *entry)).empty();
            if (is_long) return true;
        }
        return false;
    }
    const std::optional<Computation> made = computation(node);
    if (!made) return false;
    if (made->axis != nullptr) {
        const ExpressionRef axis = resolver_.expression(*made->axis);
        if (is_unknown(axis)) return std::nullopt;
        if (!axis->type->is_number() || !Resolver::constants_of(axis)) return false;
    }
    const bool is_product = made->name == "dot";
    const int least = kReductions.contains(made->name) ? 2 : 1;
    const bool is_line = made->name == "outer" || made->name == "repeat" || made->name == "tile";
    const int most = is_product ? 2 : is_line ? 1 : 8;
    bool is_long = false;
    int ranks = 0;
    for (const Syntax* one : made->operands) {
        // What is computed again for each product.
        if (has_two(*made) && repeats_loops(*one)) return false;
        const std::optional<int> rank = rank_of(*one, is_long);
        if (!rank) return std::nullopt;
        if (*rank < least || *rank > most) return false;
        ranks += *rank;
    }
    const bool is_sum = made->name.starts_with("cum");
    if (is_sum && made->axis == nullptr && ranks > 1) return false;
    return is_long && (!is_product || ranks >= 3);
}

// An operand in a variable; an expression over arrays, its leaves.
UnmadeArrays::Operand UnmadeArrays::operand(const Syntax& node, WholeValue::Leaf& leaf,
                                            Block& out) {
    auto whole = std::make_shared<WholeValue>(resolver_.held_leaves(node, out));
    resolver_.set_shape(*whole, node, out);
    add_sources(*whole, leaf);
    return {.node = &node, .whole = std::move(whole)};
}

// What the leaves of an expression are computed from.
void UnmadeArrays::add_sources(const WholeValue& whole, WholeValue::Leaf& leaf) {
    for (const WholeValue::Leaf& one : whole.leaves) {
        leaf.sources.insert(leaf.sources.end(), one.sources.begin(), one.sources.end());
        const bool is_source = !one.at && one.value->type->is_array();
        if (is_source) leaf.sources.emplace_back(one.given, one.node);
    }
}

// Sums up to an element are known in their order.
void UnmadeArrays::require_any_order(const WholeValue& whole) const {
    for (const WholeValue::Leaf& one : whole.leaves) {
        if (!one.is_running) continue;
        resolver_.unsupported(*one.node,
                              "sums up to an element are known in their order; assign "
                              "them to an array before, y[:] = np.cumsum(x)");
    }
}

ExpressionRef UnmadeArrays::element(const Operand& of, const Values& places, Block& body) {
    return resolver_.element_of(*of.whole, *of.node, places, body);
}

// Of an array of so many axes; the last where none is given.
std::size_t UnmadeArrays::axis_of(const Computation& made, int rank) {
    if (made.axis == nullptr) return static_cast<std::size_t>(rank - 1);
    const std::int64_t axis = Resolver::constants_of(resolver_.expression(*made.axis))->front();
    if (axis >= -rank && axis < rank) {
        return static_cast<std::size_t>(axis < 0 ? axis + rank : axis);
    }
    resolver_.fail(*made.axis,
                   fmt::format("axis {} is out of bounds for array of dimension {}", axis, rank));
}

ExpressionRef UnmadeArrays::held(const Syntax& node, WholeValue::Leaf& leaf, Block& out) {
    const ExpressionRef value = resolver_.expression(node);
    leaf.sources.emplace_back(value, &node);
    return resolver_.held_array(value, "operand", node, out);
}

void UnmadeArrays::set_shape(WholeValue::Leaf& leaf, Values extents, const Syntax& node,
                             Block& out) {
    const Type type =
        array_type(number_type(Kind::UInt8), static_cast<int>(extents.size()), Layout::C);
    leaf.node = &node;
    leaf.value =
        resolver_.assigned(call("__ww_py_shape", std::move(extents), type), "shape", node, out);
    leaf.given = leaf.value;
}

// What is left of an expression over arrays at places along all axes but one.
WholeValue UnmadeArrays::row_of(const WholeValue& whole, std::size_t gone, const Values& places,
                                const Syntax& node, Block& body) {
    const auto rank = static_cast<std::size_t>(whole.shape->type->rank);
    WholeValue row;
    for (const WholeValue::Leaf& leaf : whole.leaves) {
        row.leaves.push_back(leaf);
        if (!leaf.value->type->is_array()) continue;
        if (leaf.at) {
            const bool is_whole = leaf.value->variable == whole.shape->variable;
            row.leaves.back() = row_of_unmade(leaf, is_whole, rank, gone, places, body);
            if (is_whole) row.shape = row.leaves.back().value;
            continue;
        }
        const auto own = static_cast<std::size_t>(leaf.value->type->rank);
        std::vector<Resolver::Index> at;
        bool has_gone = false;
        for (std::size_t axis = rank - own; axis < rank; ++axis) {
            if (axis == gone) {
                has_gone = true;
                at.push_back({.node = &Resolver::full_slice()});
                continue;
            }
            const ExpressionRef& place = places[axis > gone ? axis - 1 : axis];
            const ExpressionRef length =
                resolver_.extent(leaf.value, static_cast<int>(axis + own - rank));
            const bool is_whole = leaf.value->variable == whole.shape->variable;
            at.push_back({.at = is_whole ? place
                                         : select(infix("==", length, script::whole(1),
                                                        number_type(Kind::Bool)),
                                                  script::whole(0), place, int64()),
                          .node = &node,
                          .is_checked = true});
        }
        const ExpressionRef part =
            has_gone ? resolver_.view(leaf.value, at) : resolver_.element(leaf.value, at, node);
        row.leaves.back().value = resolver_.assigned(part, "row", node, body);
        if (leaf.value->variable == whole.shape->variable) row.shape = row.leaves.back().value;
    }
    if (row.shape) return row;
    const Type type = array_type(number_type(Kind::UInt8), 1, Layout::C);
    row.shape = resolver_.assigned(
        call("__ww_py_shape", {resolver_.extent(whole.shape, static_cast<int>(gone))}, type),
        "shape", node, body);
    return row;
}

// The same of an array that lies nowhere: one number where it has one item along that axis.
WholeValue::Leaf UnmadeArrays::row_of_unmade(const WholeValue::Leaf& leaf, bool is_whole,
                                             std::size_t rank, std::size_t gone,
                                             const Values& places, Block& body) {
    const auto own = static_cast<std::size_t>(leaf.value->type->rank);
    if (leaf.is_running && gone + 1 != rank) require_any_order({.leaves = {leaf}});
    const auto at_each = [=, this](const ExpressionRef& along) {
        Values all;
        for (std::size_t axis = rank - own; axis < rank; ++axis) {
            const ExpressionRef& place = axis == gone  ? along
                                         : axis > gone ? places[axis - 1]
                                                       : places[axis];
            const ExpressionRef length =
                resolver_.extent(leaf.value, static_cast<int>(axis + own - rank));
            const ExpressionRef is_one =
                infix("==", length, script::whole(1), number_type(Kind::Bool));
            all.push_back(is_whole ? place : select(is_one, script::whole(0), place, int64()));
        }
        return all;
    };
    WholeValue::Leaf row = leaf;
    const bool has_gone = gone + own >= rank &&
                          !Resolver::is_unit_axis(leaf.value, static_cast<int>(rank - 1 - gone));
    if (!has_gone && !leaf.is_running) {
        row.at = nullptr;
        row.value =
            resolver_.held(leaf.at(at_each(script::whole(0)), body), "same", *leaf.node, body);
        row.given = row.value;
        return row;
    }
    row.at = [at = leaf.at, at_each](const Values& along, Block& inner) {
        return at(at_each(along[0]), inner);
    };
    const ExpressionRef length = resolver_.extent(leaf.value, static_cast<int>(gone + own - rank));
    const Type type = array_type(number_type(Kind::UInt8), 1, Layout::C);
    row.value =
        resolver_.assigned(call("__ww_py_shape", {length}, type), "shape", *leaf.node, body);
    row.given = row.value;
    return row;
}

// m.sum(axis=1), also of an expression.
WholeValue::Leaf UnmadeArrays::reduction(const Computation& made, Block& out) {
    const Syntax& value = *made.operands[0];
    const auto whole = std::make_shared<WholeValue>(resolver_.held_leaves(value, out));
    resolver_.set_shape(*whole, value, out);
    const int rank = whole->shape->type->rank;
    const std::size_t gone = axis_of(made, rank);
    WholeValue::Leaf leaf;
    add_sources(*whole, leaf);
    Values extents;
    std::vector<bool> units;
    for (int i = 0; i < rank; ++i) {
        const bool is_gone = static_cast<std::size_t>(i) == gone;
        if (is_gone && !made.keeps_axis) continue;
        extents.push_back(is_gone ? script::whole(1) : resolver_.extent(whole->shape, i));
        units.push_back(is_gone);
    }
    leaf.at = [resolver = &resolver_, whole, gone, &value, name = made.name,
               keeps = made.keeps_axis](Values places, Block& body) {
        if (keeps) places.erase(places.begin() + static_cast<std::ptrdiff_t>(gone));
        WholeValue row = UnmadeArrays(*resolver).row_of(*whole, gone, places, value, body);
        return resolver->reduced_number(row, value, name, false, body);
    };
    set_shape(leaf, std::move(extents), value, out);
    leaf.value->variable->unit_axes = std::move(units);
    return leaf;
}

// a @ b, of which one is a matrix.
WholeValue::Leaf UnmadeArrays::product(const Computation& made, const Syntax& node, Block& out) {
    const auto is_expression = [this](const Syntax* one) {
        return !resolver_.elementwise_operands(*one).empty() || is_one(*one).value_or(true);
    };
    if (std::ranges::any_of(made.operands, is_expression)) return product_of_expressions(made, out);
    WholeValue::Leaf leaf;
    const ExpressionRef left = held(*made.operands[0], leaf, out);
    const ExpressionRef right = held(*made.operands[1], leaf, out);
    const bool has_rows = left->type->rank == 2;
    const bool has_columns = right->type->rank == 2;
    Values extents;
    if (has_rows) extents.push_back(resolver_.extent(left, 0));
    if (has_columns) extents.push_back(resolver_.extent(right, 1));
    leaf.at = [=, resolver = &resolver_, &node](const Values& places, Block&) {
        const Resolver::Index whole{.node = &Resolver::full_slice()};
        const auto at = [&node](const ExpressionRef& place) {
            return Resolver::Index{.at = place, .node = &node, .is_checked = true};
        };
        const ExpressionRef row = has_rows ? resolver->view(left, {at(places[0]), whole}) : left;
        const ExpressionRef column =
            has_columns ? resolver->view(right, {whole, at(places.back())}) : right;
        return resolver->dot(row, column, node);
    };
    set_shape(leaf, std::move(extents), node, out);
    return leaf;
}

// Of what `term` gives at each place of one axis.
ExpressionRef UnmadeArrays::sum_along(
    const ExpressionRef& length, Type element, const Syntax& node, Block& body,
    const std::function<ExpressionRef(const ExpressionRef&, Block&)>& term) {
    const Type type = total_type(element, false);
    const std::shared_ptr<Variable> sum = resolver_.total("total", type);
    const auto set = [&](ExpressionRef to, Block& where) {
        where.push_back({.op = Statement::Op::Assign,
                         .place = node.place,
                         .variable = sum,
                         .value = cast(std::move(to), type)});
    };
    set(script::whole(0), body);
    const Type axis = array_type(number_type(Kind::UInt8), 1, Layout::C);
    const ExpressionRef shape =
        resolver_.assigned(call("__ww_py_shape", {length}, axis), "shape", node, body);
    resolver_.for_each_element(shape, nullptr, node, body, [&](const Values& places, Block& turn) {
        set(resolver_.binary("+", variable(sum), term(places[0], turn), node), turn);
    });
    return cast(variable(sum), element->is_whole() ? type : element);
}

// (a * 2) @ x: the elements are computed where they are multiplied.
WholeValue::Leaf UnmadeArrays::product_of_expressions(const Computation& made, Block& out) {
    WholeValue::Leaf leaf;
    const Syntax& node = *made.operands[0];
    const Operand left = operand(node, leaf, out);
    const Operand right = operand(*made.operands[1], leaf, out);
    require_any_order(*left.whole);
    require_any_order(*right.whole);
    const int rows = left.whole->shape->type->rank - 1;
    const bool has_columns = right.whole->shape->type->rank == 2;
    const ExpressionRef length = resolver_.extent(left.whole->shape, rows);
    resolver_.end_if(
        infix("!=", length, resolver_.extent(right.whole->shape, 0), number_type(Kind::Bool)),
        "shapes of the arrays are not aligned", node, out);
    Values extents;
    if (rows == 1) extents.push_back(resolver_.extent(left.whole->shape, 0));
    if (has_columns) extents.push_back(resolver_.extent(right.whole->shape, 1));
    const auto term = [=, resolver = &resolver_, &node](const Values& places,
                                                        const ExpressionRef& k, Block& body) {
        UnmadeArrays arrays(*resolver);
        const ExpressionRef one =
            arrays.element(left, rows == 1 ? Values{places[0], k} : Values{k}, body);
        const ExpressionRef other =
            arrays.element(right, has_columns ? Values{k, places.back()} : Values{k}, body);
        if (is_unknown(one)) return one;
        if (is_unknown(other)) return other;
        return resolver->binary("*", one, other, node);
    };
    leaf.at = [=, resolver = &resolver_, &node](const Values& places, Block& body) {
        Block none;
        const Type type = term(places, whole(0), none)->type;
        if (type->family == Family::Unknown) return nothing(type);
        return UnmadeArrays(*resolver).sum_along(
            length, type, node, body,
            [&](const ExpressionRef& k, Block& turn) { return term(places, k, turn); });
    };
    set_shape(leaf, std::move(extents), node, out);
    return leaf;
}

WholeValue::Leaf UnmadeArrays::outer(const Computation& made, const Syntax& node, Block& out) {
    WholeValue::Leaf leaf;
    const Operand left = operand(*made.operands[0], leaf, out);
    const Operand right = operand(*made.operands[1], leaf, out);
    require_any_order(*left.whole);
    require_any_order(*right.whole);
    leaf.at = [=, resolver = &resolver_, &node](const Values& places, Block& body) {
        UnmadeArrays arrays(*resolver);
        const ExpressionRef one = arrays.element(left, {places[0]}, body);
        const ExpressionRef other = arrays.element(right, {places[1]}, body);
        if (is_unknown(one)) return one;
        if (is_unknown(other)) return other;
        return resolver->binary("*", one, other, node);
    };
    set_shape(leaf,
              {resolver_.extent(left.whole->shape, 0), resolver_.extent(right.whole->shape, 0)},
              node, out);
    return leaf;
}

WholeValue::Leaf UnmadeArrays::leaf(const Syntax& node, Block& out) {
    if (node.is("Subscript")) return gathered(node, out);
    const Computation made = *computation(node);
    WholeValue::Leaf leaf = made.name == "dot"                 ? product(made, node, out)
                            : made.name == "outer"             ? outer(made, node, out)
                            : kReductions.contains(made.name)  ? reduction(made, out)
                            : made.name.starts_with("cum")     ? running(made, node, out)
                            : kAccumulated.contains(made.name) ? running(made, node, out)
                            : made.name == "repeat" || made.name == "tile"
                                ? repeated(made, node, out)
                                : moved(made, node, out);
    leaf.node = &node;
    return leaf;
}

}  // namespace warpwise::script
