// Parts of arrays that get the elements of an expression over arrays: x[i] = y[i] * 2 + z,
// x[1:] += y[:-1] * s. Each is a loop, by the thread alone.
//
// NumPy computes the value whole before it writes. Here every element is read before it is written:
// what is read lies elsewhere, at the same places, or in one part that is walked from the right
// end.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "src/script/resolve/library/unmade_arrays.hpp"
#include "src/script/resolve/resolver.hpp"

namespace warpwise::script {

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
    if (chosen->is_number() && chosen->is_integer()) {
        unsupported(target,
                    "an index of several numbers writes to several elements, of which one "
                    "may occur twice; write a loop: for k in range(len(i)): x[i[k]] = v");
    }
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
    for_each_element(part, backwards, target, out, [&](const Values& counters, Block& body) {
        ExpressionRef one = element_of(whole, value, counters, body);
        if (one->type->family == Family::Unknown) return;
        const ExpressionRef place = target_element(part, counters, target);
        if (!op.empty()) one = binary(op, place, std::move(one), target);
        store(place, std::move(one), target, body);
    });
}

// x[a:b] = y * 2; false where it is another assignment.
bool Resolver::assign_elements(const Syntax& node, Block& out) {
    const auto targets = node.list("targets");
    const Syntax& target = *targets[0];
    const Syntax& value = node["value"];
    const bool is_one = targets.size() == 1 && target.is("Subscript");
    if (is_one && store_where("", target, value, out)) return true;
    if (!is_one) return false;
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
