// Elements that an index of arrays takes: x[i] of whole numbers, x[condition], as values of parts
// of arrays and as operands of sums; an element of an array that lies nowhere.
#include <algorithm>
#include <iterator>
#include <memory>
#include <set>
#include <string_view>
#include <utility>

#include "src/script/flow.hpp"
#include "src/script/resolve/library/unmade_arrays.hpp"

namespace warpwise::script {

std::vector<const Syntax*> UnmadeArrays::entries_of(const Syntax& node) {
    const Syntax& slice = node["slice"];
    if (!slice.is("Tuple")) return {&slice};
    return {slice.list("elts").begin(), slice.list("elts").end()};
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

std::optional<bool> UnmadeArrays::is_item(const Syntax& node) {
    if (!is_item_of_computed(node)) return false;
    const Syntax& base = node["value"];
    const std::optional<bool> is_over = resolver_.is_over_arrays(base);
    if (!is_over.value_or(false)) return is_over;
    const std::optional<bool> is_part = is_chosen(base);
    return is_part ? std::optional(!*is_part) : std::nullopt;
}

std::optional<bool> UnmadeArrays::is_gathered(const Syntax& node, ExpressionRef array) {
    const bool is_read = node.is("Subscript") && node["ctx"].is("Load");
    return is_read ? takes_places(node, std::move(array)) : std::optional(false);
}

std::optional<bool> UnmadeArrays::is_scattered(const Syntax& target) {
    return takes_places(target, nullptr);
}

// Whether the index has arrays of whole numbers, and an entry for each axis.
std::optional<bool> UnmadeArrays::takes_places(const Syntax& node, ExpressionRef array) {
    const std::vector<const Syntax*> entries = entries_of(node);
    static const std::set<std::string_view> kPlain = {"Slice", "Constant", "List", "Tuple"};
    const auto is_plain = [](const Syntax* one) { return kPlain.contains(one->text); };
    if (std::ranges::all_of(entries, is_plain)) return false;
    const std::optional<bool> is_computed = array ? false : is_item(node);
    if (is_computed.value_or(true)) return is_computed ? std::optional(false) : std::nullopt;
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
    const std::optional<bool> is_computed = is_item(node);
    if (is_computed.value_or(true)) return is_computed ? std::optional(false) : std::nullopt;
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

// x[i] and x[i, j] of arrays of whole numbers.
WholeValue::Leaf UnmadeArrays::gathered(const Syntax& node, Block& out) {
    WholeValue::Leaf leaf;
    const ExpressionRef array = held(node["value"], leaf, out);
    const auto whole = std::make_shared<WholeValue>();
    const std::vector<const Syntax*> entries = entries_of(node);
    for (const Syntax* entry : entries) {
        WholeValue own = resolver_.held_leaves(*entry, out);
        require_any_order(own);
        add_sources(own, leaf);
        std::ranges::move(own.leaves, std::back_inserter(whole->leaves));
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
    const std::optional<bool> is_index = takes_places(node, array);
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

ExpressionRef UnmadeArrays::changed_few(std::string_view op, const Syntax& target,
                                        const Syntax& value) {
    const ExpressionRef few = gathered_few(resolver_.expression(target["value"]), target);
    if (!few || is_unknown(few)) return few;
    const ExpressionRef by = resolver_.expression(value);
    if (is_unknown(by)) return by;
    const auto changed = [&](const Values& both) {
        return resolver_.binary(op, both[0], both[1], target);
    };
    return resolver_.each_element({few, by}, target, changed);
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

}  // namespace warpwise::script
