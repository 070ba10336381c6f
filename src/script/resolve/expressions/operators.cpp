// Expressions by their kind, operators, assignments in expressions, tuples.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <map>

#include "src/base/text.hpp"
#include "src/script/promotion.hpp"
#include "src/script/resolve/magnitudes.hpp"
#include "src/script/resolve/resolver.hpp"
#include "src/script/resolve/values/chars.hpp"
#include "src/script/resolve/values/times.hpp"

namespace warpwise::script {
namespace {

const std::map<std::string_view, std::string_view> kBinary = {
    {"Add", "+"},     {"Sub", "-"},     {"Mult", "*"},   {"Div", "/"},   {"FloorDiv", "//"},
    {"Mod", "%"},     {"Pow", "**"},    {"BitAnd", "&"}, {"BitOr", "|"}, {"BitXor", "^"},
    {"LShift", "<<"}, {"RShift", ">>"}, {"MatMult", "@"}};

bool is_natural(const ExpressionRef& value) {
    return value->constant && value->constant->whole && *value->constant->whole >= 0;
}

bool is_power_of_two(const ExpressionRef& value) {
    return is_natural(value) &&
           std::has_single_bit(static_cast<std::uint64_t>(*value->constant->whole));
}

}  // namespace

ExpressionRef Resolver::expression(const Syntax& node) {
    ExpressionRef value = resolve_expression(node);
    if (value->type->family == Family::Unknown) {
        const bool is_call = node.is("Call") && node["func"].is("Name");
        translation_.note_unknown(function_.source, node.place,
                                  is_call ? node["func"]["id"].text + "()" : "this expression");
    }
    return value;
}

ExpressionRef Resolver::resolve_expression(const Syntax& node) {
    if (const auto found = stands_for_.find(&node); found != stands_for_.end()) {
        return found->second;
    }
    if (node.is("Name")) return name(node);
    if (node.is("Constant")) return literal(node);
    if (node.is("Known")) {  // of a call that the translation writes
        return nothing(intern({.family = Family::Known, .name = node["name"].text}));
    }
    if (node.is("BinOp") || node.is("UnaryOp")) {
        if (ExpressionRef value = literal_result(node)) return value;
    }
    if (node.is("BinOp")) {
        const auto op = kBinary.find(node["op"].text);
        if (node["op"].is("MatMult")) {
            const std::array both{&node["left"], &node["right"]};
            if (ExpressionRef product = number_of_elements("dot", both, node)) return product;
        }
        ExpressionRef left = expression(node["left"]);
        return binary(op == kBinary.end() ? "?" : op->second, std::move(left),
                      expression(node["right"]), node);
    }
    if (node.is("UnaryOp")) return unary(node);
    if (node.is("Compare")) return comparison(node);
    if (node.is("BoolOp")) return bool_operation(node);
    if (node.is("IfExp")) return conditional(node);
    if (node.is("Call")) return called(node);
    if (node.is("Attribute")) return attribute(node);
    if (node.is("Subscript")) return subscript(node);
    if (node.is("Tuple") || node.is("List")) return tuple_of(node);
    if (node.is("NamedExpr")) return named(node);
    if (node.is("Lambda")) {
        return local_value(node, "<lambda>");
    }
    if (node.is("ListComp")) return list_of(node, node);
    if (node.is("Dict")) return dict_of(node);
    static const std::map<std::string_view, std::string_view> refused = {
        {"Set", "sets"},
        {"SetComp", "set comprehensions"},
        {"DictComp", "dict comprehensions"},
        {"GeneratorExp",
         "generators; a generator expression is an argument of sum(), any() and "
         "their like, tuple() or list()"},
        {"Await", "await"},
        {"Yield", "generators (yield)"},
        {"YieldFrom", "generators (yield from)"},
        {"JoinedStr", "f-strings outside of print()"},
        {"TemplateStr", "t-strings"},
        {"Starred", "starred values here"}};
    const auto found = refused.find(node.text);
    unsupported(node, fmt::format("kernels have no {}; write it with numbers, tuples and loops",
                                  found == refused.end() ? node.text : found->second));
}

ExpressionRef Resolver::binary(std::string_view op, ExpressionRef a, ExpressionRef b,
                               const Syntax& node) {
    if (is_unknown(a) || is_unknown(b)) return nothing(unknown_type());
    if ((a->type->is_chars() || b->type->is_chars()) && op == "+")
        return Chars(*this).sum(a, b, node);
    const auto refuse_types = [&] {
        fail(node, fmt::format("there is no {} for {} and {}", op, described(a->type),
                               described(b->type)));
    };
    if (a->type->is_tuple() || b->type->is_tuple()) {
        if (ExpressionRef result = class_operation(op, a, b, node)) return result;
        require_items(a->type, node);
        require_items(b->type, node);
        if (op == "*" && !a->type->is_tuple() && a->constant) std::swap(a, b);
        Values items;
        Lets lets;
        const auto add = [&](const ExpressionRef& from) {
            for (ExpressionRef& one : items_in_turn(from)) items.push_back(std::move(one));
        };
        if (op == "+" && a->type->is_tuple() && b->type->is_tuple()) {
            add(a);
            add(b);
        } else if (op == "*" && a->type->is_tuple() && b->constant && b->constant->whole &&
                   *b->constant->whole <= 64) {
            a = opened(std::move(a), lets);
            for (std::int64_t i = 0; i < *b->constant->whole; ++i) add(a);
        } else if (op == "*" && a->type->is_tuple() && is_whole_number(b->type)) {
            fail(node,
                 "kernels repeat tuples by constants of up to 64; for more items take a list, "
                 "acc = [0] * 1000, or cuda.local.array()");
        } else {
            refuse_types();
        }
        return wrapped(lets, tuple(std::move(items)));
    }
    if (a->type->family == Family::Text && b->type->family == Family::Text && op == "+") {
        if (std::max(a->effect, b->effect) == Effect::Acts) {
            unsupported(node, "give the string of a function that acts a name before");
        }
        return nothing(intern({.family = Family::Text, .name = a->type->name + b->type->name}));
    }
    if (op == "@" && a->type->is_array() && b->type->is_array()) return dot(a, b, node);
    if (a->type->is_array() || b->type->is_array()) {
        const auto compute = [&](const Values& items) {
            return binary(op, items[0], items[1], node);
        };
        if (ExpressionRef made = op == "@" ? nullptr : each_element({a, b}, node, compute)) {
            return made;
        }
        fail(node, fmt::format("{} and {}: kernels compute with elements; write x[i] {} y[i], or "
                               "assign to an array, z[:] = x {} y",
                               described(a->type), described(b->type), op, op));
    }
    if (a->type->is_time() || b->type->is_time()) return Times(*this).operation(op, a, b, node);
    if (!a->type->is_number() || !b->type->is_number()) refuse_types();
    if (ExpressionRef value = folded(op, a, b)) return value;
    // A natural number beside uint64 is one of its numbers.
    const bool keeps_unsigned = op != "-" && op != "/" && op != "**" && op != "<<" && op != ">>";
    if (keeps_unsigned && a->type->kind == Kind::UInt64 && is_natural(b)) b = cast(b, a->type);
    if (keeps_unsigned && b->type->kind == Kind::UInt64 && is_natural(a)) a = cast(a, b->type);
    if (op == "**") return power(std::move(a), std::move(b), node);
    const std::optional<Kind> kind =
        op == "@" ? std::nullopt : binary_kind(op, a->type->kind, b->type->kind);
    if (!kind) refuse_types();
    return number_operation(op, std::move(a), std::move(b), *kind, node);
}

ExpressionRef Resolver::number_operation(std::string_view op, ExpressionRef a, ExpressionRef b,
                                         Kind kind, const Syntax& node) {
    const Type type = number_type(kind);
    const bool is_shift = op == "<<" || op == ">>";
    a = cast(std::move(a), type);
    b = cast(std::move(b), is_shift ? number_type(Kind::Int64) : type);
    if (is_shift) {
        const bool is_plain = is_natural(b) && *b->constant->whole < 64;
        if (is_plain) return infix(op, std::move(a), std::move(b), type);
        const bool stays = op == ">>" && is_surely_natural(a);
        return call(op == "<<" ? "__ww_py_shift_left" : "__ww_py_shift_right",
                    {std::move(a), std::move(b)}, type, Effect::Pure, stays);
    }
    if (ExpressionRef rest = op == "%" ? near_remainder(a, b) : nullptr) return rest;
    if (op == "/" || op == "//" || op == "%") b = checked_divisor(std::move(b), node);
    if (op == "//" || op == "%") {
        const bool is_remainder = op == "%";
        if (type->is_whole() && type->is_signed() && is_power_of_two(b)) {
            const auto divisor = static_cast<std::uint64_t>(*b->constant->whole);
            if (!is_remainder)
                return infix(">>", std::move(a), whole(std::countr_zero(divisor)), type);
            return infix("&", std::move(a), cast(whole(*b->constant->whole - 1), type), type);
        }
        if (type->is_whole()) {
            const bool is_plain =
                !type->is_signed() || (is_surely_natural(a) && is_surely_natural(b));
            if (is_plain) return infix(is_remainder ? "%" : "/", std::move(a), std::move(b), type);
        }
        const bool never_negative = type->is_whole() && is_surely_natural(b) && is_remainder;
        const std::optional<std::uint64_t> most =
            never_negative ? std::optional(magnitude(b)) : std::nullopt;
        return with_most(call(is_remainder ? "__ww_py_mod" : "__ww_py_floor_div",
                              {std::move(a), std::move(b)}, type, Effect::Pure, never_negative),
                         most);
    }
    return bounded(infix(op, std::move(a), std::move(b), type));
}

ExpressionRef Resolver::bounded(ExpressionRef value) const {
    if (value->is_never_negative || facts_.lower_bound(value).value_or(-1) < 0) return value;
    if (has_large_constants(*value)) return value;
    auto made = std::make_shared<Expression>(*value);
    made->is_never_negative = true;
    return made;
}

ExpressionRef Resolver::power(ExpressionRef a, ExpressionRef b, const Syntax& node) {
    const bool is_negative =
        b->constant && b->constant->whole && *b->constant->whole < 0 && a->type->is_whole();
    const std::optional<Kind> kind =
        is_negative ? Kind::Float64 : binary_kind("**", a->type->kind, b->type->kind);
    if (!kind) fail(node, "there is no ** for these types");
    const Type type = number_type(*kind);
    if (is_natural(b) && !type->is_complex()) {
        const std::int64_t exponent = *b->constant->whole;
        if (exponent == 1) return cast(std::move(a), type);
        if (exponent == 2) {
            Lets lets;
            const ExpressionRef base = once(cast(std::move(a), type), "base", lets);
            ExpressionRef square = infix("*", base, base, type);
            if (type->is_whole()) {
                auto made = std::make_shared<Expression>(*square);
                made->is_never_negative = true;
                square = std::move(made);
            }
            return wrapped(lets, std::move(square));
        }
    }
    if (type->is_whole()) {
        const bool stays = is_surely_natural(a) && is_natural(b) &&
                           std::pow(static_cast<long double>(magnitude(a)),
                                    static_cast<long double>(*b->constant->whole)) < 9e18L;
        return call("__ww_py_pow", {cast(std::move(a), type), cast(std::move(b), type)}, type,
                    Effect::Pure, stays);
    }
    return call(type->is_complex() ? "__ww_py_pow" : "::pow",
                {cast(std::move(a), type), cast(std::move(b), type)}, type);
}

ExpressionRef Resolver::unary(const Syntax& node) {
    if (node["op"].is("Not")) return condition(node);
    const std::string_view op = node["op"].is("USub") ? "-" : node["op"].is("UAdd") ? "+" : "~";
    const ExpressionRef operand = expression(node["operand"]);
    if (op == "~" && is_of_elements(node["operand"])) return inverted(operand, node);
    return negated(op, operand, node);
}

// ~ of an element of an array: of a bool it is one, as in NumPy.
ExpressionRef Resolver::inverted(const ExpressionRef& element, const Syntax& node) {
    const bool is_bool = element->type->is_number() && element->type->is_bool();
    return is_bool ? prefix("!", element, element->type) : negated("~", element, node);
}

// -x, +x and ~x.
ExpressionRef Resolver::negated(std::string_view op, const ExpressionRef& operand,
                                const Syntax& node) {
    if (is_unknown(operand)) return operand;
    if (ExpressionRef result = class_sign(op, operand, node)) return result;
    if (operand->type->is_time()) return Times(*this).sign(op, operand, node);
    if (operand->type->is_array()) {
        const auto compute = [&](const Values& items) {
            return op == "~" ? inverted(items[0], node) : negated(op, items[0], node);
        };
        if (ExpressionRef made = each_element({operand}, node, compute)) return made;
    }
    const std::optional<Kind> kind =
        operand->type->is_number() ? unary_kind(op, operand->type->kind) : std::nullopt;
    if (!kind) fail(node, fmt::format("there is no {} for {}", op, described(operand->type)));
    if (operand->constant) {
        const Constant& value = *operand->constant;
        if (op == "-" && value.whole && *value.whole != INT64_MIN) return whole(-*value.whole);
        if (op == "-" && value.large && *value.large == std::uint64_t{1} << 63) {
            return whole(INT64_MIN);
        }
        if (op == "-" && value.real) return real(-*value.real, operand->type->kind);
        if (op == "~" && value.whole) return whole(~*value.whole);
    }
    ExpressionRef converted = cast(operand, number_type(*kind));
    if (op == "+") return converted;
    return prefix(op, std::move(converted), number_type(*kind));
}

ExpressionRef Resolver::once(ExpressionRef value, std::string_view name, Lets& lets) const {
    if (is_simple(value) || is_unknown(value)) return value;
    std::shared_ptr<Variable> held = temporary_for(value, name);
    ExpressionRef read = variable(held);
    lets.emplace_back(std::move(held), std::move(value));
    return read;
}

ExpressionRef Resolver::wrapped(Lets& lets, ExpressionRef body) {
    for (auto one = lets.rbegin(); one != lets.rend(); ++one) {
        body = let(one->first, one->second, std::move(body));
    }
    return body;
}

const Syntax& Resolver::operator_node(std::string_view kind) {
    static const auto nodes = [] {
        std::map<std::string_view, Syntax> made;
        for (const std::string_view one : {"Eq", "NotEq", "Lt", "LtE", "Gt", "GtE", "Is"}) {
            made[one].form = Syntax::Form::Node;
            made[one].text = one;
        }
        return made;
    }();
    return nodes.at(kind);
}

ExpressionRef Resolver::named(const Syntax& node) {
    const Syntax& target = node["target"];
    const std::shared_ptr<Variable>& variable =
        instance_.variables[instance_.flow.variable_of.at(&target)];
    if (variable->has_value) {
        unsupported(node, fmt::format("'{}' may be None elsewhere; assign to it by a statement",
                                      variable->name));
    }
    ExpressionRef value = decayed(expression(node["value"]));
    check_other_name(value->type, target);
    set_type(*variable, value, target);
    if (!value->type->is_number() && !value->type->is_tuple() && !value->type->is_array()) {
        return value;
    }
    auto made = std::make_shared<Expression>();
    made->op = Expression::Op::Let;
    made->type = variable->type;
    made->variable = variable;
    made->effect = Effect::Acts;
    made->is_never_negative = variable->is_never_negative;
    made->most = variable->most;
    made->operands = {cast(std::move(value), variable->type), script::variable(variable)};
    return made;
}

ExpressionRef Resolver::tuple_of(const Syntax& node) {
    Values items;
    for (const Syntax* one : node.list("elts")) {
        if (one->is("Starred")) {
            const ExpressionRef rest = expression((*one)["value"]);
            if (!rest->type->is_tuple()) fail(*one, "only tuples can be starred");
            require_items(rest->type, *one);
            for (ExpressionRef& item : items_in_turn(rest)) items.push_back(std::move(item));
            continue;
        }
        items.push_back(decayed(expression(*one)));
        if (is_unknown(items.back())) return items.back();
        if (!items.back()->type->has_value() && items.back()->effect == Effect::Acts) {
            unsupported(*one, "this call returns nothing; make it a statement of its own");
        }
    }
    return tuple(std::move(items));
}

}  // namespace warpwise::script
