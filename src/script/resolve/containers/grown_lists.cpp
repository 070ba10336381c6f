// Lists that append() and extend() make longer: near = []; for k in range(8): near.append(k).
//
// Such a list is an array of the function's own with a length that is counted at run time. Its
// memory has as many items as the loops around each append() can add, which must be known.
#include <fmt/format.h>

#include <algorithm>

#include "src/script/promotion.hpp"
#include "src/script/resolve/resolver.hpp"

namespace warpwise::script {
namespace {

using Op = Statement::Op;

constexpr std::int64_t kMostItems = 1024;

Type list_type(Type element, std::size_t number) {
    TypeData data = *array_type(element, 1, Layout::C);
    data.is_list = true;
    data.number = number;
    return intern(std::move(data));
}

}  // namespace

bool Resolver::is_grown_list(const Syntax& node) const {
    const auto targets = node.list("targets");
    if (targets.size() != 1 || !targets[0]->is("Name")) return false;
    const Syntax& value = node["value"];
    const bool is_call = value.is("Call") && value["func"].is("Name") &&
                         value["func"]["id"].text == "list" &&
                         !instance_.flow.variable_of.contains(&value["func"]);
    return (value.is("List") || value.is("ListComp") || is_call) &&
           instance_.flow.grown.contains((*targets[0])["id"].text);
}

Resolver::GrownList* Resolver::grown_list(const Syntax& node) {
    const auto number = instance_.flow.variable_of.find(&node);
    if (number == instance_.flow.variable_of.end()) return nullptr;
    const auto found = grown_lists_.find(number->second);
    return found == grown_lists_.end() ? nullptr : &found->second;
}

// near = [], or of numbers; false: of something else.
bool Resolver::assign_grown_list(const Syntax& node, Block& out) {
    const Syntax& target = *node.list("targets")[0];
    const ExpressionRef given = expression(node["value"]);
    if (given->type->family == Family::Unknown) {
        assign(target, given, out);
        return true;
    }
    const bool are_numbers =
        given->type->is_tuple() && std::ranges::all_of(given->type->items, [](const Type one) {
            return one->is_number() || one->family == Family::Unknown;
        });
    if (!are_numbers) return false;
    const ExpressionRef held =
        given->type->items.empty() ? given : assigned(given, "items", node, out);
    const std::size_t variable = instance_.flow.variable_of.at(&target);
    GrownList& grown = grown_lists_[variable];
    std::vector<int> around;
    around.reserve(loops_.size());
    for (const Loop& one : loops_) around.push_back(one.number);
    grown.loops.push_back(std::move(around));
    if (!grown.place) {
        const auto found = std::ranges::find(instance_.lists, &node, &Instance::List::node);
        grown.number = static_cast<std::size_t>(found - instance_.lists.begin());
        if (found == instance_.lists.end()) {
            instance_.lists.push_back({.node = &node, .is_grown = true});
        }
    }
    Instance::List& list = instance_.lists[grown.number];
    const auto count = static_cast<std::int64_t>(given->type->items.size());
    grown.items = std::max(grown.items, count);
    for (const Type one : given->type->items) {
        const std::optional<Type> joint = unified(list.element, one);
        if (!joint || *joint == list.element) continue;
        list.element = *joint;
        translation_.note_change();
    }
    if (list.element->family == Family::Unknown) {  // known by what is appended
        assign(target, nothing(unknown_type()), out);
        return true;
    }
    if (!grown.place || grown.place->type->element != list.element) {
        const std::int64_t most = std::max({list.capacity, count, std::int64_t{1}});
        grown.place = declared_storage("", list.element, {most}, target["id"].text);
    }
    const Type type = list_type(list.element, grown.number + 1);
    for (std::int64_t i = 0; i < count && i < grown.place->type->shape[0]; ++i) {
        const ExpressionRef place =
            element(grown.place, {{.at = whole(i), .node = &node, .is_checked = true}}, node);
        store(place, item(held, static_cast<std::size_t>(i)), node, out);
    }
    const std::shared_ptr<Variable>& named = instance_.variables[variable];
    named->assignments = std::max<std::size_t>(named->assignments, 2);  // append() is one
    makes_list_ = true;
    assign(target, call("__ww_py_first_of", {decayed(grown.place), whole(count)}, type), out);
    makes_list_ = false;
    return true;
}

// How often the line is reached, at most, until the list is made again.
std::int64_t Resolver::most_turns(const GrownList& grown, const Syntax& node) const {
    std::size_t common = loops_.size();
    for (const std::vector<int>& around : grown.loops) {
        std::size_t same = 0;
        while (same < std::min(common, around.size()) && around[same] == loops_[same].number) {
            ++same;
        }
        common = same;
    }
    std::int64_t turns = 1;
    for (std::size_t i = common; i < loops_.size(); ++i) {
        if (!loops_[i].turns) {
            unsupported(node,
                        "a list grows in loops whose number of turns is known when the kernel is "
                        "compiled, over range() of constants and tuples; make it as long as it "
                        "gets, [0] * n, and count the items");
        }
        turns = std::min(turns * *loops_[i].turns, kMostItems + 1);
    }
    return turns;
}

void Resolver::append_items(GrownList& grown, const Syntax& name, const Values& items,
                            const Syntax& node, Block& out) {
    Instance::List& list = instance_.lists[grown.number];
    grown.items += most_turns(grown, node) * static_cast<std::int64_t>(items.size());
    if (grown.items > kMostItems) {
        unsupported(
            node, fmt::format("a list that append() makes longer has up to {} items", kMostItems));
    }
    for (const ExpressionRef& one : items) {
        if (one->type->family == Family::Unknown) return;
        if (!one->type->is_number()) {
            unsupported(node, fmt::format("lists that grow have numbers in kernels, got {}; take "
                                          "one list for each part",
                                          described(one->type)));
        }
        const std::optional<Type> joint = unified(list.element, one->type);
        if (joint && *joint != list.element) {
            list.element = *joint;
            translation_.note_change();
        }
    }
    const std::shared_ptr<Variable>& variable =
        instance_.variables[instance_.flow.variable_of.at(&name)];
    if (!variable->type->is_array() || variable->type->element != list.element) return;
    const ExpressionRef all = script::variable(variable);
    for (const ExpressionRef& one : items) {
        const Index end{.at = extent(all, 0), .node = &node, .is_checked = true};
        store(element(all, {end}, node), one, node, out);
        out.push_back({.op = Op::Assign,
                       .place = node.place,
                       .variable = variable,
                       .value = call("__ww_py_longer", {all}, variable->type)});
    }
}

// near.append(v), near.extend((v, w)).
ExpressionRef Resolver::grow(const ExpressionRef& list, std::string_view name,
                             const Arguments& arguments, const Syntax& node) {
    (void)list;
    const Syntax& base = node["func"]["value"];
    GrownList* const grown = base.is("Name") ? grown_list(base) : nullptr;
    if (grown == nullptr || (name != "append" && name != "extend")) refuse_growth(node);
    if (statement_call_ != &node) {
        unsupported(node, fmt::format("{}() is a statement of its own in kernels", name));
    }
    const ExpressionRef& value = only(arguments, node, name);
    Block& out = *statement_lines_;
    Values items;
    if (name == "append") {
        const bool is_plain = value->effect == Effect::Pure;
        items.push_back(is_plain ? value : assigned(value, "item", node, out));
    } else if (value->type->is_tuple()) {
        require_items(value->type, node);
        const ExpressionRef held = is_simple(value) ? value : assigned(value, "items", node, out);
        for (std::size_t i = 0; i < value->type->items.size(); ++i) items.push_back(item(held, i));
    } else {
        unsupported(node, fmt::format("extend() takes a tuple or a list of known length in "
                                      "kernels, got {}; append the items in a loop",
                                      described(value->type)));
    }
    append_items(*grown, base, items, node, out);
    return nothing(none_type());
}

// The memory of the next pass.
void Resolver::note_lengths() {
    for (const auto& [variable, grown] : grown_lists_) {
        Instance::List& list = instance_.lists[grown.number];
        if (list.capacity >= grown.items) continue;
        list.capacity = grown.items;
        translation_.note_change();
    }
}

}  // namespace warpwise::script
