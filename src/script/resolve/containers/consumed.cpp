// Comprehensions, and calls that consume a sequence: sum(x * x for x in row), max(row), tuple(...).
//
// Each is a function without parameters that the translation writes (comprehensions.hpp) and that
// reads the variables here, as in Python.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "src/script/promotion.hpp"
#include "src/script/resolve/resolver.hpp"

namespace warpwise::script {
namespace {

constexpr std::size_t kMostItems = 256;

bool has_inside(const Syntax& node, const std::function<bool(const Syntax&)>& holds) {
    if (holds(node)) return true;
    return std::ranges::any_of(node.items,
                               [&](const Syntax* one) { return has_inside(*one, holds); }) ||
           std::ranges::any_of(node.fields,
                               [&](const auto& field) { return has_inside(*field.second, holds); });
}

}  // namespace

// Names that := assigns are the function's in Python; here they are known in the comprehension.
void Resolver::check_named(const Syntax& node) const {
    const auto uses = [](const Syntax& where, const std::string& name) {
        std::size_t count = 0;
        has_inside(where, [&](const Syntax& one) {
            count += one.is("Name") && one["id"].text == name;
            return false;
        });
        return count;
    };
    has_inside(node, [&](const Syntax& one) {
        if (!one.is("NamedExpr")) return false;
        const std::string& name = one["target"]["id"].text;
        if (locals_.contains(name) || uses(*instance_.node, name) > uses(node, name)) {
            unsupported(one, fmt::format("'{}' is used outside of the comprehension, too: kernels "
                                         "know what := assigns only within; write a loop",
                                         name));
        }
        return false;
    });
}

// What kernels have no scope for.
void Resolver::check_comprehension(const Syntax& node) const {
    check_named(node);
    const Syntax& first = *node.list("generators")[0];
    std::set<std::string> names;
    has_inside(first["target"], [&names](const Syntax& one) {
        if (one.is("Name")) names.insert(one["id"].text);
        return false;
    });
    const auto reads = [&names](const Syntax& one) {
        return one.is("Name") && names.contains(one["id"].text);
    };
    if (has_inside(first["iter"], reads)) {
        unsupported(first["target"],
                    "a comprehension of a kernel goes over a variable of another "
                    "name than its own");
    }
}

ExpressionRef Resolver::call_written(const Syntax& function, const Syntax& captures, bool is_fixed,
                                     const Syntax& node) {
    const std::size_t number =
        translation_.add_local({.node = &function,
                                .function = &function_,
                                .owner = &instance_,
                                .captures = instance_.flow.captures[&captures]});
    const Type type =
        intern({.family = Family::Local, .name = function["name"].text, .number = number});
    const LocalFunction& local = translation_.local(number);
    return call_function({.function = local.function,
                          .node = local.node,
                          .local = &local,
                          .value = nothing(type),
                          .knows_captures = is_fixed},
                         {}, node);
}

ExpressionRef Resolver::list_of(const Syntax& node, const Syntax& captures) {
    check_comprehension(node);
    return call_written(translation_.comprehensions().list_function_of(node), captures, true, node);
}

ExpressionRef Resolver::consumed(const std::string& name, const Syntax& node) {
    static const std::map<std::string_view, std::string_view> kConsumers = {
        {"builtins.sum", "sum"},        {"builtins.any", "any"},   {"builtins.all", "all"},
        {"builtins.min", "min"},        {"builtins.max", "max"},   {"builtins.len", "len"},
        {"builtins.tuple", "tuple"},    {"builtins.list", "list"}, {"math.prod", "prod"},
        {"functools.reduce", "reduce"}, {"builtins.next", "next"}, {"builtins.sorted", "sorted"}};
    const auto found = kConsumers.find(name);
    const auto given = node.list("args");
    if (name == "math.fsum" && given.size() == 1) {
        if (Comprehensions::is_comprehension(*given[0]) || !sequence_name(*given[0]).empty()) {
            unsupported(*given[0], "math.fsum() takes an array or a tuple in kernels");
        }
        return exact_sum(expression(*given[0]), *given[0]);
    }
    if (found == kConsumers.end() || given.empty()) return nullptr;
    const bool reduces = found->second == "reduce";
    const std::size_t at = reduces ? 1 : 0;
    const bool is_extreme = found->second == "min" || found->second == "max";
    const bool is_next = found->second == "next";
    const bool has_start = reduces || found->second == "sum" || found->second == "prod";
    const bool has_second = is_next || (has_start && found->second != "prod");
    if (given.size() <= at || given.size() > at + (has_second ? 2U : 1U)) return nullptr;
    const Syntax& items = *generator_in(*given[at]);
    Consumer consumer{.name = std::string(found->second), .items = &items};
    if (found->second == "sorted") return sorted(items, node);
    if (is_next && given.size() > 1) consumer.otherwise = given[1];
    if (reduces) consumer.function = given[0];
    if (has_start && given.size() > at + 1) consumer.start = given[at + 1];
    for (const Syntax* one : node.list("keywords")) {
        const std::string& keyword = (*one)["arg"].text;
        const Syntax& value = (*one)["value"];
        if (keyword == "start" && has_start && !reduces) {
            consumer.start = &value;
        } else if (keyword == "key" && is_extreme) {
            const bool is_none = value.is("Constant") && value["value"].is_none();
            if (!is_none) consumer.key = &value;
        } else if (keyword == "default" && is_extreme) {
            consumer.otherwise = &value;
        } else {
            unsupported(value, fmt::format("{}() takes no {}= in kernels", found->second, keyword));
        }
    }
    // Python evaluates them before the first turn, but behind what is gone over.
    for (const Syntax* one : {consumer.start, consumer.otherwise}) {
        if (one == nullptr || one->is("Constant") || expression(*one)->effect != Effect::Acts) {
            continue;
        }
        unsupported(*one, fmt::format("the start or default of {}() calls a function that acts; "
                                      "give it a name before",
                                      found->second));
    }
    const bool is_written = Comprehensions::is_comprehension(items);
    if (is_written) check_comprehension(items);
    if (found->second == "tuple" || found->second == "list") {
        return is_written ? list_of(items, node) : tuple_of_sequence(items);
    }
    if (is_next && !is_written) return nullptr;
    const bool is_plain =
        consumer.start == nullptr && consumer.key == nullptr && consumer.otherwise == nullptr;
    const bool is_count = found->second == "len" && sequence_name(items) != "range";
    if (!is_written && (is_count || sequence_name(items).empty())) {
        if (is_count || items.is("Starred")) return nullptr;
        const ExpressionRef value = expression(items);
        if (value->type->family == Family::Unknown) return value;
        const bool is_array =
            (value->type->is_array() || value->type->is_record()) && value->type->rank > 0;
        const bool is_tuple = value->type->is_tuple() && (reduces || !is_plain);
        if (!is_array && !is_tuple && !reduces) return nullptr;
    }
    return call_written(translation_.comprehensions().function_of(consumer, node), node, false,
                        node);
}

// What map() and filter() of one sequence stand for; else the node itself.
const Syntax* Resolver::generator_in(const Syntax& node) {
    const bool is_call = node.is("Call") && node["func"].is("Name") &&
                         node.list("args").size() == 2 && node.list("keywords").empty();
    if (!is_call) return &node;
    const Type callee = expression(node["func"])->type;
    const bool is_one = callee->family == Family::Known &&
                        (callee->name == "builtins.map" || callee->name == "builtins.filter");
    return is_one ? &translation_.comprehensions().generator_of(callee->name.substr(9), node)
                  : &node;
}

namespace {

// What is ordered by its items, one after the other.
bool is_ordered(Type type) {
    return type->is_tuple() ? std::ranges::all_of(type->items, is_ordered)
                            : type->is_number() && !type->is_complex();
}

}  // namespace

// The type that all items have as keys or values of sorted(), of numbers or tuples of them.
Type Resolver::sorted_type(Type items, const Syntax& node) const {
    Type type = unknown_type();
    for (const Type one : items->items) {
        require_items(one, node);
        if (member_of(one, "__lt__") != nullptr) {
            unsupported(node, fmt::format("sorted() does not call {}.__lt__ in kernels; give it a "
                                          "key=",
                                          one->name));
        }
        if (!is_ordered(one)) {
            fail(node, fmt::format("sorted() takes real numbers and tuples of them, got {}",
                                   described(one)));
        }
        const std::optional<Type> joint = unified(type, one);
        if (!joint) {
            fail(node, fmt::format("sorted() takes items of one type, got {} and {}",
                                   described(type), described(one)));
        }
        type = *joint;
    }
    return tuple_type(std::vector<Type>(items->items.size(), type));
}

// sorted(), of so many numbers or tuples as are known when compiled.
ExpressionRef Resolver::sorted(const Syntax& items, const Syntax& node) {
    bool is_reversed = false;
    const Syntax* key = nullptr;
    for (const Syntax* one : node.list("keywords")) {
        const Syntax& value = (*one)["value"];
        const std::string& keyword = (*one)["arg"].text;
        if (keyword == "key") {
            const bool is_none = value.is("Constant") && value["value"].is_none();
            if (!is_none) key = &value;
            continue;
        }
        const int known = known_truth(value);
        if (keyword != "reverse" || known == -1) {
            unsupported(value, "sorted() takes key=, and reverse= of a constant, in kernels");
        }
        is_reversed = known == 1;
    }
    ExpressionRef value =
        Comprehensions::is_comprehension(items) ? list_of(items, node) : tuple_of_sequence(items);
    if (!value) value = expression(items);
    if (value->type->family == Family::Unknown) return value;
    if (value->type->is_array()) value = shaped(value, items);
    const bool is_short = known_shape(value).size() == 1;
    if (!value->type->is_tuple() && !is_short) {
        unsupported(items, fmt::format("sorted() takes tuples and lists in kernels, got {}; sort "
                                       "arrays before, with ww.sort()",
                                       described(value->type)));
    }
    Lets lets;
    if (is_short) value = items_as_tuple(held_operand(value, "items", lets), items);
    require_items(value->type, items);
    const std::size_t count = value->type->items.size();
    const Type result = sorted_type(value->type, items);
    const std::string counts = fmt::format("<{}, {}>", count, is_reversed);
    value = cast(std::move(value), result);
    if (count < 2) return wrapped(lets, value);
    if (key == nullptr) {
        return wrapped(lets, call("__ww_py_sorted" + counts, {std::move(value)}, result));
    }
    value = once(std::move(value), "items", lets);
    const ExpressionRef function = expression(*key);
    Values keys;
    for (std::size_t i = 0; i < count; ++i) {
        const Arguments given{{.keyword = "", .value = item(value, i), .node = key}};
        keys.push_back(call_value(function, given, *key, *key));
        if (keys.back()->type->family == Family::Unknown) return keys.back();
    }
    ExpressionRef all = tuple(std::move(keys));
    const Type of_keys = sorted_type(all->type, *key);
    return wrapped(
        lets, call("__ww_py_sorted_by" + counts, {cast(std::move(all), of_keys), value}, result));
}

// tuple(zip(a, b)) and the like, of what has a fixed length; null for other values.
ExpressionRef Resolver::tuple_of_sequence(const Syntax& items) {
    const bool is_call = !sequence_name(items).empty();
    const ExpressionRef value = is_call ? nullptr : expression(items);
    const bool is_array = value && value->type->is_array();
    if (is_array && value->type->layout == Layout::Fixed && !value->type->is_constant) {
        return items_as_tuple(value, items);
    }
    if (value && value->type->family != Family::Text) return nullptr;
    bool has_tuple = false;
    const std::optional<Values> found = items_of(items, has_tuple);
    if (!found) {
        unsupported(items,
                    "tuples and lists of kernels have a fixed length: tuple() and list() go "
                    "over tuples and range() of constants, of 256 items at most; make an "
                    "array with cuda.local.array()");
    }
    return tuple(*found);
}

// Names of a comprehension stand for the items themselves.
void Resolver::bind_item(const Syntax& target, const ExpressionRef& value, Block& out) {
    if (target.is("Name")) {
        const bool stays = is_simple(value) || !value->type->has_value();
        bound_[instance_.flow.variable_of.at(&target)] =
            stays ? value : assigned(decayed(value), target["id"].text, target, out);
        return;
    }
    const auto targets = target.list("elts");
    const bool fits = (target.is("Tuple") || target.is("List")) && value->type->is_tuple() &&
                      value->type->items.size() == targets.size();
    if (!fits) fail(target, fmt::format("{} does not fit these names", described(value->type)));
    for (std::size_t i = 0; i < targets.size(); ++i) bind_item(*targets[i], item(value, i), out);
}

// The items of a comprehension, from this one of its loops on; false: a type is not known yet.
bool Resolver::add_items(const Syntax& node, std::size_t generator, Values& items, Block& out) {
    const auto generators = node.list("generators");
    if (generator == generators.size()) {
        ExpressionRef value = decayed(expression(node["elt"]));
        if (value->type->family == Family::Unknown) return false;
        if (value->type->is_array() && value->type->is_made) {
            unsupported(node["elt"],
                        "kernels make no lists of arrays; make one array with another axis");
        }
        const bool stays = value->op == Expression::Op::Constant || !value->type->has_value();
        items.push_back(stays ? value : assigned(value, "item", node, out));
        if (items.size() <= kMostItems) return true;
        fail(node, fmt::format("lists of kernels have up to {} items; use an array", kMostItems));
    }
    const Syntax& iter = (*generators[generator])["iter"];
    if (sequence_name(iter).empty()) {
        const ExpressionRef value = expression(iter);
        if (value->type->family == Family::Unknown) return false;
    }
    bool has_tuple = false;
    std::optional<Values> found = items_of(iter, has_tuple);
    if (!found && sequence_name(iter).empty() && expression(iter)->type->is_tuple()) {
        const ExpressionRef held = assigned(expression(iter), "items", iter, out);
        found.emplace();
        for (std::size_t i = 0; i < held->type->items.size(); ++i) found->push_back(item(held, i));
    }
    if (found) {
        // Its items are evaluated before the first turn.
        for (ExpressionRef& one : *found) one = kept(one, iter, out);
    }
    if (!found && sequence_name(iter).empty()) {
        const ExpressionRef array = expression(iter);
        const bool has_extents =
            array->variable && !array->variable->constant_items.empty() && array->type->is_array();
        if (has_extents) {
            found.emplace();
            for (std::int64_t i = 0; i < array->variable->constant_items[0]; ++i) {
                found->push_back(row_of(array, whole(i), iter));
            }
        }
    }
    if (!found) {
        unsupported(iter,
                    "a list of a kernel has a fixed length: it goes over tuples and range() of "
                    "constants; sum(), max(), any() and their like take other sequences");
    }
    for (const ExpressionRef& one : *found) {
        bind_item((*generators[generator])["target"], one, out);
        bool is_taken = true;
        for (const Syntax* test : generators[generator]->list("ifs")) {
            const ExpressionRef holds = condition(*test);
            if (holds->type->family == Family::Unknown) return false;
            is_taken &= is_true(holds);
            if (is_true(holds) || is_false(holds)) continue;
            unsupported(*test,
                        "a list of a kernel has a fixed length: a condition in it must be known "
                        "when the kernel is compiled; sum(), max(), any(), len() and their like "
                        "take others");
        }
        if (is_taken && !add_items(node, generator + 1, items, out)) return false;
    }
    return true;
}

bool Resolver::returned_items(const Syntax& node, Block& out) {
    Values items;
    if (!add_items(node, 0, items, out)) return false;
    const bool has_calls = std::ranges::any_of(items, [](const ExpressionRef& one) {
        return one->type->family == Family::None && one->effect == Effect::Acts;
    });
    if (has_calls) unsupported(node["elt"], "this call returns nothing; write a loop");
    return_value(closed(tuple(std::move(items))), node, out);
    return false;
}

}  // namespace warpwise::script
