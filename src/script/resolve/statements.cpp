// Statements without loops.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "src/base/text.hpp"
#include "src/script/promotion.hpp"
#include "src/script/resolve/resolver.hpp"

namespace warpwise::script {
namespace {

using Op = Statement::Op;

constexpr int kMostStatements = 20000;

bool reads(const ExpressionRef& value, const Variable* variable) {
    if (value->variable.get() == variable) return true;
    return std::ranges::any_of(
        value->operands, [&](const ExpressionRef& operand) { return reads(operand, variable); });
}

}  // namespace

bool Resolver::block(std::span<const Syntax* const> nodes, Block& out) {
    for (const Syntax* node : nodes) {
        if (++statements_ > kMostStatements) {
            fail(*node,
                 "loops over tuples make this function too large; loop over range() instead");
        }
        if (!statement(*node, out)) return false;
    }
    return true;
}

bool Resolver::statement(const Syntax& node, Block& out) {
    storage_name_.clear();
    if (node.is("Assign")) {
        const auto targets = node.list("targets");
        if (targets[0]->is("Name")) storage_name_ = (*targets[0])["id"].text;
        if (is_changed_list(node) && assign_list(node, out)) return true;
        ExpressionRef value = expression(node["value"]);
        storage_name_.clear();
        if (targets.size() > 1 && !is_simple(value)) {
            value = assigned(value, "value", node, out);
        }
        statement_value_ = &node["value"];
        for (const Syntax* target : targets) assign(*target, value, out);
        statement_value_ = nullptr;
        return true;
    }
    if (node.is("AugAssign")) {
        augmented(node, out);
        return true;
    }
    if (node.is("AnnAssign")) {
        if (!node["value"].is_none()) assign(node["target"], expression(node["value"]), out);
        return true;
    }
    if (node.is("Expr")) {
        const Syntax& value = node["value"];
        statement_call_ = &value;
        statement_lines_ = &out;
        if (!value.is("Constant")) evaluate(expression(value), node, out);
        statement_call_ = nullptr;
        return true;
    }
    if (node.is("If")) return branch(node, out);
    if (node.is("While")) return while_loop(node, out);
    if (node.is("For")) return for_loop(node, out);
    if (node.is("Break") || node.is("Continue")) return leave(node, out);
    if (node.is("Return")) return returned(node, out);
    if (node.is("Raise") || node.is("Assert")) return raised(node, out);
    if (node.is("Match")) return match(node, out);
    if (node.is("FunctionDef")) {
        local_function(node, out);
        return true;
    }
    if (node.is("Pass")) return true;
    if (node.is("ReturnItems")) return returned_items(node, out);
    static const std::map<std::string_view, std::string_view> refused = {
        {"Global", "no assignments to globals; write to an array"},
        {"Nonlocal", "no assignments to variables of an outer function; return the value"},
        {"With", "no with statements"},
        {"Try", "no exceptions to catch (try)"},
        {"TryStar", "no exceptions to catch (try)"},
        {"Import", "no imports; import at the top of the module"},
        {"ImportFrom", "no imports; import at the top of the module"},
        {"Delete", "no del"},
        {"ClassDef", "no classes inside of functions"},
        {"AsyncFunctionDef", "no async functions"},
        {"AsyncFor", "no async for"},
        {"AsyncWith", "no async with"},
        {"TypeAlias", "no type aliases"}};
    const auto found = refused.find(node.text);
    unsupported(
        node, fmt::format("kernels have {}", found == refused.end() ? "no statement " + node.text
                                                                    : std::string(found->second)));
}

void Resolver::evaluate(ExpressionRef value, const Syntax& node, Block& out) {
    note_effect(value->effect == Effect::Acts ? Effect::Acts : Effect::Pure);
    // What may be checked is evaluated.
    const bool is_dropped = value->effect == Effect::Pure || !translation_.has_checks();
    if (value->effect != Effect::Acts && is_dropped) return;
    out.push_back({.op = Op::Evaluate, .place = node.place, .value = std::move(value)});
}

void Resolver::assign(const Syntax& target, ExpressionRef value, Block& out) {
    if (value->type->family == Family::Unknown) {
        if (target.is("Name"))
            set_type(*instance_.variables[instance_.flow.variable_of.at(&target)], value, target);
        if (!target.is("Tuple") && !target.is("List")) return;
        for (const Syntax* one : target.list("elts")) assign(*one, value, out);
        return;
    }
    if (target.is("Name")) {
        assign_variable(target, target["id"].text, std::move(value), out);
    } else if (target.is("Tuple") || target.is("List")) {
        unpack(target, value, out);
    } else if (target.is("Subscript") || target.is("Attribute")) {
        // Python evaluates the value before the place.
        if (!is_simple(value) && value->effect == Effect::Acts) {
            value = assigned(value, "value", target, out);
        }
        const ExpressionRef place = place_of(target);
        if (place->type->is_record()) {
            store_record(place, value, target, out);
        } else if (place->type->is_array()) {
            store_part(place, std::move(value), target, statement_value_, out);
        } else {
            store(place, std::move(value), target, out);
        }
    } else {
        unsupported(target, "kernels assign to variables and elements of arrays only");
    }
}

void Resolver::assign_variable(const Syntax& node, const std::string&, ExpressionRef value,
                               Block& out) {
    const std::shared_ptr<Variable>& variable =
        instance_.variables[instance_.flow.variable_of.at(&node)];
    check_other_name(value->type, node);
    set_type(*variable, value, node);
    if (variable->assignments == 1 && value->constant && value->constant->whole) {
        variable->constant = value->constant->whole;
    }
    note_effect(value->effect);
    const bool is_storage = variable->type->is_array() && variable->type->layout == Layout::Fixed;
    if (!variable->type->has_value() || is_storage) {
        if (value->effect == Effect::Acts) evaluate(std::move(value), node, out);
        return;
    }
    ExpressionRef converted = cast(std::move(value), variable->type);
    out.push_back({.op = Op::Assign,
                   .place = node.place,
                   .variable = variable,
                   .value = std::move(converted)});
}

ExpressionRef Resolver::held(const ExpressionRef& value, std::string_view name, const Syntax& node,
                             Block& out) {
    const bool stays =
        value->op == Expression::Op::Constant || value->op == Expression::Op::Variable ||
        value->op == Expression::Op::Storage || value->type->family == Family::Unknown;
    return stays ? value : assigned(value, name, node, out);
}

ExpressionRef Resolver::assigned(const ExpressionRef& value, std::string_view name,
                                 const Syntax& node, Block& out) {
    std::shared_ptr<Variable> held = temporary_for(value, name);
    note_effect(value->effect);
    out.push_back({.op = Op::Assign, .place = node.place, .variable = held, .value = value});
    return variable(held);
}

void Resolver::store(const ExpressionRef& target, ExpressionRef value, const Syntax& node,
                     Block& out) {
    if (target->type->family == Family::Unknown) return;
    Expression const* place = target.get();
    while (place->op == Expression::Op::Let) place = place->operands[1].get();
    if (place->op != Expression::Op::Element)
        fail(node,
             "tuples cannot be changed; the items of a list can by the function that makes it, "
             "or take cuda.local.array()");
    note_written(place->operands[0], node);
    const Type element = target->type;
    const Type array = place->operands[0]->type;
    if (array->is_list && !fits_list(array, value->type, node)) return;
    if (element->is_time() && value->type->is_time()) value = in_unit(value, element, node);
    if (element->is_chars()) {
        const ExpressionRef text = as_chars(value);
        if (text && text->type->kind == element->kind) value = cast(text, element);
    }
    if (value->type != element && !(value->type->is_number() && element->is_number())) {
        fail(node, fmt::format("an element of {} cannot be {}", text_of(element),
                               described(value->type)));
    }
    if (value->type->is_complex() && !element->is_complex()) {
        fail(node, fmt::format("an element of {} cannot hold {}; store its real part",
                               text_of(element), text_of(value->type)));
    }
    out.push_back(
        {.op = Op::Store,
         .place = node.place,
         .target = place->operands[0]->type->is_packed ? as_place(target) : target,
         .value = element->is_bool() ? truth_of(value, node) : cast(std::move(value), element)});
}

void Resolver::unpack(const Syntax& target, const ExpressionRef& value, Block& out) {
    const auto targets = target.list("elts");
    ExpressionRef source = value;
    if (source->type->is_array() && source->type->layout == Layout::Fixed &&
        source->type->rank == 1) {
        Values items;
        for (std::int64_t i = 0; i < source->type->shape[0]; ++i) {
            items.push_back(element(source, {{.at = whole(i), .node = &target}}, target));
        }
        source = tuple(std::move(items));
    }
    if (!source->type->is_tuple()) {
        fail(target,
             fmt::format("{} cannot be unpacked; only tuples can", described(source->type)));
    }
    require_items(source->type, target);
    const std::size_t count = source->type->items.size();
    const auto starred =
        std::ranges::find_if(targets, [](const Syntax* one) { return one->is("Starred"); });
    const bool has_star = starred != targets.end();
    if (has_star ? count + 1 < targets.size() : count != targets.size()) {
        fail(target, fmt::format("{} values are unpacked to {} targets", count, targets.size()));
    }
    if (source->op != Expression::Op::Tuple && !is_simple(source)) {
        source = assigned(source, "values", target, out);
    }
    // One after the other, unless an assignment changes what a later item reads.
    Values items;
    for (std::size_t i = 0; i < count; ++i) items.push_back(item(source, i));
    bool is_direct = !has_star;
    for (std::size_t i = 0; i < count && is_direct; ++i) {
        if (!targets[i]->is("Name")) {
            is_direct = items.size() == 1;
            continue;
        }
        const auto& variable = instance_.variables[instance_.flow.variable_of.at(targets[i])];
        for (std::size_t later = i + 1; later < count; ++later) {
            is_direct &= !reads(items[later], variable.get());
        }
    }
    if (!is_direct) {
        for (ExpressionRef& one : items) {
            if (one->op == Expression::Op::Constant || !one->type->has_value()) continue;
            one = assigned(decayed(one), "item", target, out);
        }
    }
    std::size_t next = 0;
    for (const Syntax* one : targets) {
        if (!one->is("Starred")) {
            assign(*one, items[next++], out);
            continue;
        }
        Values rest;
        for (std::size_t k = 0; k < count + 1 - targets.size(); ++k) {
            rest.push_back(items[next++]);
        }
        assign((*one)["value"], tuple(std::move(rest)), out);
    }
}

void Resolver::augmented(const Syntax& node, Block& out) {
    const Syntax& target = node["target"];
    static const std::map<std::string_view, std::string_view> ops = {
        {"Add", "+"},     {"Sub", "-"},     {"Mult", "*"},   {"Div", "/"},   {"FloorDiv", "//"},
        {"Mod", "%"},     {"Pow", "**"},    {"BitAnd", "&"}, {"BitOr", "|"}, {"BitXor", "^"},
        {"LShift", "<<"}, {"RShift", ">>"}, {"MatMult", "@"}};
    const std::string_view op = ops.at(node["op"].text);
    if (target.is("Name")) {
        const std::string& id = target["id"].text;
        if (!instance_.flow.variable_of.contains(&target))
            fail(target, fmt::format("'{}' has no value", id));
        ExpressionRef before = read(target, instance_.flow.variable_of.at(&target));
        ExpressionRef value = binary(op, std::move(before), expression(node["value"]), node);
        assign(target, std::move(value), out);
        return;
    }
    if (is_field(target)) {
        const ExpressionRef place = place_of(target);
        if (place->type->family == Family::Unknown) return;
        ExpressionRef value = expression(node["value"]);
        if (place->effect == Effect::Acts || value->effect == Effect::Acts) {
            unsupported(target, "the index and the value call functions that act; give them names");
        }
        store(place, binary(op, place, std::move(value), node), target, out);
        return;
    }
    if (!target.is("Subscript"))
        unsupported(target, "kernels assign to variables and elements only");
    const ExpressionRef base = held(expression(target["value"]), "array", node, out);
    const bool has_axes = base->type->is_array() || base->type->is_record();
    std::vector<Index> places = indices(target, has_axes ? base->type->rank : 1);
    if (base->type->family == Family::Unknown) {
        expression(node["value"]);
        return;
    }
    if (!base->type->is_array()) {
        unsupported(target, fmt::format("kernels change elements of arrays, not of {}",
                                        described(base->type)));
    }
    const bool is_part = places.size() < static_cast<std::size_t>(base->type->rank) ||
                         std::ranges::any_of(places, [](const Index& one) { return !one.at; });
    if (is_part) {
        const ExpressionRef part = indexed(base, target);
        if (part->type->family == Family::Unknown) return;
        change_part(op, part, expression(node["value"]), node, out);
        return;
    }
    for (std::size_t axis = 0; axis < places.size(); ++axis) {
        ExpressionRef& at = places[axis].at;
        if (at->type->family == Family::Unknown) return;
        if (!at->is_never_negative && !at->constant) {
            at = call("__ww_py_wrap",
                      {cast(at, number_type(Kind::Int64)), extent(base, static_cast<int>(axis))},
                      number_type(Kind::Int64), Effect::Pure, true);
        }
        at = checked_index(std::move(at), extent(base, static_cast<int>(axis)), axis, target);
        places[axis].is_checked = true;
        at = held(at, "at", node, out);
    }
    const ExpressionRef place = element(base, places, target);
    ExpressionRef value = expression(node["value"]);
    ExpressionRef before = place;
    if (value->effect == Effect::Acts) before = held(before, "before", node, out);
    store(place, binary(op, before, std::move(value), node), target, out);
}

bool Resolver::branch(const Syntax& node, Block& out) {
    const int known = known_truth(node["test"]);
    if (known != -1) return block(node.list(known == 1 ? "body" : "orelse"), out);
    Statement made{.op = Op::If, .place = node.place};
    made.value = condition(node["test"]);
    if (is_true(made.value)) return block(node.list("body"), out);
    if (is_false(made.value)) return block(node.list("orelse"), out);
    note_effect(made.value->effect);
    const Facts before = facts_;
    facts_.assume(made.value, true);
    const bool body_ends = block(node.list("body"), made.body);
    const Facts behind_body = std::exchange(facts_, before);
    facts_.assume(made.value, false);
    const bool other_ends = block(node.list("orelse"), made.otherwise);
    // Behind the statement: what the only way here has established.
    if (body_ends && other_ends) facts_ = before;
    if (body_ends && !other_ends) facts_ = behind_body;
    out.push_back(std::move(made));
    return body_ends || other_ends;
}

bool Resolver::returned(const Syntax& node, Block& out) {
    const bool has_value = !node["value"].is_none();
    ExpressionRef value = nothing(none_type());
    if (has_value) value = closed(decayed(returned_list(expression(node["value"]), node)));
    return_value(std::move(value), node, out);
    return false;
}

void Resolver::return_value(ExpressionRef value, const Syntax& node, Block& out) {
    Statement made{.op = Op::Return, .place = node.place};
    note_effect(value->effect);
    const std::optional<Type> result = unified(instance_.result, value->type);
    if (!result) {
        fail(node, fmt::format("'{}' returns {} here and {} before; return one type on every path",
                               instance_.function->name, described(value->type),
                               described(instance_.result)));
    }
    bool changed = *result != instance_.result;
    instance_.result = *result;
    for (const std::size_t origin : origins(value))
        changed |= instance_.returned.insert(origin).second;
    if (instance_.result_is_never_negative && !value->is_never_negative &&
        value->type->family != Family::Unknown) {
        instance_.result_is_never_negative = false;
        changed = true;
    }
    if (changed) translation_.note_change();
    if ((*result)->has_value() && value->type->family != Family::Unknown) {
        made.value = cast(std::move(value), *result);
    } else if (value->effect == Effect::Acts) {
        evaluate(std::move(value), node, out);
    }
    out.push_back(std::move(made));
}

bool Resolver::raised(const Syntax& node, Block& out) {
    note_may_end();
    if (node.is("Raise")) {
        out.push_back({.op = Op::End, .place = node.place, .raise = raise_number(node)});
        return false;
    }
    const int known = known_truth(node["test"]);
    if (known == 1) return true;
    Statement made{.op = Op::If, .place = node.place};
    ExpressionRef test = condition(node["test"]);
    facts_.assume(test, true);
    made.value = prefix("!", std::move(test), number_type(Kind::Bool));
    made.body.push_back({.op = Op::End, .place = node.place, .raise = raise_number(node)});
    out.push_back(std::move(made));
    return true;
}

void Resolver::local_function(const Syntax& node, Block& out) {
    if (!node.list("decorator_list").empty()) {
        unsupported(node, "local functions of kernels have no decorators");
    }
    const std::string& name = node["name"].text;
    ExpressionRef value = local_value(node, name);
    assign_variable(node, name, std::move(value), out);
}

bool Resolver::match(const Syntax& node, Block& out) {
    ExpressionRef subject = decayed(expression(node["subject"]));
    if (!is_simple(subject) && subject->type->has_value()) {
        subject = assigned(subject, "subject", node, out);
    }
    bool reached = false;
    Block* rest = &out;
    for (const Syntax* one : node.list("cases")) {
        Block bindings;
        ExpressionRef fits = pattern((*one)["pattern"], subject, bindings);
        if (is_false(fits)) continue;
        const bool has_guard = !(*one)["guard"].is_none();
        if (has_guard && !bindings.empty()) {
            // The names are bound before the guard is asked.
            for (Statement& binding : bindings) rest->push_back(std::move(binding));
            bindings.clear();
        }
        if (has_guard) {
            ExpressionRef guard = condition((*one)["guard"]);
            fits = both(Expression::Op::And, std::move(fits), std::move(guard));
        }
        if (is_true(fits)) {
            for (Statement& binding : bindings) rest->push_back(std::move(binding));
            return block(one->list("body"), *rest) || reached;
        }
        Statement made{.op = Op::If,
                       .place = one->place.line != 0 ? one->place : (*one)["pattern"].place};
        made.value = std::move(fits);
        for (Statement& binding : bindings) made.body.push_back(std::move(binding));
        reached |= block(one->list("body"), made.body);
        rest->push_back(std::move(made));
        rest = &rest->back().otherwise;
    }
    return true;
}

ExpressionRef Resolver::pattern(const Syntax& pattern, const ExpressionRef& subject,
                                Block& bindings) {
    if (pattern.is("MatchValue")) {
        return compare(operator_node("Eq"), subject, expression(pattern["value"]), pattern);
    }
    if (pattern.is("MatchSingleton")) {
        return compare(operator_node("Is"), subject, frozen(pattern["value"], pattern, ""),
                       pattern);
    }
    if (pattern.is("MatchOr")) {
        ExpressionRef any = truth(false);
        Block* rest = &bindings;
        for (const Syntax* one : pattern.list("patterns")) {
            Block own;
            const ExpressionRef next = this->pattern(*one, subject, own);
            if (is_false(next)) continue;
            any = both(Expression::Op::Or, std::move(any), next);
            if (is_true(next) || own.empty()) {
                for (Statement& binding : own) rest->push_back(std::move(binding));
                if (is_true(next)) break;
                continue;
            }
            // Names are those of the first alternative that fits.
            Statement choice{.op = Op::If, .place = one->place, .value = next};
            choice.body = std::move(own);
            rest->push_back(std::move(choice));
            rest = &rest->back().otherwise;
        }
        return any;
    }
    if (pattern.is("MatchAs")) {
        ExpressionRef fits = truth(true);
        if (!pattern["pattern"].is_none())
            fits = this->pattern(pattern["pattern"], subject, bindings);
        if (!pattern["name"].is_none()) {
            assign_variable(pattern, pattern["name"].text, subject, bindings);
        }
        return fits;
    }
    const bool is_sequence = subject->type->is_tuple() && subject->type->name != "bytes" &&
                             member_of(subject->type, "__dataclass_fields__") == nullptr;
    if (pattern.is("MatchSequence") && is_sequence) {
        return sequence_pattern(pattern, subject, bindings);
    }
    if (pattern.is("MatchClass")) return class_pattern(pattern, subject, bindings);
    // Arrays, strings and dataclasses are no sequences of patterns, as in Python.
    if (pattern.is("MatchSequence")) return truth(false);
    unsupported(pattern,
                "kernels match values, alternatives, names, tuples, and classes with fields");
}

// (a, b), (first, *rest)
ExpressionRef Resolver::sequence_pattern(const Syntax& pattern, const ExpressionRef& subject,
                                         Block& bindings) {
    const auto parts = pattern.list("patterns");
    const std::size_t count = subject->type->items.size();
    const bool has_star =
        std::ranges::any_of(parts, [](const Syntax* one) { return one->is("MatchStar"); });
    if (has_star ? count + 1 < parts.size() : count != parts.size()) return truth(false);
    ExpressionRef all = truth(true);
    std::size_t next = 0;
    for (const Syntax* one : parts) {
        if (!one->is("MatchStar")) {
            all = both(Expression::Op::And, std::move(all),
                       this->pattern(*one, item(subject, next++), bindings));
            continue;
        }
        Values rest;
        for (std::size_t i = 0; i < count + 1 - parts.size(); ++i) {
            rest.push_back(item(subject, next++));
        }
        if ((*one)["name"].is_none()) continue;
        assign_variable(*one, (*one)["name"].text, tuple(std::move(rest)), bindings);
    }
    return all;
}

// Point(x, y=0) of a named tuple or a dataclass.
ExpressionRef Resolver::class_pattern(const Syntax& pattern, const ExpressionRef& subject,
                                      Block& bindings) {
    const ExpressionRef cls = expression(pattern["cls"]);
    const Type wanted = cls->type;
    const auto by_position = pattern.list("patterns");
    const bool is_class = wanted->family == Family::Element && wanted->element->is_tuple();
    if (!is_class) {
        if (!pattern.list("kwd_attrs").empty() || by_position.size() > 1) {
            unsupported(pattern,
                        fmt::format("{} has no fields that kernels match", described(wanted)));
        }
        const auto fits = is_instance_of(subject, cls, pattern["cls"]);
        if (!fits) return nothing(unknown_type());
        if (!*fits || by_position.empty()) return truth(*fits);
        return this->pattern(*by_position[0], subject, bindings);
    }
    const Type fields = wanted->element;
    if (by_position.size() > fields->names.size()) {
        fail(pattern, fmt::format("{} has {} fields: {}", fields->name, fields->names.size(),
                                  join(fields->names)));
    }
    if (!is_of_class(subject->type, fields)) return truth(false);
    ExpressionRef all = truth(true);
    for (std::size_t i = 0; i < by_position.size(); ++i) {
        all = both(Expression::Op::And, std::move(all),
                   this->pattern(*by_position[i], item(subject, i), bindings));
    }
    const auto keywords = pattern.list("kwd_attrs");
    for (std::size_t i = 0; i < keywords.size(); ++i) {
        const auto found = std::ranges::find(fields->names, keywords[i]->text);
        if (found == fields->names.end()) {
            fail(pattern, fmt::format("{} has no field '{}'{}", fields->name, keywords[i]->text,
                                      suggestion(keywords[i]->text, fields->names)));
        }
        const auto number = static_cast<std::size_t>(found - fields->names.begin());
        all =
            both(Expression::Op::And, std::move(all),
                 this->pattern(*pattern.list("kwd_patterns")[i], item(subject, number), bindings));
    }
    return all;
}

}  // namespace warpwise::script
