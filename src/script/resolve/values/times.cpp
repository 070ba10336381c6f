// Dates and spans of time: operators, comparisons, what makes them (NumPy's rules).
#include "src/script/resolve/values/times.hpp"

#include <fmt/format.h>

#include <map>

#include "src/base/text.hpp"
#include "src/script/times.hpp"

namespace warpwise::script {
namespace {

Type int64() {
    return number_type(Kind::Int64);
}

bool is_span(const ExpressionRef& value) {
    return value->type->is_time() && !is_date(value->type);
}

bool is_integer(const ExpressionRef& value) {
    return value->type->is_number() && value->type->is_integer();
}

// A whole number beside a time is a span of the time's unit.
ExpressionRef as_time(const ExpressionRef& value) {
    if (value->type->is_time()) return value;
    if (!is_integer(value)) return nullptr;
    return call("__ww_py_time", {cast(value, int64())}, time_type(false, TimeUnit::Generic));
}

}  // namespace

ExpressionRef Times::in_unit(const ExpressionRef& value, Type type, const Syntax& node) {
    const bool is_same_kind = value->type->is_time() && is_date(value->type) == is_date(type);
    if (!is_same_kind || !time_conversion(value->type, type)) {
        resolver_.fail(
            node, fmt::format("{} cannot become {}{}", described(value->type), text_of(type),
                              is_same_kind ? ": its unit is finer, or of another length" : ""));
    }
    return cast(value, type);
}

// The operands in a unit that both are whole multiples of.
std::pair<ExpressionRef, ExpressionRef> Times::in_joint_unit(const ExpressionRef& a,
                                                             const ExpressionRef& b,
                                                             const Syntax& node) {
    const std::optional<Type> joint = joint_time(a->type, b->type, false);
    if (!joint) {
        resolver_.fail(node, fmt::format("{} and {} have no common unit", described(a->type),
                                         described(b->type)));
    }
    const auto unit = [&](const ExpressionRef& value) {
        return in_unit(value, *joint_time(*joint, *joint, is_date(value->type)), node);
    };
    return {unit(a), unit(b)};
}

// a + b, where one is a time at least.
ExpressionRef Times::operation(std::string_view op, const ExpressionRef& a, const ExpressionRef& b,
                               const Syntax& node) {
    const ExpressionRef left = as_time(a), right = as_time(b);
    const bool are_times = left && right;
    const bool are_spans = is_span(a) && is_span(b);
    const auto joined = [&](std::string_view text, Type result) {
        auto [one, other] = in_joint_unit(left, right, node);
        if (result == nullptr) {
            const bool has_date = is_date(one->type) != is_date(other->type);
            result = has_date && is_date(other->type) ? other->type
                     : has_date || is_span(one)
                         ? one->type
                         : joint_time(one->type, other->type, false).value_or(nullptr);
        }
        return call(text, {std::move(one), std::move(other)}, result);
    };
    if (op == "+" && are_times && !(is_date(a->type) && is_date(b->type))) {
        return joined("__ww_py_time_plus", nullptr);
    }
    if (op == "-" && are_times && (is_date(left->type) || !is_date(right->type))) {
        return joined("__ww_py_time_minus", nullptr);
    }
    if (are_spans && op == "/") return joined("__ww_py_time_ratio", number_type(Kind::Float64));
    if (are_spans && op == "//") return joined("__ww_py_time_floor_ratio", int64());
    if (are_spans && op == "%") return joined("__ww_py_time_mod", nullptr);
    const bool is_scaled = (op == "*" && (is_span(a) != is_span(b))) ||
                           ((op == "/" || op == "//") && is_span(a) && !is_span(b));
    const ExpressionRef& span = is_span(a) ? a : b;
    const ExpressionRef& number = is_span(a) ? b : a;
    const bool is_number =
        number->type->is_number() && (number->type->is_integer() || number->type->is_real());
    if (is_scaled && is_number) {
        const char* const text = op == "/"    ? "__ww_py_time_over({0}, {1})"
                                 : op == "//" ? "__ww_py_time_floor_over({0}, {1})"
                                 : is_span(a) ? "__ww_py_time_times({0}, {1})"
                                              : "__ww_py_time_times({1}, {0})";
        const Type type = number_type(number->type->is_real() ? Kind::Float64 : Kind::Int64);
        Values operands{a, b};
        operands[is_span(a) ? 1 : 0] = cast(number, type);
        return call(text, std::move(operands), span->type);
    }
    resolver_.fail(node, fmt::format("there is no {} for {} and {}", op, described(a->type),
                                     described(b->type)));
}

// a < b: never of NaT, which is equal to nothing.
ExpressionRef Times::comparison(std::string_view op, const ExpressionRef& a, const ExpressionRef& b,
                                const Syntax& node) {
    const ExpressionRef left = as_time(a), right = as_time(b);
    if (!left || !right || is_date(left->type) != is_date(right->type)) {
        resolver_.fail(node, fmt::format("there is no {} for {} and {}", op, described(a->type),
                                         described(b->type)));
    }
    static const std::map<std::string_view, const char*> texts = {
        {"==", "__ww_py_time_equal({0}, {1})"},      {"!=", "__ww_py_time_equal({0}, {1})"},
        {"<", "__ww_py_time_less({0}, {1})"},        {">", "__ww_py_time_less({1}, {0})"},
        {"<=", "__ww_py_time_less_equal({0}, {1})"}, {">=", "__ww_py_time_less_equal({1}, {0})"}};
    auto [one, other] = in_joint_unit(left, right, node);
    const Type boolean = number_type(Kind::Bool);
    ExpressionRef result = call(texts.at(op), {std::move(one), std::move(other)}, boolean);
    return op == "!=" ? prefix("!", std::move(result), boolean) : result;
}

// -x, +x and abs(x) of a span.
ExpressionRef Times::sign(std::string_view op, const ExpressionRef& value, const Syntax& node) {
    if (!is_span(value) || op == "~") {
        resolver_.fail(node, fmt::format("there is no {} for {}", op, described(value->type)));
    }
    if (op == "+") return value;
    return call(op == "-" ? "__ww_py_time_negative" : "__ww_py_time_abs", {value}, value->type);
}

// numpy.datetime64("2026-11-27"), numpy.timedelta64(5, "D"), and conversions to a unit.
ExpressionRef Times::made(Type type, const Arguments& arguments, const Syntax& node) {
    const bool is_known = !arguments.empty() && arguments.size() <= 2;
    if (!is_known) resolver_.fail(node, fmt::format("{} takes a value and a unit", type->name));
    if (arguments.size() == 2) {
        const Type unit = arguments[1].value->type;
        const auto named =
            unit->family == Family::Text ? parse_time(is_date(type), unit->name) : std::nullopt;
        if (!named) {
            resolver_.fail(
                *arguments[1].node,
                "the unit is a text such as 'D' or '10ms', of Y M W D h m s ms us ns ps fs as");
        }
        type = *named;
    }
    const ExpressionRef& value = arguments[0].value;
    const bool has_unit = unit_of(type) != TimeUnit::Generic;
    if (value->type->is_time()) {
        return has_unit ? in_unit(value, type, *arguments[0].node) : value;
    }
    if (value->type->family == Family::Text) {
        const auto date = parse_date(value->type->name);
        const bool is_value = date && (is_date(type) || date->value == INT64_MIN);
        if (!is_value) {
            resolver_.fail(*arguments[0].node,
                           fmt::format("{} is no {} that kernels read; dates are '2026-11-27' or "
                                       "'2026-11-27T12:30:15', spans are made of numbers",
                                       quote(value->type->name), type->name));
        }
        const Type own = is_date(type) ? date->type : time_type(false, TimeUnit::Generic);
        const ExpressionRef made = call("__ww_py_time", {whole(date->value)}, own);
        return has_unit ? in_unit(made, type, *arguments[0].node) : made;
    }
    if (!is_integer(value) || (is_date(type) && !has_unit)) {
        resolver_.fail(*arguments[0].node, fmt::format("{} takes a whole number and a unit, got {}",
                                                       type->name, described(value->type)));
    }
    return call("__ww_py_time", {cast(value, int64())}, type);
}

// numpy.isnat, minimum and the like; null for other functions.
ExpressionRef Times::call_of(const std::string& name, const Arguments& arguments,
                             const Syntax& node) {
    static const std::map<std::string_view, const char*> pairs = {
        {"numpy.minimum", "__ww_py_time_minimum"},
        {"numpy.maximum", "__ww_py_time_maximum"},
        {"numpy.fmin", "__ww_py_time_fmin"},
        {"numpy.fmax", "__ww_py_time_fmax"}};
    const ExpressionRef& first = arguments[0].value;
    if (name == "numpy.isnat" && arguments.size() == 1 && first->type->is_time()) {
        return call("__ww_py_is_nat", {first}, number_type(Kind::Bool));
    }
    const auto found = pairs.find(name);
    if (found == pairs.end() || arguments.size() != 2) return nullptr;
    const ExpressionRef& second = arguments[1].value;
    const bool are_alike = first->type->is_time() && second->type->is_time() &&
                           is_date(first->type) == is_date(second->type);
    if (!are_alike) return nullptr;
    auto [one, other] = in_joint_unit(first, second, node);
    const Type type = one->type;
    return call(found->second, {std::move(one), std::move(other)}, type);
}

}  // namespace warpwise::script
