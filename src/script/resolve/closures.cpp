// Functions as values: local functions with what they read of the variables around them, and
// functions with arguments.
//
// A local function reads the variables around it at each call, as in Python. Where another function
// gets it, it carries their values: none of them can change until that function returns, and
// nothing changes them after its own has returned.
#include <fmt/format.h>

#include <algorithm>

#include "src/script/resolve/resolver.hpp"

namespace warpwise::script {

// With the defaults of its parameters as they are now, but for literals.
ExpressionRef Resolver::local_value(const Syntax& node, const std::string& name) {
    TypeData type{.family = Family::Local, .name = name};
    type.number = translation_.add_local({.node = &node,
                                          .function = &function_,
                                          .owner = &instance_,
                                          .captures = instance_.flow.captures[&node]});
    const Syntax& args = node["args"];
    const std::size_t positional = args.list("posonlyargs").size() + args.list("args").size();
    const std::size_t keywords = positional + (args["vararg"].is_none() ? 0 : 1);
    const std::vector<const Syntax*> parameters = parameters_of(node);
    const auto defaults = args.list("defaults");
    const auto of_keywords = args.list("kw_defaults");
    Values values;
    const auto add = [&](std::size_t parameter, const Syntax& value) {
        if (value.is_none() || value.is("Constant") || literal_result(value)) return;
        values.push_back(decayed(expression(value)));
        type.names.push_back("=" + (*parameters[parameter])["arg"].text);
        type.items.push_back(values.back()->type);
    };
    for (std::size_t i = 0; i < defaults.size(); ++i)
        add(positional - defaults.size() + i, *defaults[i]);
    for (std::size_t i = 0; i < of_keywords.size(); ++i) add(keywords + i, *of_keywords[i]);
    const auto unknown = std::ranges::find(type.items, unknown_type());
    if (unknown != type.items.end()) return nothing(unknown_type());
    const Type own = intern(std::move(type));
    return own->items.empty() ? nothing(own) : tuple(std::move(values), own);
}

// What a local function reads of the variables here, and what the local functions among them read.
void Resolver::capture(const LocalFunction& local, std::vector<std::string>& names,
                       Values& values) {
    for (const Syntax* load : local.captures) {
        const std::string& id = (*load)["id"].text;
        if (std::ranges::find(names, id) != names.end()) continue;
        names.push_back(id);
        values.push_back(lent(decayed(name(*load))));
        const Type type = values.back()->type;
        if (type->family != Family::Local) continue;
        const LocalFunction& inner = translation_.local(type->number);
        if (inner.owner == &instance_) capture(inner, names, values);
    }
}

// What the functions around this one have captured, for local functions that they share.
void Resolver::pass_captured(std::vector<std::string>& names, Values& values) const {
    for (std::size_t i = 0; i < instance_.captured.size(); ++i) {
        if (std::ranges::find(names, instance_.captured[i]) != names.end()) continue;
        const std::size_t at = i + parameters_of(*instance_.node).size();
        names.push_back(instance_.captured[i]);
        values.push_back(instance_.arguments[at]->has_value() ? variable(instance_.parameters[at])
                                                              : nothing(instance_.arguments[at]));
    }
}

bool Resolver::is_closed(Type type) const {
    const LocalFunction& local = translation_.local(type->number);
    return std::ranges::all_of(local.captures, [type](const Syntax* load) {
        return std::ranges::find(type->names, (*load)["id"].text) != type->names.end();
    });
}

// The value as other functions get it: local functions in it carry what they read.
ExpressionRef Resolver::closed(const ExpressionRef& value) {
    const Type type = value->type;
    if (type->is_array()) return lent(value);
    if (type->is_tuple() || type->family == Family::Partial || type->family == Family::Dict) {
        TypeData data = *type;
        Values items = items_in_turn(value);
        for (std::size_t i = 0; i < type->items.size(); ++i) {
            const Type before = type->items[i];
            const bool may_change = before->family == Family::Local || before->has_items();
            if (may_change) items[i] = closed(items[i]);
            data.items[i] = items[i]->type;
        }
        if (data.items == type->items) return value;
        return tuple(std::move(items), intern(std::move(data)));
    }
    if (type->family != Family::Local || is_closed(type)) return value;
    const LocalFunction& local = translation_.local(type->number);
    std::vector<std::string> names;
    Values captured;
    if (local.owner == &instance_) capture(local, names, captured);
    pass_captured(names, captured);
    TypeData data = *type;
    Values items = items_in_turn(value);
    for (std::size_t i = 0; i < names.size(); ++i) {
        data.names.push_back(names[i]);
        data.items.push_back(captured[i]->type);
        items.push_back(captured[i]);
    }
    const Type carries = intern(std::move(data));
    return is_closed(carries) ? tuple(std::move(items), carries) : value;
}

ExpressionRef Resolver::call_local(const ExpressionRef& function, const Arguments& arguments,
                                   const Syntax& node) {
    const Type type = function->type;
    const LocalFunction& local = translation_.local(type->number);
    const bool is_here = local.owner == &instance_ ||
                         std::ranges::all_of(local.captures, [this](const Syntax* load) {
                             return std::ranges::find(instance_.captured, (*load)["id"].text) !=
                                    instance_.captured.end();
                         });
    if (!is_here && !is_closed(type)) {
        unsupported(node, fmt::format("'{}' uses variables of the function around it, so only that "
                                      "function can call it; pass them as arguments",
                                      type->name));
    }
    Lets lets;
    const bool is_made = function->op == Expression::Op::Tuple && function->effect != Effect::Acts;
    const ExpressionRef held = is_made ? function : once(function, "function", lets);
    const Callee callee{
        .function = local.function, .node = local.node, .local = &local, .value = held};
    return wrapped(lets, call_function(callee, arguments, node));
}

// functools.partial(f, ...): f and what comes before the arguments of a call.
ExpressionRef Resolver::partial_of(const Arguments& arguments, const Syntax& node) {
    if (arguments.empty() || !arguments[0].keyword.empty()) {
        fail(node, "functools.partial() takes a function first");
    }
    TypeData type{.family = Family::Partial};
    Values items;
    for (const Argument& one : arguments) {
        items.push_back(decayed(one.value));
        type.items.push_back(items.back()->type);
        if (!one.keyword.empty()) type.names.push_back(one.keyword);
    }
    return tuple(std::move(items), intern(std::move(type)));
}

ExpressionRef Resolver::call_partial(const ExpressionRef& function, const Arguments& arguments,
                                     const Syntax& callee, const Syntax& node) {
    const Type type = function->type;
    Lets lets;
    const bool is_made = function->op == Expression::Op::Tuple && function->effect != Effect::Acts;
    const ExpressionRef held = is_made ? function : once(function, "function", lets);
    const std::size_t positional = type->items.size() - type->names.size();
    Arguments all;
    for (std::size_t i = 1; i < positional; ++i) {
        all.push_back({.keyword = "", .value = item(held, i), .node = &node});
    }
    all.insert(all.end(), arguments.begin(), arguments.end());
    for (std::size_t i = 0; i < type->names.size(); ++i) {
        if (std::ranges::find(arguments, type->names[i], &Argument::keyword) != arguments.end()) {
            continue;  // the call's own comes instead
        }
        all.push_back(
            {.keyword = type->names[i], .value = item(held, positional + i), .node = &node});
    }
    return wrapped(lets, call_value(item(held, 0), all, callee, node));
}

}  // namespace warpwise::script
