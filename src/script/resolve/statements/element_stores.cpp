// Parts of arrays that get the elements of an expression over arrays: x[i] = y[i] * 2 + z,
// x[1:] += y[:-1] * s. Each is a loop, by the thread alone.
//
// NumPy computes the value whole before it writes. Here every element is read before it is written:
// what is read lies elsewhere, at the same places, or in one part that is walked from the right
// end.
#include <algorithm>
#include <iterator>

#include "src/script/resolve/resolver.hpp"

namespace warpwise::script {

// `op`: between the elements that are there and those of the value; empty: they are replaced.
void Resolver::store_elements(std::string_view op, const ExpressionRef& view,
                              const ExpressionRef& part, WholeValue& whole, const Syntax& target,
                              const Syntax& value, Block& out) {
    ExpressionRef backwards;
    const Syntax* shifted = nullptr;
    for (auto& leaf : whole.leaves) {
        if (!leaf.value->type->is_array()) continue;
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
        ExpressionRef one = element_of(whole, value, counters);
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
    if (targets.size() != 1 || !target.is("Subscript") || elementwise_operands(value).empty()) {
        return false;
    }
    const Type base = expression(target["value"])->type;
    if (base->family == Family::Unknown) return true;
    if (!base->is_array()) return false;
    const std::optional<bool> is_over = is_over_arrays(value);
    if (!is_over) return true;
    if (!*is_over) return false;
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
