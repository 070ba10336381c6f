// Operators, comparisons and conditions.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <map>

#include "src/base/text.hpp"
#include "src/script/promotion.hpp"
#include "src/script/resolve/magnitudes.hpp"
#include "src/script/resolve/resolver.hpp"

namespace warpwise::script {
namespace {

const std::map<std::string_view, std::string_view> kBinary = {
    {"Add", "+"},     {"Sub", "-"},     {"Mult", "*"},   {"Div", "/"},   {"FloorDiv", "//"},
    {"Mod", "%"},     {"Pow", "**"},    {"BitAnd", "&"}, {"BitOr", "|"}, {"BitXor", "^"},
    {"LShift", "<<"}, {"RShift", ">>"}, {"MatMult", "@"}};
const std::map<std::string_view, std::string_view> kComparisons = {
    {"Eq", "=="}, {"NotEq", "!="}, {"Lt", "<"}, {"LtE", "<="}, {"Gt", ">"}, {"GtE", ">="}};

bool is_unknown(const ExpressionRef& value) {
    return value->type->family == Family::Unknown;
}

bool is_natural(const ExpressionRef& value) {
    return value->constant && value->constant->whole && *value->constant->whole >= 0;
}

bool is_power_of_two(const ExpressionRef& value) {
    return is_natural(value) &&
           std::has_single_bit(static_cast<std::uint64_t>(*value->constant->whole));
}

bool is_mixed(Type a, Type b) {
    const auto is_wide = [](Type type) { return type->kind == Kind::UInt64; };
    return a->is_integer() && b->is_integer() &&
           ((is_wide(a) && b->is_signed()) || (is_wide(b) && a->is_signed()));
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
    if (node.is("Name")) return name(node);
    if (node.is("Constant")) return literal(node);
    if (node.is("BinOp") || node.is("UnaryOp")) {
        if (ExpressionRef value = literal_result(node)) return value;
    }
    if (node.is("BinOp")) {
        const auto op = kBinary.find(node["op"].text);
        ExpressionRef left = expression(node["left"]);
        return binary(op == kBinary.end() ? "?" : op->second, std::move(left),
                      expression(node["right"]), node);
    }
    if (node.is("UnaryOp")) return unary(node);
    if (node.is("Compare")) return comparison(node);
    if (node.is("BoolOp")) return bool_operation(node);
    if (node.is("IfExp")) return conditional(node);
    if (node.is("Call")) return call_of(node);
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

ExpressionRef Resolver::condition(const Syntax& node) {
    if (node.is("BoolOp")) {
        const bool is_and = node["op"].is("And");
        const Facts before = facts_;
        ExpressionRef all;
        for (const Syntax* value : node.list("values")) {
            ExpressionRef next = condition(*value);
            facts_.assume(next, is_and);
            const bool decides = is_and ? is_false(next) : is_true(next);
            if (decides && (!all || all->effect == Effect::Pure)) {
                facts_ = before;
                return next;  // Python does not come to the others
            }
            if (!all || (is_and ? is_true(all) : is_false(all))) {
                all = std::move(next);
                continue;
            }
            auto made = std::make_shared<Expression>();
            made->op = is_and ? Expression::Op::And : Expression::Op::Or;
            made->type = number_type(Kind::Bool);
            made->effect = std::max(all->effect, next->effect);
            made->operands = {std::move(all), std::move(next)};
            all = std::move(made);
        }
        facts_ = before;
        return all;
    }
    if (node.is("UnaryOp") && node["op"].is("Not")) {
        return prefix("!", condition(node["operand"]), number_type(Kind::Bool));
    }
    return truth_of(expression(node), node);
}

ExpressionRef Resolver::truth_of(const ExpressionRef& value, const Syntax& node) {
    const Type type = value->type;
    if (is_unknown(value)) return value;
    if (type->is_number()) {
        if (value->constant || type->is_bool()) return cast(value, number_type(Kind::Bool));
        return infix("!=", value, cast(whole(0), type), number_type(Kind::Bool));
    }
    if (type->is_time()) {
        return infix("!=", call("__ww_py_time", {value}, number_type(Kind::Int64)), whole(0),
                     number_type(Kind::Bool));
    }
    if (type->is_chars()) {
        return infix("!=", chars_length(value), whole(0), number_type(Kind::Bool));
    }
    if (type->family == Family::None) return truth(false);
    if (type->is_tuple()) {
        for (const char* name : {"__bool__", "__len__"}) {
            const ExpressionRef own = class_method(name, {value}, node);
            if (own) return truth_of(own, node);
        }
        return truth(!type->items.empty() || member_of(type, "__dataclass_fields__") != nullptr);
    }
    if (type->family == Family::Text) return truth(!type->name.empty());
    if (type->is_array() && type->is_list) return truth_of(extent(value, 0), node);
    if (type->family == Family::Dict) return truth(!type->items.empty());
    if (type->is_array()) {
        fail(node, "an array is neither true nor false; compare an element, or its size");
    }
    fail(node, fmt::format("{} is no condition", described(type)));
}

ExpressionRef Resolver::binary(std::string_view op, ExpressionRef a, ExpressionRef b,
                               const Syntax& node) {
    if (is_unknown(a) || is_unknown(b)) return nothing(unknown_type());
    if ((a->type->is_chars() || b->type->is_chars()) && op == "+") return chars_sum(a, b, node);
    const auto refuse_types = [&] {
        fail(node, fmt::format("there is no {} for {} and {}", op, described(a->type),
                               described(b->type)));
    };
    if (a->type->is_tuple() || b->type->is_tuple()) {
        if (ExpressionRef result = class_operation(op, a, b, node)) return result;
        require_items(a->type, node);
        require_items(b->type, node);
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
        } else {
            refuse_types();
        }
        return wrapped(lets, tuple(std::move(items)));
    }
    if (a->type->family == Family::Text && b->type->family == Family::Text && op == "+") {
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
        fail(node, fmt::format("{} and {}: kernels compute with elements; write x[i] {} y[i]",
                               described(a->type), described(b->type), op));
    }
    if (a->type->is_time() || b->type->is_time()) return time_operation(op, a, b, node);
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
    return negated(op, expression(node["operand"]), node);
}

// -x, +x and ~x.
ExpressionRef Resolver::negated(std::string_view op, const ExpressionRef& operand,
                                const Syntax& node) {
    if (is_unknown(operand)) return operand;
    if (ExpressionRef result = class_sign(op, operand, node)) return result;
    if (operand->type->is_time()) return time_sign(op, operand, node);
    if (operand->type->is_array()) {
        const auto compute = [&](const Values& items) { return negated(op, items[0], node); };
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

// a && b, a || b.
ExpressionRef Resolver::both(Expression::Op how, ExpressionRef a, ExpressionRef b) {
    const bool is_and = how == Expression::Op::And;
    if (is_and ? is_true(a) : is_false(a)) return b;
    if (is_and ? is_false(a) : is_true(a)) return a;
    // What decides behind an operand that only has a value.
    if (a->effect == Effect::Pure && (is_and ? is_false(b) : is_true(b))) return b;
    auto made = std::make_shared<Expression>();
    made->op = how;
    made->type = number_type(Kind::Bool);
    made->effect = std::max(a->effect, b->effect);
    made->operands = {std::move(a), std::move(b)};
    return made;
}

ExpressionRef Resolver::comparison(const Syntax& node) {
    const auto ops = node.list("ops");
    const auto others = node.list("comparators");
    ExpressionRef left = expression(node["left"]);
    Lets lets;
    if (ops.size() == 1) {
        if ((ops[0]->is("In") || ops[0]->is("NotIn")) && sequence_name(*others[0]) == "range") {
            ExpressionRef found = in_range(left, arguments_of(*others[0]), *others[0]);
            return ops[0]->is("In") ? found : prefix("!", found, number_type(Kind::Bool));
        }
        // A set that only a search sees is as good as a tuple.
        const bool is_search = others[0]->is("Set") && (ops[0]->is("In") || ops[0]->is("NotIn"));
        ExpressionRef right = is_search ? tuple_of(*others[0]) : expression(*others[0]);
        return compare(*ops[0], std::move(left), std::move(right), node);
    }
    Values parts;
    for (std::size_t i = 0; i < ops.size(); ++i) {
        ExpressionRef right = expression(*others[i]);
        Lets own;
        if (i + 1 < ops.size()) {
            left = before(std::move(left), right, own);
            right = once(std::move(right), "middle", own);
        }
        parts.push_back(wrapped(own, compare(*ops[i], std::move(left), right, node)));
        left = std::move(right);
    }
    // From the right: what a comparison holds is seen in all that come after it.
    ExpressionRef all = std::move(parts.back());
    for (std::size_t i = parts.size() - 1; i-- > 0;) {
        all = both(Expression::Op::And, std::move(parts[i]), std::move(all));
    }
    return all;
}

ExpressionRef Resolver::compare(const Syntax& op, ExpressionRef a, ExpressionRef b,
                                const Syntax& node) {
    const Type boolean = number_type(Kind::Bool);
    if (is_unknown(a) || is_unknown(b)) return nothing(unknown_type());
    if (op.is("Is") || op.is("IsNot")) {
        const bool with_none = a->type->family == Family::None || b->type->family == Family::None;
        if (with_none) return truth((a->type == b->type) == op.is("Is"));
        const bool are_bools = a->type->is_number() && a->type->is_bool() && b->type->is_bool();
        const bool are_members =
            (a->is_member || b->is_member) && a->type->is_number() && b->type->is_number();
        if (are_members) return compare(operator_node(op.is("Is") ? "Eq" : "NotEq"), a, b, node);
        if (!are_bools) {
            unsupported(node,
                        "kernels compare with 'is' only None, bools and members of enums; use ==");
        }
        return infix(op.is("Is") ? "==" : "!=", std::move(a), std::move(b), boolean);
    }
    if (op.is("In") || op.is("NotIn")) {
        ExpressionRef found = contained(std::move(a), b, node);
        return op.is("In") ? found : prefix("!", std::move(found), boolean);
    }
    const std::string_view text = kComparisons.at(op.text);
    const bool is_equality = text == "==" || text == "!=";
    if (a->type->is_chars() || b->type->is_chars()) return chars_comparison(text, a, b, node);
    if (a->type->is_tuple() || b->type->is_tuple()) {
        if (ExpressionRef result = class_operation(text, a, b, node)) return result;
    }
    if (a->type->is_array() || b->type->is_array()) {
        const auto each = [&](const Values& items) {
            return compare(op, items[0], items[1], node);
        };
        if (ExpressionRef made = each_element({a, b}, node, each)) return made;
    }
    const bool are_texts = a->type->family == Family::Text && b->type->family == Family::Text;
    if (are_texts && is_equality) return truth((a->type == b->type) == (text == "=="));
    const bool are_types = a->type->family == Family::Element && b->type->family == Family::Element;
    if (are_types && is_equality) {
        return truth((a->type->element == b->type->element) == (text == "=="));
    }
    if (a->type->family == Family::None || b->type->family == Family::None) {
        if (is_equality) return truth((a->type == b->type) == (text == "=="));
    }
    if (a->type->is_tuple() && b->type->is_tuple() && is_equality) {
        const bool has_dataclass = member_of(a->type, "__dataclass_fields__") ||
                                   member_of(b->type, "__dataclass_fields__");
        // Of one class only they may be equal.
        if (has_dataclass && a->type->number != b->type->number) return truth(text == "!=");
        if (a->type->items.size() != b->type->items.size()) return truth(text == "!=");
        Lets lets;
        a = opened(before(std::move(a), b, lets), lets);
        b = opened(std::move(b), lets);
        ExpressionRef all = truth(true);
        for (std::size_t i = 0; i < a->type->items.size(); ++i) {
            ExpressionRef same = compare(operator_node("Eq"), item(a, i), item(b, i), node);
            all = i == 0 ? std::move(same) : infix("&", std::move(all), std::move(same), boolean);
        }
        return wrapped(lets, text == "==" ? all : prefix("!", all, boolean));
    }
    if (a->type->is_tuple() && b->type->is_tuple()) return ordered(op, a, b, node);
    if (a->type->is_time() || b->type->is_time()) return time_comparison(text, a, b, node);
    const bool are_numbers = a->type->is_number() && b->type->is_number();
    const bool is_ordered = are_numbers && !a->type->is_complex() && !b->type->is_complex();
    if (!are_numbers || (!is_equality && !is_ordered)) {
        fail(node, fmt::format("there is no {} for {} and {}", text, described(a->type),
                               described(b->type)));
    }
    if (ExpressionRef known = folded_comparison(text, a, b)) return known;
    if (is_mixed(a->type, b->type)) {
        const bool is_safe = is_surely_natural(a->type->is_signed() ? a : b);
        if (!is_safe) {
            a = cast(a, number_type(a->type->is_signed() ? Kind::Int64 : Kind::UInt64));
            b = cast(b, number_type(b->type->is_signed() ? Kind::Int64 : Kind::UInt64));
            // a > b is b < a; a != b is !(a == b).
            if (text == ">" || text == ">=") std::swap(a, b);
            const bool is_equal = is_equality;
            const char* const helper = is_equal           ? "__ww_py_equal"
                                       : text.size() == 1 ? "__ww_py_less"
                                                          : "__ww_py_less_equal";
            ExpressionRef result = call(helper, {std::move(a), std::move(b)}, boolean);
            return text == "!=" ? prefix("!", std::move(result), boolean) : result;
        }
        const Type wide = number_type(Kind::UInt64);
        return infix(text, cast(std::move(a), wide), cast(std::move(b), wide), boolean);
    }
    const Type type = number_type(unified(a->type->kind, b->type->kind));
    return infix(text, cast(std::move(a), type), cast(std::move(b), type), boolean);
}

// The first items of two tuples that differ decide, or their lengths.
ExpressionRef Resolver::ordered(const Syntax& op, ExpressionRef a, ExpressionRef b,
                                const Syntax& node) {
    require_items(a->type, node);
    require_items(b->type, node);
    Lets lets;
    a = opened(before(std::move(a), b, lets), lets);
    b = opened(std::move(b), lets);
    const std::size_t left = a->type->items.size();
    const std::size_t right = b->type->items.size();
    const bool is_less = op.text.starts_with("Lt");
    const bool holds_for_equal = op.is("LtE") || op.is("GtE");
    ExpressionRef result = truth(left == right ? holds_for_equal : (left < right) == is_less);
    const Syntax& strictly = operator_node(is_less ? "Lt" : "Gt");
    for (std::size_t i = std::min(left, right); i-- > 0;) {
        const ExpressionRef one = once(item(a, i), "one", lets);
        const ExpressionRef other = once(item(b, i), "other", lets);
        ExpressionRef same = compare(operator_node("Eq"), one, other, node);
        result = both(Expression::Op::Or, compare(strictly, one, other, node),
                      both(Expression::Op::And, std::move(same), std::move(result)));
    }
    return wrapped(lets, std::move(result));
}

ExpressionRef Resolver::contained(ExpressionRef value, const ExpressionRef& items,
                                  const Syntax& node) {
    if (items->type->is_chars() ||
        (items->type->family == Family::Text && value->type->is_chars())) {
        const ExpressionRef text = as_chars(items);
        auto [whole_text, part] = both_chars("in", text, value, node);
        return call("__ww_py_chars_find({1}, {0}) >= 0", {std::move(part), std::move(whole_text)},
                    number_type(Kind::Bool));
    }
    if (items->type->is_array() && items->type->element->is_number() && value->type->is_number()) {
        const Type joint = number_type(unified(value->type->kind, items->type->element->kind));
        return call(fmt::format("__ww_py_array_contains<{}>", spelling_of(joint)),
                    {cast(std::move(value), joint), decayed(items)}, number_type(Kind::Bool),
                    Effect::Reads);
    }
    if (items->type->family == Family::Dict) return has_key(items, value, node);
    if (items->type->family == Family::Text && value->type->family == Family::Text) {
        return truth(items->type->name.find(value->type->name) != std::string::npos);
    }
    if (!items->type->is_tuple()) {
        unsupported(node, fmt::format("kernels look for values in tuples with 'in', got {}",
                                      described(items->type)));
    }
    if (member_of(items->type, "__contains__") != nullptr) {
        Lets lets;
        const ExpressionRef wanted = once(value, "wanted", lets);
        const ExpressionRef among = once(items, "among", lets);
        const ExpressionRef found = class_method("__contains__", {among, wanted}, node);
        return wrapped(lets, truth_of(found, node));
    }
    require_items(items->type, node);
    Lets lets;
    const ExpressionRef wanted = once(before(std::move(value), items, lets), "wanted", lets);
    const ExpressionRef among = opened(items, lets);
    ExpressionRef found = truth(false);
    for (std::size_t i = 0; i < among->type->items.size(); ++i) {
        ExpressionRef same = compare(operator_node("Eq"), wanted, item(among, i), node);
        if (i == 0) {
            found = std::move(same);
            continue;
        }
        found = both(Expression::Op::Or, std::move(found), std::move(same));
    }
    return wrapped(lets, std::move(found));
}

// value in range(...): a float may be one of its numbers too.
ExpressionRef Resolver::in_range(const ExpressionRef& value, const Arguments& range,
                                 const Syntax& node) {
    if (is_unknown(value)) return value;
    if (range.empty() || range.size() > 3) fail(node, "range() takes one to three numbers");
    const Type int64 = number_type(Kind::Int64);
    Values bounds{whole(0), whole(0), whole(1)};
    for (std::size_t i = 0; i < range.size(); ++i) {
        const ExpressionRef& bound = range[i].value;
        if (is_unknown(bound)) return bound;
        if (!bound->type->is_number() || !bound->type->is_whole()) {
            fail(*range[i].node,
                 fmt::format("range() takes whole numbers, got {}", described(bound->type)));
        }
        bounds[range.size() == 1 ? 1 : i] = cast(bound, int64);
    }
    if (bounds[2]->constant && bounds[2]->constant->whole == 0) {
        fail(node, "the step of range() cannot be 0");
    }
    if (!value->type->is_number() || value->type->is_complex()) {
        fail(node, fmt::format("range() has whole numbers, and no {}", described(value->type)));
    }
    const bool is_wide = value->type->kind == Kind::UInt64;
    const Type type = value->type->is_real() ? number_type(Kind::Float64)
                      : is_wide              ? value->type
                                             : int64;
    return call("__ww_py_in_range", {cast(value, type), bounds[0], bounds[1], bounds[2]},
                number_type(Kind::Bool));
}

Type Resolver::common_type(const ExpressionRef& a, const ExpressionRef& b, const Syntax& node,
                           std::string_view what) {
    const std::optional<Type> type = unified(decayed(a)->type, decayed(b)->type);
    if (!type && a->type->family == Family::Text && b->type->family == Family::Text) {
        fail(node, fmt::format("{} chooses a string, which kernels know when they are compiled; "
                               "choose a number, or use the string in both branches of an if",
                               what));
    }
    if (!type) {
        fail(node, fmt::format("{} has {} on one side and {} on the other; give both one type",
                               what, described(a->type), described(b->type)));
    }
    return *type;
}

ExpressionRef Resolver::bool_operation(const Syntax& node) {
    const auto nodes = node.list("values");
    const bool is_and = node["op"].is("And");
    Values values;
    bool are_bools = true;
    for (const Syntax* one : nodes) {
        values.push_back(expression(*one));
        if (is_unknown(values.back())) return values.back();
        are_bools &= values.back()->type->is_number() && values.back()->type->is_bool();
    }
    if (are_bools) return condition(node);
    // From the right: a or (b or c).
    ExpressionRef result = values.back();
    for (std::size_t i = values.size() - 1; i-- > 0;) {
        const Type type = common_type(values[i], result, node, is_and ? "'and'" : "'or'");
        Lets lets;
        const ExpressionRef held = once(values[i], "first", lets);
        ExpressionRef test = truth_of(held, *nodes[i]);
        result = wrapped(lets, is_and ? select(std::move(test), result, held, type)
                                      : select(std::move(test), held, result, type));
    }
    return result;
}

ExpressionRef Resolver::conditional(const Syntax& node) {
    const int known = known_truth(node["test"]);
    if (known != -1) return expression(node[known == 1 ? "body" : "orelse"]);
    ExpressionRef test = condition(node["test"]);
    if (is_true(test)) return expression(node["body"]);
    if (is_false(test)) return expression(node["orelse"]);
    const Facts before = facts_;
    facts_.assume(test, true);
    ExpressionRef a = decayed(expression(node["body"]));
    facts_ = before;
    facts_.assume(test, false);
    ExpressionRef b = decayed(expression(node["orelse"]));
    facts_ = before;
    if (is_unknown(a) && is_unknown(b)) return a;
    if (a->type->is_chars() != b->type->is_chars()) {
        ExpressionRef& other = a->type->is_chars() ? b : a;
        if (ExpressionRef text = as_chars(other)) other = std::move(text);
    }
    const Type type = common_type(a, b, node, "the conditional expression");
    if (is_unknown(a)) return nothing(b->type);
    if (is_unknown(b)) return nothing(a->type);
    if (!type->has_value()) {
        return b;
    }
    return select(std::move(test), std::move(a), std::move(b), type);
}

ExpressionRef Resolver::named(const Syntax& node) {
    const Syntax& target = node["target"];
    const std::shared_ptr<Variable>& variable =
        instance_.variables[instance_.flow.variable_of.at(&target)];
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
    }
    return tuple(std::move(items));
}

}  // namespace warpwise::script
