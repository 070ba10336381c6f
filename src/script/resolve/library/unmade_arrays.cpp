// Reductions along an axis, products of matrices, np.outer(), roll(), flip() and diff() of arrays
// of any length, as the value of a part of an array.
#include "src/script/resolve/library/unmade_arrays.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string_view>
#include <utility>

namespace warpwise::script {
namespace {

const std::set<std::string, std::less<>> kReductions = {
    "sum",  "prod", "mean", "var",    "std",    "min",           "max",        "amin",
    "amax", "any",  "all",  "argmin", "argmax", "count_nonzero", "linalg.norm"};
const std::set<std::string, std::less<>> kOthers = {"dot",  "matmul", "outer",
                                                    "roll", "flip",   "diff"};

Type int64() {
    return number_type(Kind::Int64);
}

// Of an index.
std::vector<const Syntax*> entries_of(const Syntax& node) {
    const Syntax& slice = node["slice"];
    if (!slice.is("Tuple")) return {&slice};
    return {slice.list("elts").begin(), slice.list("elts").end()};
}

ExpressionRef natural(std::string_view op, const ExpressionRef& a, const ExpressionRef& b) {
    auto made = std::make_shared<Expression>(*infix(op, a, b, int64()));
    made->is_never_negative = true;
    return made;
}

}  // namespace

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
    const bool is_global = path && (callee.is("Name") || resolver_.scope_value(*path) != nullptr);
    if (is_global) {
        const Type type = resolver_.expression(callee)->type;
        const bool is_numpy = type->family == Family::Known && type->names.empty() &&
                              type->name.starts_with("numpy.");
        if (!is_numpy || given.empty()) return std::nullopt;
        made.name = type->name.substr(6);
    } else {
        if (!callee.is("Attribute")) return std::nullopt;
        made.name = callee["attr"].text;
        if (made.name != "dot" && !kReductions.contains(made.name)) return std::nullopt;
        given.insert(given.begin(), &callee["value"]);
    }
    const bool is_reduction = kReductions.contains(made.name);
    if (!is_reduction && !kOthers.contains(made.name)) return std::nullopt;
    for (const Syntax* one : node.list("keywords")) {
        const bool is_number = (*one)["arg"].text == (made.name == "roll" ? "shift" : "axis");
        if (!is_number || !(is_reduction || made.name == "roll")) return std::nullopt;
        made.number = &(*one)["value"];
    }
    if (made.name == "matmul") made.name = "dot";
    made.operands = {given[0]};
    const bool has_two = made.name == "dot" || made.name == "outer";
    if (given.size() == 2) {
        if (has_two) {
            made.operands.push_back(given[1]);
        } else if (!made.number && (is_reduction || made.name == "roll")) {
            made.number = given[1];
        } else {
            return std::nullopt;
        }
    }
    const bool needs_number = is_reduction || made.name == "roll";
    const bool fits = given.size() <= 2 && (made.number != nullptr) == needs_number &&
                      made.operands.size() == (has_two ? 2U : 1U);
    return fits ? std::optional(made) : std::nullopt;
}

// An array of so many axes whose shape is not known when compiled.
std::optional<bool> UnmadeArrays::has_unknown_shape(const Syntax& node, int least, int most) {
    if (!resolver_.elementwise_operands(node).empty()) {
        std::vector<const Syntax*> leaves;
        resolver_.add_leaves(node, leaves);
        int rank = 0;
        for (const Syntax* leaf : leaves) {
            const std::optional<bool> is_unmade = is_one(*leaf);
            if (!is_unmade) return std::nullopt;
            if (*is_unmade) return false;
            const Type type = resolver_.expression(*leaf)->type;
            if (type->is_array()) rank = std::max(rank, type->rank);
        }
        const std::optional<bool> is_over = resolver_.is_over_arrays(node);
        if (!is_over) return std::nullopt;
        return *is_over && rank >= least && rank <= most;
    }
    const ExpressionRef value = resolver_.expression(node);
    if (is_unknown(value)) return std::nullopt;
    const Type type = value->type;
    return type->is_array() && !type->is_list && type->element->is_number() &&
           type->rank >= least && type->rank <= most &&
           Resolver::known_shape(resolver_.shaped(value, node)).empty();
}

Type UnmadeArrays::index_type(const Syntax& entry) {
    static const std::set<std::string_view> kOthers = {"Slice", "Constant", "Starred", "Tuple",
                                                       "List"};
    if (kOthers.contains(entry.text)) return nullptr;
    if (resolver_.elementwise_operands(entry).empty()) {
        if (is_one(entry).value_or(false)) return nullptr;
        const ExpressionRef value = resolver_.expression(entry);
        if (is_unknown(value)) return value->type;
        const bool is_array =
            value->type->is_array() && value->type->rank > 0 && !value->type->is_list;
        return is_array ? value->type->element : nullptr;
    }
    std::vector<const Syntax*> leaves;
    resolver_.add_leaves(entry, leaves);
    bool has_arrays = false;
    for (const Syntax* leaf : leaves) {
        const ExpressionRef value = resolver_.expression(*leaf);
        if (is_unknown(value)) return value->type;
        if (value->type->is_array() && value->type->is_list) return nullptr;
        if (!value->type->is_number() && !value->type->is_array()) return nullptr;
        has_arrays |= value->type->is_array();
    }
    if (!has_arrays) return nullptr;
    Block none;
    WholeValue whole = resolver_.held_leaves(entry, none);
    resolver_.set_shape(whole, entry, none);
    const Values zeros(static_cast<std::size_t>(whole.shape->type->rank), script::whole(0));
    return resolver_.element_of(whole, entry, zeros, none)->type;
}

std::optional<bool> UnmadeArrays::is_gathered(const Syntax& node, ExpressionRef array) {
    if (!node.is("Subscript") || !node["ctx"].is("Load")) return false;
    const std::vector<const Syntax*> entries = entries_of(node);
    static const std::set<std::string_view> kPlain = {"Slice", "Constant", "List", "Tuple"};
    const auto is_plain = [](const Syntax* one) { return kPlain.contains(one->text); };
    if (std::ranges::all_of(entries, is_plain)) return false;
    if (!array) array = resolver_.expression(node["value"]);
    if (is_unknown(array)) return std::nullopt;
    if (!array->type->is_array() || array->type->is_list ||
        static_cast<std::size_t>(array->type->rank) != entries.size()) {
        return false;
    }
    bool has_arrays = false;
    for (const Syntax* entry : entries) {
        if (entry->is("Slice") || entry->is("Starred")) return false;
        const Type type = index_type(*entry);
        if (type == nullptr) continue;
        if (type->family == Family::Unknown) return std::nullopt;
        if (!type->is_number() || !type->is_integer()) return false;
        has_arrays = true;
    }
    return has_arrays;
}

std::optional<bool> UnmadeArrays::is_chosen(const Syntax& node) {
    if (!node.is("Subscript") || !node["ctx"].is("Load")) return false;
    const Syntax& mask = node["slice"];
    if (mask.is("Slice") || mask.is("Constant") || mask.is("Tuple") || mask.is("List")) {
        return false;
    }
    const ExpressionRef array = resolver_.expression(node["value"]);
    if (is_unknown(array)) return std::nullopt;
    if (!array->type->is_array() || array->type->is_list || array->type->rank == 0 ||
        !array->type->element->is_number()) {
        return false;
    }
    const Type type = index_type(mask);
    if (type == nullptr) return false;
    if (type->family == Family::Unknown) return std::nullopt;
    return type->is_number() && type->is_bool();
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
    const bool is_reduction = kReductions.contains(made->name);
    if (is_reduction) {
        const ExpressionRef axis = resolver_.expression(*made->number);
        if (is_unknown(axis)) return std::nullopt;
        if (!axis->type->is_number() || !Resolver::constants_of(axis)) return false;
        return has_unknown_shape(*made->operands[0], 2, 8);
    }
    bool is_any = false;
    int ranks = 0;
    for (const Syntax* one : made->operands) {
        if (!resolver_.elementwise_operands(*one).empty()) return false;
        const ExpressionRef value = resolver_.expression(*one);
        if (is_unknown(value)) return std::nullopt;
        const int most = made->name == "dot" ? 2 : 1;
        const bool is_array = value->type->is_array() && value->type->element->is_number() &&
                              value->type->rank >= 1 && value->type->rank <= most;
        if (!is_array) return false;
        ranks += value->type->rank;
        is_any |= Resolver::known_shape(resolver_.shaped(value, *one)).empty();
    }
    return is_any && (made->name != "dot" || ranks >= 3);
}

// An operand in a variable.
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

// m.sum(axis=1), also of an expression.
WholeValue::Leaf UnmadeArrays::reduction(const Computation& made, Block& out) {
    const Syntax& value = *made.operands[0];
    const auto whole = std::make_shared<WholeValue>(resolver_.held_leaves(value, out));
    resolver_.set_shape(*whole, value, out);
    const std::int64_t rank = whole->shape->type->rank;
    const std::int64_t axis = Resolver::constants_of(resolver_.expression(*made.number))->front();
    if (axis < -rank || axis >= rank) {
        resolver_.fail(
            *made.number,
            fmt::format("axis {} is out of bounds for array of dimension {}", axis, rank));
    }
    const auto gone = static_cast<std::size_t>(axis < 0 ? axis + rank : axis);
    WholeValue::Leaf leaf;
    for (const WholeValue::Leaf& one : whole->leaves) {
        if (one.value->type->is_array()) leaf.sources.emplace_back(one.given, one.node);
    }
    Values extents;
    for (std::int64_t i = 0; i < rank; ++i) {
        if (static_cast<std::size_t>(i) == gone) continue;
        extents.push_back(resolver_.extent(whole->shape, static_cast<int>(i)));
    }
    leaf.at = [this_resolver = &resolver_, whole, gone, &value, name = made.name](
                  const Values& places, Block& body) {
        WholeValue row = UnmadeArrays(*this_resolver).row_of(*whole, gone, places, value, body);
        return this_resolver->reduced_number(row, value, name, false, body);
    };
    set_shape(leaf, std::move(extents), value, out);
    return leaf;
}

// a @ b, of which one is a matrix.
WholeValue::Leaf UnmadeArrays::product(const Computation& made, const Syntax& node, Block& out) {
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

WholeValue::Leaf UnmadeArrays::outer(const Computation& made, const Syntax& node, Block& out) {
    WholeValue::Leaf leaf;
    const ExpressionRef left = held(*made.operands[0], leaf, out);
    const ExpressionRef right = held(*made.operands[1], leaf, out);
    leaf.at = [=, resolver = &resolver_, &node](const Values& places, Block&) {
        return resolver->binary("*", resolver->row_of(left, places[0], node),
                                resolver->row_of(right, places[1], node), node);
    };
    set_shape(leaf, {resolver_.extent(left, 0), resolver_.extent(right, 0)}, node, out);
    return leaf;
}

// x[i] and x[i, j] of arrays of whole numbers.
WholeValue::Leaf UnmadeArrays::gathered(const Syntax& node, Block& out) {
    WholeValue::Leaf leaf;
    const ExpressionRef array = held(node["value"], leaf, out);
    const auto whole = std::make_shared<WholeValue>();
    const std::vector<const Syntax*> entries = entries_of(node);
    for (const Syntax* entry : entries) {
        WholeValue own = resolver_.held_leaves(*entry, out);
        for (WholeValue::Leaf& one : own.leaves) {
            if (one.value->type->is_array()) leaf.sources.emplace_back(one.given, one.node);
            whole->leaves.push_back(std::move(one));
        }
    }
    resolver_.set_shape(*whole, node, out);
    Values extents;
    for (int axis = 0; axis < whole->shape->type->rank; ++axis) {
        extents.push_back(resolver_.extent(whole->shape, axis));
    }
    leaf.at = [resolver = &resolver_, whole, array, entries, &node](const Values& places,
                                                                    Block& body) {
        std::vector<Resolver::Index> index;
        for (const Syntax* entry : entries) {
            ExpressionRef at = resolver->element_of(*whole, *entry, places, body);
            if (is_unknown(at)) return at;
            index.push_back({.at = resolver->assigned(at, "at", node, body), .node = entry});
        }
        return resolver->element(array, index, node);
    };
    set_shape(leaf, std::move(extents), node, out);
    return leaf;
}

ExpressionRef UnmadeArrays::gathered_few(const ExpressionRef& array, const Syntax& node) {
    const std::optional<bool> is_index = is_gathered(node, array);
    if (!is_index) return nothing(unknown_type());
    if (!*is_index) return nullptr;
    const std::vector<const Syntax*> entries = entries_of(node);
    Values values;
    for (const Syntax* entry : entries) {
        if (resolver_.is_over_arrays(*entry).value_or(true)) return nullptr;
        values.push_back(resolver_.expression(*entry));
    }
    Resolver::Lets lets;
    const ExpressionRef held = resolver_.held_operand(array, "array", lets);
    const auto compute = [&](const Values& places) {
        std::vector<Resolver::Index> index;
        index.reserve(places.size());
        for (std::size_t i = 0; i < places.size(); ++i) {
            index.push_back({.at = places[i], .node = entries[i]});
        }
        return resolver_.element(held, index, node);
    };
    const ExpressionRef made = resolver_.each_element(values, node, compute);
    return made ? Resolver::made_behind(lets, made) : nullptr;
}

void UnmadeArrays::add_chosen(WholeValue& whole, const Syntax& node, Block& out) {
    const ExpressionRef array = resolver_.expression(node["value"]);
    whole.leaves.push_back({.node = &node,
                            .given = array,
                            .value = resolver_.held_array(array, "operand", node, out),
                            .is_chosen = true});
    const Syntax& mask = node["slice"];
    if (whole.mask != nullptr) {
        if (Resolver::is_same_value(*whole.mask, mask)) return;
        resolver_.fail(node,
                       "the arrays of an expression are chosen from by one condition in "
                       "kernels");
    }
    whole.mask = &mask;
    WholeValue own = resolver_.held_leaves(mask, out);
    for (WholeValue::Leaf& one : own.leaves) {
        one.is_condition = true;
        whole.leaves.push_back(std::move(one));
    }
}

// The thread ends unless the condition has the shape of the arrays, as at an exception.
void UnmadeArrays::check_chosen(const WholeValue& whole, const Syntax& node, Block& out) {
    const Type boolean = number_type(Kind::Bool);
    const auto is_condition = [](const WholeValue::Leaf& leaf) {
        return leaf.is_condition && leaf.value->type->is_array();
    };
    int rank = 0;
    for (const WholeValue::Leaf& leaf : whole.leaves) {
        if (is_condition(leaf)) rank = std::max(rank, leaf.value->type->rank);
    }
    for (const WholeValue::Leaf& leaf : whole.leaves) {
        if (!leaf.is_chosen) continue;
        if (leaf.value->type->rank != rank) {
            resolver_.fail(node,
                           "a condition has as many axes in kernels as the array that it "
                           "chooses from");
        }
        for (int axis = 0; axis < rank; ++axis) {
            const ExpressionRef length = resolver_.extent(leaf.value, axis);
            ExpressionRef differs;  // from all arrays of the condition
            for (const WholeValue::Leaf& other : whole.leaves) {
                const int at = is_condition(other) ? axis + other.value->type->rank - rank : -1;
                if (at < 0) continue;
                ExpressionRef one = infix("!=", resolver_.extent(other.value, at), length, boolean);
                differs = differs ? Resolver::both(Expression::Op::And, differs, one) : one;
            }
            resolver_.end_if(std::move(differs), "the condition has another shape than the array",
                             node, out);
        }
    }
}

// np.roll(), flip() and diff() of one axis.
WholeValue::Leaf UnmadeArrays::moved(const Computation& made, const Syntax& node, Block& out) {
    WholeValue::Leaf leaf;
    const ExpressionRef array = held(*made.operands[0], leaf, out);
    const ExpressionRef length = resolver_.extent(array, 0);
    ExpressionRef count = length;
    Resolver* const resolver = &resolver_;
    if (made.name == "roll") {
        const ExpressionRef given = resolver_.expression(*made.number);
        if (!is_whole_number(given->type)) {
            resolver_.fail(*made.number, fmt::format("numpy.roll() takes a whole number, got {}",
                                                     described(given->type)));
        }
        const ExpressionRef shift =
            resolver_.held(cast(given, int64()), "shift", *made.number, out);
        leaf.at = [=, &node](const Values& places, Block&) {
            const ExpressionRef before = infix("-", places[0], shift, int64());
            ExpressionRef from = resolver->binary("%", before, length, node);
            auto at = std::make_shared<Expression>(*from);
            at->is_never_negative = true;
            return resolver->row_of(array, at, node);
        };
    } else if (made.name == "flip") {
        leaf.at = [=, &node](const Values& places, Block&) {
            const ExpressionRef last = infix("-", length, whole(1), int64());
            return resolver->row_of(array, natural("-", last, places[0]), node);
        };
    } else {
        count = call("__ww_py_max", {infix("-", length, whole(1), int64()), whole(0)}, int64(),
                     Effect::Pure, true);
        leaf.at = [=, &node](const Values& places, Block&) {
            const ExpressionRef next = natural("+", places[0], whole(1));
            return resolver->binary("-", resolver->row_of(array, next, node),
                                    resolver->row_of(array, places[0], node), node);
        };
    }
    set_shape(leaf, {std::move(count)}, node, out);
    return leaf;
}

WholeValue::Leaf UnmadeArrays::leaf(const Syntax& node, Block& out) {
    if (node.is("Subscript")) return gathered(node, out);
    const Computation made = *computation(node);
    WholeValue::Leaf leaf = made.name == "dot"                ? product(made, node, out)
                            : made.name == "outer"            ? outer(made, node, out)
                            : kReductions.contains(made.name) ? reduction(made, out)
                                                              : moved(made, node, out);
    leaf.node = &node;
    return leaf;
}

}  // namespace warpwise::script
