// Statements without loops.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "src/script/promotion.hpp"
#include "src/script/resolve/magnitudes.hpp"
#include "src/script/resolve/optional.hpp"
#include "src/script/resolve/order.hpp"
#include "src/script/resolve/resolver.hpp"

namespace warpwise::script {
namespace {

using Op = Statement::Op;

constexpr int kMostStatements = 20000;

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
        if (const auto is_reached = assign_optional(node, out)) return *is_reached;
        if (is_grown_list(node) && assign_grown_list(node, out)) return true;
        if (is_changed_list(node) && assign_list(node, out)) return true;
        if (chooses_elements(node)) {
            return branch(translation_.comprehensions().choice_of(node), out);
        }
        if (assign_elements(node, out)) return true;
        const Syntax& given = node["value"];
        // a, b = (f(x) for x in t)
        const bool is_unpacked = targets[0]->is("Tuple") || targets[0]->is("List");
        if (targets.size() == 1 && targets[0]->is("Name")) takes_none_ = &given;
        ExpressionRef value =
            is_unpacked && given.is("GeneratorExp") ? list_of(given, given) : expression(given);
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
        if (node["target"].is("Name")) takes_none_ = &node["value"];
        if (!node["value"].is_none()) assign(node["target"], expression(node["value"]), out);
        return true;
    }
    if (node.is("Expr")) {
        const Syntax& value = node["value"];
        if (value.is("IfExp") || value.is("BoolOp")) {
            return branch(translation_.comprehensions().choice_of(node), out);
        }
        statement_call_ = &value;
        statement_lines_ = &out;
        if (!value.is("Constant")) evaluate(may_be_none(value), node, out);
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
    if (node.is("ReturnNumber")) return returned_number(node, out);
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

bool Resolver::branch(const Syntax& node, Block& out) {
    const int known = known_truth(node["test"]);
    if (known != -1) return block(node.list(known == 1 ? "body" : "orelse"), out);
    Statement made{.op = Op::If, .place = node.place};
    made.value = condition(node["test"]);
    if (is_true(made.value)) return block(node.list("body"), out);
    if (is_false(made.value)) return block(node.list("orelse"), out);
    if (const std::optional<bool> is_true = truth_behind(made.value)) {
        evaluate(std::move(made.value), node["test"], out);
        return block(node.list(*is_true ? "body" : "orelse"), out);
    }
    note_effect(made.value->effect);
    const Facts before = facts_;
    const Values present = known_presence(facts_);
    facts_.assume(made.value, true);
    const bool body_ends = block(node.list("body"), made.body);
    const Facts behind_body = std::exchange(facts_, before);
    for (const ExpressionRef& flag : present) facts_.raise(flag, 1);
    facts_.assume(made.value, false);
    const bool other_ends = block(node.list("orelse"), made.otherwise);
    // Behind the statement: what the only way here has established.
    if (body_ends && other_ends) {
        // Of what may be None, what both have established, too.
        const Values in_body = known_presence(behind_body);
        const Values in_other = known_presence(facts_);
        facts_ = before;
        join_presence(in_body, in_other);
    }
    if (body_ends && !other_ends) facts_ = behind_body;
    out.push_back(std::move(made));
    return body_ends || other_ends;
}

bool Resolver::returned(const Syntax& node, Block& out) {
    const bool has_value = !node["value"].is_none();
    ExpressionRef value = nothing(none_type());
    if (has_value && is_choice(node["value"])) {
        return branch(translation_.comprehensions().choice_of(node), out);
    }
    if (has_value) {
        value = closed(
            decayed(without_arrays(returned_list(may_be_none(node["value"]), node), node, out)));
    }
    return_value(std::move(value), node, out);
    return false;
}

void Resolver::note_result(const ExpressionRef& value) {
    if (value->type->family == Family::Unknown) return;
    bool changed = value->type->is_number() && enlarge(instance_.result_most, magnitude(value));
    if (instance_.result_is_never_negative && !value->is_never_negative) {
        instance_.result_is_never_negative = false;
        changed = true;
    }
    if (changed) translation_.note_change();
}

void Resolver::return_value(ExpressionRef value, const Syntax& node, Block& out) {
    Statement made{.op = Op::Return, .place = node.place};
    note_effect(value->effect);
    const std::optional<Type> result = result_with(value->type);
    if (!result) {
        const Syntax& own =
            *instance_.node;  // of a local function: `function` is the one around it
        const std::string& name =
            own.is("FunctionDef") ? own["name"].text : instance_.function->name;
        fail(node, fmt::format("'{}' returns {} here and {} before; return one type on every path",
                               name, described(value->type), described(instance_.result)));
    }
    const bool is_value =
        value->type->family != Family::None && value->type->family != Family::Unknown;
    if (instance_.returns == nullptr && is_value) instance_.returns = &node;
    bool changed = *result != instance_.result;
    instance_.result = *result;
    for (const std::size_t origin : origins(value))
        changed |= instance_.returned.insert(origin).second;
    note_result(value);
    if (changed) translation_.note_change();
    if ((*result)->has_value() && value->type->family != Family::Unknown) {
        if (value->type->family == Family::None) evaluate(value, node, out);
        made.value = as_result(std::move(value), *result);
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

}  // namespace warpwise::script
