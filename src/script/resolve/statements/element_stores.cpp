// Parts of arrays that get the elements of an expression over arrays: x[i] = y[i] * 2 + z,
// x[1:] += y[:-1] * s. Each is a loop, by the thread alone.
//
// NumPy computes the value whole before it writes. Here every element is read before it is written:
// what is read lies elsewhere, at the same places, or in one part that is walked from the right
// end.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "src/script/promotion.hpp"
#include "src/script/resolve/library/unmade_arrays.hpp"
#include "src/script/resolve/resolver.hpp"

namespace warpwise::script {

// x[i] = v and x[i, j] = v of arrays of whole numbers, one for each axis; false where it is another
// assignment. Where a place occurs twice, it has the last value, as in NumPy.
bool Resolver::store_scattered(std::string_view op, const Syntax& target, const Syntax& value,
                               Block& out) {
    UnmadeArrays unmade(*this);
    // Where a type is not known, the assignment as another one finds it.
    if (!unmade.is_scattered(target).value_or(false)) return false;
    Block lines;
    const std::optional<bool> is_over = is_over_arrays(value);
    if (!is_over) return true;
    WholeValue whole;
    ExpressionRef one;  // a number or an array; null: of an expression
    if (!op.empty()) {
        one = unmade.changed_few(op, target, value);
        if (!one) {
            unsupported(target,
                        "NumPy changes an element once where its place occurs twice in the "
                        "index; write a loop, for k in range(len(i)): x[i[k]] += v, or "
                        "cuda.atomic.add()");
        }
    } else if (*is_over) {
        whole = held_leaves(value, lines);
        if (whole.mask != nullptr) {
            unsupported(value, "how many elements a condition chooses is not known when compiled");
        }
    } else {
        one = expression(value);
    }
    if (one && is_unknown(one)) return true;
    if (one && one->type->is_tuple()) one = array_of(one, nullptr, value);
    if (one && !one->type->is_scalar() && !one->type->is_array()) {
        fail(target, fmt::format("elements of an array cannot be {}", described(one->type)));
    }
    if (one && one->type->is_scalar()) {
        one = held(one, "value", value, lines);
    } else if (one) {
        const ExpressionRef place = one->storage;
        if (place) evaluate(one, value, lines);
        whole.leaves.push_back({.node = &value,
                                .given = place ? place : one,
                                .value = held_array(place ? place : one, "values", value, lines)});
    }
    const ExpressionRef array = expression(target["value"]);
    const ExpressionRef held_one = held_array(array, "array", target, lines);
    WholeValue places;
    const std::vector<const Syntax*> entries = UnmadeArrays::entries_of(target);
    for (const Syntax* entry : entries) {
        WholeValue own = held_leaves(*entry, lines);
        std::ranges::move(own.leaves, std::back_inserter(places.leaves));
    }
    set_shape(places, target, lines);
    const auto require_apart = [&](const WholeValue::Leaf& leaf) {
        std::vector<std::pair<ExpressionRef, const Syntax*>> sources = leaf.sources;
        if (!leaf.at && leaf.value->type->is_array()) sources.emplace_back(leaf.given, leaf.node);
        for (const auto& [source, node] : sources) {
            if (beside(array, source, target["value"], node) == Beside::Elsewhere) continue;
            unsupported(target,
                        "the value or the index is computed from the array that is "
                        "written, and kernels have no memory for a copy; write a loop");
        }
    };
    std::ranges::for_each(places.leaves, require_apart);
    std::ranges::for_each(whole.leaves, require_apart);
    whole.shape = places.shape;
    for (const WholeValue::Leaf& leaf : whole.leaves) {
        if (leaf.value->type->is_array()) {
            require_broadcast(leaf.value, places.shape, *leaf.node, lines);
        }
    }
    out.insert(out.end(), std::make_move_iterator(lines.begin()),
               std::make_move_iterator(lines.end()));
    for_each_element(places.shape, nullptr, target, out, [&](const Values& turn, Block& body) {
        std::vector<Index> index;
        for (const Syntax* entry : entries) {
            const ExpressionRef at = element_of(places, *entry, turn, body);
            if (is_unknown(at)) return;
            index.push_back({.at = assigned(at, "at", target, body), .node = entry});
        }
        const bool is_scalar = one && one->type->is_scalar();
        ExpressionRef stored =
            is_scalar ? one
            : one     ? broadcast_element(whole.leaves[0].value, places.shape, turn, value)
                      : element_of(whole, value, turn, body);
        if (is_unknown(stored)) return;
        store(element(held_one, index, target), std::move(stored), target, body);
    });
    return true;
}

// x[y > 2] = v, and with an operator: a number for the elements of an array of the same shape that
// are true; false where it is another assignment.
bool Resolver::store_where(std::string_view op, const Syntax& target, const Syntax& value,
                           Block& out) {
    const Syntax& mask = target["slice"];
    if (mask.is("Tuple") || mask.is("Slice") || mask.is("Constant")) return false;
    const ExpressionRef array = expression(target["value"]);
    if (!array->type->is_array() || array->type->is_list) return false;
    std::vector<const Syntax*> leaves;
    add_leaves(mask, leaves);
    bool has_arrays = false;
    for (const Syntax* leaf : leaves) {
        const Type type = expression(*leaf)->type;
        if (!type->is_number() && !type->is_array()) return false;
        has_arrays |= type->is_array();
    }
    if (!has_arrays) return false;
    const Type chosen = UnmadeArrays(*this).index_type(mask);
    if (chosen == nullptr) return false;
    if (chosen->family == Family::Unknown) return true;
    ExpressionRef number = expression(value);
    if (number->type->family == Family::Unknown) return true;
    if (!number->type->is_number()) {
        unsupported(target, fmt::format("the elements that a condition chooses take one number in "
                                        "kernels, got {}; write x[:] = np.where(condition, y, x)",
                                        described(number->type)));
    }
    Block lines;
    number = held(number, "value", value, lines);
    const ExpressionRef part = held_array(array, "array", target, lines);
    WholeValue whole = held_leaves(mask, lines);
    set_shape(whole, mask, lines);
    const Values zeros(static_cast<std::size_t>(whole.shape->type->rank), script::whole(0));
    Block none;
    const Type element = element_of(whole, mask, zeros, none)->type;
    if (element->family == Family::Unknown) return true;
    if (!element->is_bool()) return false;
    if (whole.shape->type->rank != part->type->rank) {
        fail(target,
             "a condition has as many axes in kernels as the array whose elements it "
             "chooses");
    }
    for (int axis = 0; axis < part->type->rank; ++axis) {
        end_if(infix("!=", extent(whole.shape, axis), extent(part, axis), number_type(Kind::Bool)),
               "the condition has another shape than the array", target, lines);
    }
    out.insert(out.end(), std::make_move_iterator(lines.begin()),
               std::make_move_iterator(lines.end()));
    for (const auto& leaf : whole.leaves) {
        if (leaf.at) unsupported(target, "this condition needs an array of its own; write a loop");
        const bool is_other =
            leaf.value->type->is_array() &&
            beside(array, leaf.given, target["value"], leaf.node) == Beside::Shifted;
        if (!is_other) continue;
        unsupported(target,
                    "the condition reads other parts of the array that is written; write "
                    "a loop");
    }
    for_each_element(part, nullptr, target, out, [&](const Values& counters, Block& body) {
        Statement made{.op = Statement::Op::If, .place = target.place};
        made.value = element_of(whole, mask, counters, body);
        const ExpressionRef place = target_element(part, counters, target);
        store(place, op.empty() ? number : binary(op, place, number, target), target, made.body);
        body.push_back(std::move(made));
    });
    return true;
}

// `op`: between the elements that are there and those of the value; empty: they are replaced.
void Resolver::store_elements(std::string_view op, const ExpressionRef& view,
                              const ExpressionRef& part, WholeValue& whole, const Syntax& target,
                              const Syntax& value, Block& out) {
    if (whole.mask != nullptr) {
        unsupported(value,
                    "how many elements a condition chooses is not known when compiled: a "
                    "part of an array takes np.where(condition, x, y), and sum() and its "
                    "like take x[condition]");
    }
    ExpressionRef backwards;
    const Syntax* shifted = nullptr;
    for (auto& leaf : whole.leaves) {
        if (!leaf.value->type->is_array()) continue;
        for (const auto& [source, node] : leaf.sources) {
            if (beside(view, source, target, node) == Beside::Elsewhere) continue;
            unsupported(target,
                        "the value is computed from the array that is written, and kernels have "
                        "no memory for a copy; write to another array");
        }
        if (leaf.at) {
            require_broadcast(leaf.value, part, *leaf.node, out);
            continue;
        }
        const Beside place = beside(view, leaf.given, target, leaf.node);
        if (is_same_array(target, *leaf.node)) {
            leaf.value = part;
            continue;
        }
        require_broadcast(leaf.value, part, *leaf.node, out);
        if (place != Beside::Shifted) continue;
        if (shifted != nullptr && !is_same_value(*shifted, *leaf.node)) {
            unsupported(target,
                        "several parts of the array may overlap the one that is written, and "
                        "kernels have no memory for a copy; write to another array");
        }
        shifted = leaf.node;
        require_same_shape(part, leaf.value, target, out);
        backwards = backwards_of(part, leaf.value);
    }
    whole.shape = part;
    const bool is_running = std::ranges::any_of(whole.leaves, &WholeValue::Leaf::is_running);
    if (backwards && is_running) {
        unsupported(target,
                    "other parts of the array that is written are among what sums up to "
                    "an element are computed from; write to another array");
    }
    const auto set = [&](const Values& counters, Block& body) {
        ExpressionRef one = element_of(whole, value, counters, body);
        if (one->type->family == Family::Unknown) return;
        const ExpressionRef place = target_element(part, counters, target);
        if (!op.empty()) one = binary(op, place, std::move(one), target);
        store(place, std::move(one), target, body);
    };
    // m.mean(axis=1, keepdims=True): what is the same along the last axis is computed before.
    const auto hold = [&](const Values& counters, Block& body) {
        Values first = counters;
        first.push_back(script::whole(0));
        for (auto& leaf : whole.leaves) {
            if (!leaf.at || leaf.is_running || !is_unit_axis(leaf.value, 0)) continue;
            const ExpressionRef one = leaf.at(broadcast_places(leaf.value, part, first), body);
            const ExpressionRef kept = held(one, "same", *leaf.node, body);
            leaf.at = [kept](const Values&, Block&) { return kept; };
        }
    };
    for_each_element(part, backwards, target, out, set, hold);
}

// x[i] = y / n if c else y: whether either is an expression over arrays.
bool Resolver::chooses_elements(const Syntax& assignment) {
    const auto targets = assignment.list("targets");
    const Syntax& value = assignment["value"];
    if (targets.size() != 1 || !targets[0]->is("Subscript") || !value.is("IfExp")) return false;
    const int known = known_truth(value["test"]);
    const bool takes_one = known != 0 && is_over_arrays(value["body"]).value_or(false);
    return takes_one || (known != 1 && is_over_arrays(value["orelse"]).value_or(false));
}

// y[:] = np.sort(x) of one axis of any length: a copy that is sorted in its place.
bool Resolver::assign_sorted(const Syntax& target, const Syntax& value, Block& out) {
    const bool is_call =
        value.is("Call") && value.list("args").size() == 1 && value.list("keywords").empty();
    if (!is_call) return false;
    const std::optional<std::string> path = dotted(value["func"]);
    if (!path || !(value["func"].is("Name") || scope_value(*path) != nullptr)) return false;
    const Type callee = expression(value["func"])->type;
    if (callee->family != Family::Known || callee->name != "numpy.sort") return false;
    const Syntax& operand = *value.list("args")[0];
    if (!elementwise_operands(operand).empty() || is_over_arrays(operand).value_or(true)) {
        return false;
    }
    const ExpressionRef array = expression(operand);
    const Type type = array->type;
    const bool is_line = type->is_array() && type->rank == 1 && type->element->is_number() &&
                         !type->element->is_complex() &&
                         known_shape(shaped(array, operand)).empty();
    if (!is_line) return false;
    const ExpressionRef view = place_of(target);
    if (is_unknown(view)) return true;
    const bool fits = view->type->is_array() && view->type->rank == 1 && !view->type->is_packed &&
                      view->type->element->is_number() &&
                      unified(view->type->element, type->element) == view->type->element;
    if (!fits) return false;
    const ExpressionRef part = held_array(view, "part", target, out);
    store_part(part, array, target, &operand, out);
    note_written(part, target);
    evaluate(call("__ww_py_array_sorted", {part}, part->type, Effect::Acts), target, out);
    return true;
}

// x[a:b] = y * 2; false where it is another assignment.
bool Resolver::assign_elements(const Syntax& node, Block& out) {
    const auto targets = node.list("targets");
    const Syntax& target = *targets[0];
    const Syntax& value = node["value"];
    const bool is_one = targets.size() == 1 && target.is("Subscript");
    if (is_one && store_scattered("", target, value, out)) return true;
    if (is_one && store_where("", target, value, out)) return true;
    if (!is_one) return false;
    if (assign_sorted(target, value, out)) return true;
    const std::optional<bool> is_over = is_over_arrays(value);
    if (!is_over) return true;
    if (!*is_over) return false;
    const Type base = expression(target["value"])->type;
    if (base->family == Family::Unknown) return true;
    if (!base->is_array()) return false;
    // Python evaluates the value before the place.
    Block lines;
    WholeValue whole = held_leaves(value, lines);
    const auto sets_names = [](const auto& leaf) { return leaf.node->is("NamedExpr"); };
    if (std::ranges::any_of(whole.leaves, sets_names)) return false;
    const ExpressionRef view = place_of(target);
    if (view->type->family == Family::Unknown) return true;
    if (!view->type->is_array() || view->type->rank == 0) return false;
    out.insert(out.end(), std::make_move_iterator(lines.begin()),
               std::make_move_iterator(lines.end()));
    const ExpressionRef part = held_array(view, "part", target, out);
    store_elements("", view, part, whole, target, value, out);
    return true;
}

// x[a:b] += y * 2; false where the value is no expression over arrays.
bool Resolver::change_elements(std::string_view op, const ExpressionRef& view, const Syntax& target,
                               const Syntax& value, Block& out) {
    if (op == "@") return false;
    const std::optional<bool> is_over = is_over_arrays(value);
    if (!is_over) return true;
    if (!*is_over) return false;
    const ExpressionRef part = held_array(view, "part", target, out);
    WholeValue whole = held_leaves(value, out);
    store_elements(op, view, part, whole, target, value, out);
    return true;
}

}  // namespace warpwise::script
