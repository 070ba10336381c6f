// Variables that hold None on some paths and a value on others: a flag beside each says whether it
// has a value.
//
// Where None would raise a TypeError in Python, as an operand or an index, the thread ends, unless
// a test before has shown that there is a value. Elsewhere such a test is asked for.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <set>

#include "src/script/flow.hpp"
#include "src/script/identifiers.hpp"
#include "src/script/resolve/optional.hpp"
#include "src/script/resolve/resolver.hpp"

namespace warpwise::script {
namespace {

using Op = Statement::Op;

void each_node(const Syntax& node, const std::function<void(const Syntax&)>& visit) {
    if (is_function(node) || is_comprehension(node)) return;
    visit(node);
    for (const Syntax* one : node.items) each_node(*one, visit);
    for (const auto& [name, field] : node.fields) each_node(*field, visit);
}

// Targets with what is assigned to them; null: not by this syntax.
void each_target(const Syntax& target, const Syntax* value,
                 const std::function<void(const Syntax&, const Syntax*)>& visit) {
    if (!target.is("Tuple") && !target.is("List")) return visit(target, value);
    const auto targets = target.list("elts");
    const bool are_written = value != nullptr && (value->is("Tuple") || value->is("List")) &&
                             value->list("elts").size() == targets.size();
    for (std::size_t i = 0; i < targets.size(); ++i) {
        each_target(*targets[i], are_written ? value->list("elts")[i] : nullptr, visit);
    }
}

// What may be None.
bool is_allowed(Type type) {
    if (type->is_tuple()) return std::ranges::all_of(type->items, is_allowed);
    return type->is_scalar() || (type->is_array() && type->layout != Layout::Fixed);
}

// Names that stand where Python raises a TypeError of None.
void collect_operands(const Syntax& node, std::set<const Syntax*>& names) {
    static const std::set<std::string_view> kOrders = {"Lt", "LtE", "Gt", "GtE"};
    const auto add = [&names](const Syntax& one) {
        if (one.is("Name") || one.is("Call")) names.insert(&one);
    };
    if (node.is("BinOp")) {
        add(node["left"]);
        add(node["right"]);
    } else if (node.is("UnaryOp") && !node["op"].is("Not")) {
        add(node["operand"]);
    } else if (node.is("AugAssign")) {
        add(node["target"]);
        add(node["value"]);
    } else if (node.is("Subscript")) {
        add(node["value"]);
        add(node["slice"]);
        for (const Syntax* one : node["slice"].list("elts")) add(*one);
    } else if (node.is("Attribute")) {
        add(node["value"]);
    } else if (node.is("For")) {
        add(node["iter"]);
    } else if (node.is("Compare")) {
        const auto ops = node.list("ops");
        const Syntax* left = &node["left"];
        for (std::size_t i = 0; i < ops.size(); ++i) {
            const Syntax* const right = node.list("comparators")[i];
            if (kOrders.contains(ops[i]->text)) {
                add(*left);
                add(*right);
            }
            left = right;
        }
    } else if (node.is("Call") && node["func"].is("Name")) {
        static const std::set<std::string_view> kFunctions = {"abs", "range", "int", "float"};
        if (kFunctions.contains(node["func"]["id"].text)) {
            for (const Syntax* one : node.list("args")) add(*one);
        }
    }
    for (const Syntax* one : node.items) collect_operands(*one, names);
    for (const auto& [name, field] : node.fields) collect_operands(*field, names);
}

}  // namespace

bool is_none_literal(const Syntax& node) {
    return node.is("Constant") && node["value"].is_none();
}

bool is_choice(const Syntax& node) {
    const auto has_none = [](const Syntax& one) { return is_none_literal(one) || is_choice(one); };
    if (!node.is("IfExp")) return false;
    const bool is_none = is_none_literal(node["body"]) && is_none_literal(node["orelse"]);
    return !is_none && (has_none(node["body"]) || has_none(node["orelse"]));
}

ExpressionRef zero_of(Type type) {
    if (type->is_number()) {
        return type->is_bool() ? truth(false) : cast(whole(0), type);
    }
    if (!type->is_tuple()) return nullptr;
    std::vector<ExpressionRef> items;
    for (const Type one : type->items) {
        items.push_back(zero_of(one));
        if (!items.back()) return nullptr;
    }
    return tuple(std::move(items), type);
}

void Resolver::add_flag(Variable& variable) {
    auto flag = std::make_shared<Variable>();
    flag->name = identifier(variable.name) + "_is_set";
    flag->type = number_type(Kind::Bool);
    flag->assignments = 2;
    flag->most = 1;
    variable.has_value = flag;
    translation_.note_change();
}

// Those that get None in one place and something else in another.
void Resolver::find_optional() {
    const auto& numbers = instance_.flow.variable_of;
    std::set<std::size_t> with_none;
    std::set<std::size_t> with_value;
    const auto note = [&](const Syntax& target, const Syntax* value) {
        const auto number = numbers.find(&target);
        if (number == numbers.end()) return;
        const bool is_none = value != nullptr && is_none_literal(*value);
        (is_none ? with_none : with_value).insert(number->second);
    };
    const std::function<void(const Syntax&, const Syntax*)> note_value = [&](const Syntax& target,
                                                                             const Syntax* value) {
        if (value == nullptr || !is_choice(*value)) return note(target, value);
        note_value(target, &(*value)["body"]);
        note_value(target, &(*value)["orelse"]);
    };
    for (const Syntax* line : instance_.node->list("body")) {
        each_node(*line, [&](const Syntax& node) {
            if (node.is("Assign")) {
                for (const Syntax* one : node.list("targets")) {
                    each_target(*one, &node["value"], note_value);
                }
            } else if (node.is("AnnAssign") && !node["value"].is_none()) {
                note_value(node["target"], &node["value"]);
            } else if (node.is("AugAssign") || node.is("For") || node.is("NamedExpr")) {
                each_target(node["target"], nullptr, note);
            }
        });
    }
    for (const std::size_t number : with_none) {
        Variable& variable = *instance_.variables[number];
        if (with_value.contains(number) && !variable.is_parameter) add_flag(variable);
    }
}

// The flag of a name whose variable may be None here; null for other syntax.
ExpressionRef Resolver::presence_of(const Syntax& node) const {
    if (!node.is("Name")) return nullptr;
    const auto number = instance_.flow.variable_of.find(&node);
    if (number == instance_.flow.variable_of.end() || bound_.contains(number->second)) {
        return nullptr;
    }
    const std::shared_ptr<Variable>& flag = instance_.variables[number->second]->has_value;
    if (!flag) return nullptr;
    const ExpressionRef presence = variable(flag);
    return facts_.lower_bound(presence).value_or(0) >= 1 ? nullptr : presence;
}

// Whether it stands where Python raises a TypeError of None.
bool Resolver::is_operand(const Syntax& node) {
    if (operands_.empty()) collect_operands(*instance_.node, operands_);
    return operands_.contains(&node);
}

// The value, where the thread does not end because the flag is not set.
ExpressionRef Resolver::behind_flag(const ExpressionRef& value, const ExpressionRef& presence,
                                    int raise) {
    ExpressionRef flag = checked("!{0}", {presence}, raise);
    return let(temporary("is_set", number_type(Kind::Bool)), std::move(flag), value);
}

// A variable's value where it is read.
ExpressionRef Resolver::present(const Syntax& node, const ExpressionRef& value) {
    const ExpressionRef presence = presence_of(node);
    if (!presence) return value;
    const std::string name = node["id"].text;
    if (!is_operand(node)) {
        unsupported(node, fmt::format("'{}' may be None here; test it before, with `{} is not "
                                      "None`",
                                      name, name));
    }
    const int raise = implicit_end("TypeError", fmt::format("'{}' is None", name), node);
    return behind_flag(value, presence, raise);
}

// x is None, x != 3, of a variable that may be None; null for other comparisons.
ExpressionRef Resolver::optional_comparison(const Syntax& node) {
    const Type boolean = number_type(Kind::Bool);
    const Syntax& op = *node.list("ops")[0];
    const bool is_equality = op.is("Eq") || op.is("NotEq");
    if (!is_equality && !op.is("Is") && !op.is("IsNot")) return nullptr;
    const bool is_negated = op.is("NotEq") || op.is("IsNot");
    const Syntax& left = node["left"];
    const Syntax& right = *node.list("comparators")[0];
    for (const auto& [one, other] : {std::pair(&left, &right), std::pair(&right, &left)}) {
        if (is_none_literal(*other)) {
            if (const ExpressionRef is_set = has_result(*one, false)) {
                return is_negated ? is_set : prefix("!", is_set, boolean);
            }
        }
        if (!one->is("Name") || !instance_.flow.variable_of.contains(one)) continue;
        const std::size_t number = instance_.flow.variable_of.at(one);
        const std::shared_ptr<Variable>& own = instance_.variables[number];
        if (!own->has_value) continue;
        const ExpressionRef flag = variable(own->has_value);
        if (is_none_literal(*other)) return is_negated ? flag : prefix("!", flag, boolean);
        if (!is_equality || !presence_of(*one) || presence_of(*other)) continue;
        const ExpressionRef value = expression(*other);
        if (own->type->family == Family::Unknown || is_unknown(value)) {
            return nothing(unknown_type());
        }
        if (value->effect == Effect::Acts) continue;
        ExpressionRef same = both(Expression::Op::And, flag,
                                  compare(operator_node("Eq"), variable(own), value, node));
        return is_negated ? prefix("!", std::move(same), boolean) : same;
    }
    return nullptr;
}

// Behind an assignment of a value, or of None.
void Resolver::set_presence(const Variable& variable, ExpressionRef presence, const Syntax& node,
                            Block& out) {
    const ExpressionRef flag = script::variable(variable.has_value);
    facts_.forget(*variable.has_value);
    if (is_true(presence)) facts_.raise(flag, 1);
    out.push_back({.op = Op::Assign,
                   .place = node.place,
                   .variable = variable.has_value,
                   .value = std::move(presence)});
}

void Resolver::assign_none(const std::shared_ptr<Variable>& variable, const Syntax& node,
                           Block& out) {
    facts_.forget(*variable);
    if (ExpressionRef zero = zero_of(variable->type)) {
        out.push_back({.op = Op::Assign,
                       .place = node.place,
                       .variable = variable,
                       .value = std::move(zero)});
    }
    set_presence(*variable, truth(false), node, out);
}

void Resolver::require_optional(const Variable& variable, Type type, const Syntax& node) const {
    if (type->family == Family::Unknown || is_allowed(type)) return;
    fail(node, fmt::format("'{}' is {} here and None elsewhere; what may be None is a number, a "
                           "view of an array or a tuple of them in kernels",
                           variable.name, described(type)));
}

// y = x and out[i] = x of what may be None; nothing where it is another
// assignment; else whether its end is reached.
std::optional<bool> Resolver::assign_optional(const Syntax& node, Block& out) {
    const auto targets = node.list("targets");
    const Syntax& target = *targets[0];
    const Syntax& given = node["value"];
    if (targets.size() == 1 && target.is("Name") && is_choice(given)) {
        return branch(translation_.comprehensions().choice_of(node), out);
    }
    const ExpressionRef presence = targets.size() == 1 ? presence_of(given) : nullptr;
    if (!presence) return std::nullopt;
    const std::shared_ptr<Variable>& source =
        instance_.variables[instance_.flow.variable_of.at(&given)];
    const ExpressionRef value = variable(source);
    if (target.is("Subscript")) {
        const ExpressionRef place = place_of(target);
        if (is_unknown(place) || is_unknown(value)) return true;
        if (!place->type->is_number() || !value->type->is_number()) return std::nullopt;
        if (place->type->is_real()) {  // NumPy's None is not a number
            constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
            ExpressionRef one = select(presence, cast(value, place->type),
                                       cast(real(kNan), place->type), place->type);
            store(place, std::move(one), target, out);
            return true;
        }
        if (!place->type->is_integer()) return std::nullopt;
        const int raise = implicit_end("TypeError", "None is no element of an array", given);
        store(place, behind_flag(value, presence, raise), target, out);
        return true;
    }
    if (!target.is("Name")) return std::nullopt;
    const std::shared_ptr<Variable>& to =
        instance_.variables[instance_.flow.variable_of.at(&target)];
    if (to->is_parameter) return std::nullopt;
    if (!to->has_value) add_flag(*to);
    set_type(*to, value, target);
    if (is_unknown(value)) return true;
    require_optional(*to, value->type, target);
    out.push_back(
        {.op = Op::Assign, .place = node.place, .variable = to, .value = cast(value, to->type)});
    set_presence(*to, presence, node, out);
    return true;
}

// In a turn of a loop, of what it assigns.
void Resolver::assume_presence(const Syntax& target) {
    each_target(target, nullptr, [this](const Syntax& one, const Syntax*) {
        const auto number = instance_.flow.variable_of.find(&one);
        if (number == instance_.flow.variable_of.end()) return;
        const std::shared_ptr<Variable>& flag = instance_.variables[number->second]->has_value;
        if (flag) facts_.raise(variable(flag), 1);
    });
}

// Behind both branches of a statement.
void Resolver::join_presence(const Values& one, const Values& other) {
    for (const ExpressionRef& flag : one) {
        const bool is_in_both = std::ranges::any_of(
            other, [&flag](const auto& known) { return known->variable == flag->variable; });
        if (is_in_both) facts_.raise(flag, 1);
    }
}

// The flags that are known to be set.
Resolver::Values Resolver::known_presence(const Facts& facts) const {
    Values flags;
    for (const auto& one : instance_.variables) {
        if (!one->has_value) continue;
        ExpressionRef flag = variable(one->has_value);
        if (facts.lower_bound(flag).value_or(0) >= 1) flags.push_back(std::move(flag));
    }
    return flags;
}

}  // namespace warpwise::script
