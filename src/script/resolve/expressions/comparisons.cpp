// Comparisons, chains of them, and membership.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "src/base/text.hpp"
#include "src/script/promotion.hpp"
#include "src/script/resolve/magnitudes.hpp"
#include "src/script/resolve/order.hpp"
#include "src/script/resolve/resolver.hpp"
#include "src/script/resolve/values/chars.hpp"
#include "src/script/resolve/values/times.hpp"

namespace warpwise::script {
namespace {

const std::map<std::string_view, std::string_view> kComparisons = {
    {"Eq", "=="}, {"NotEq", "!="}, {"Lt", "<"}, {"LtE", "<="}, {"Gt", ">"}, {"GtE", ">="}};

bool is_mixed(Type a, Type b) {
    const auto is_wide = [](Type type) { return type->kind == Kind::UInt64; };
    return a->is_integer() && b->is_integer() &&
           ((is_wide(a) && b->is_signed()) || (is_wide(b) && a->is_signed()));
}

}  // namespace

ExpressionRef Resolver::comparison(const Syntax& node) {
    const auto ops = node.list("ops");
    const auto others = node.list("comparators");
    if (ops.size() == 1) {
        if (ExpressionRef result = optional_comparison(node)) return result;
    }
    ExpressionRef left = expression(node["left"]);
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
        if (with_none) {
            return behind(a, behind(b, truth((a->type == b->type) == op.is("Is"))));
        }
        const bool is_member = a->is_member || b->is_member || is_enum(a->type) || is_enum(b->type);
        const bool are_texts = a->type->family == Family::Text && b->type->family == Family::Text;
        if (is_member && are_texts) return truth((a->type == b->type) == op.is("Is"));
        const bool are_bools = a->type->is_number() && a->type->is_bool() && b->type->is_bool();
        const bool are_tuples = a->type->is_tuple() && b->type->is_tuple();
        const bool are_members =
            is_member && (are_tuples || (a->type->is_number() && b->type->is_number()));
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
    if (a->type->is_chars() || b->type->is_chars())
        return Chars(*this).comparison(text, a, b, node);
    if (a->type->is_tuple() || b->type->is_tuple()) {
        if (ExpressionRef result = class_operation(text, a, b, node)) return result;
        require_members(text, a, b, node);
    }
    if (a->type->is_array() || b->type->is_array()) {
        const auto each = [&](const Values& items) {
            return compare(op, items[0], items[1], node);
        };
        if (ExpressionRef made = each_element({a, b}, node, each)) return made;
        if (a->type->is_scalar() || b->type->is_scalar() || a->type->family == b->type->family) {
            fail(node, fmt::format("{} and {}: kernels compare elements; write x[i] {} y[i], or "
                                   "assign to an array, z[:] = x {} y",
                                   described(a->type), described(b->type), text, text));
        }
    }
    const bool are_texts = a->type->family == Family::Text && b->type->family == Family::Text;
    const bool is_none = a->type->family == Family::None || b->type->family == Family::None;
    if (is_equality && (are_texts || is_none)) {
        return behind(a, behind(b, truth((a->type == b->type) == (text == "=="))));
    }
    const bool are_types = a->type->family == Family::Element && b->type->family == Family::Element;
    if (are_types && is_equality) {
        return truth((a->type->element == b->type->element) == (text == "=="));
    }
    if (a->type->is_tuple() && b->type->is_tuple()) return ordered(op, a, b, node);
    if (a->type->is_time() || b->type->is_time()) return Times(*this).comparison(text, a, b, node);
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

// Of two tuples: all items are equal; or the first ones that differ decide, or their lengths.
ExpressionRef Resolver::ordered(const Syntax& op, ExpressionRef a, ExpressionRef b,
                                const Syntax& node) {
    if (op.is("Eq") || op.is("NotEq")) {
        const bool has_dataclass = member_of(a->type, "__dataclass_fields__") ||
                                   member_of(b->type, "__dataclass_fields__");
        for (const Type one : {a->type, b->type}) {
            if (member_of(one, "__identity__") == nullptr) continue;
            unsupported(node, fmt::format("values of {} are equal to themselves only, and kernels "
                                          "know no identity of them; compare their fields",
                                          one->name));
        }
        // Of one class only they may be equal.
        const bool are_alike = a->type->items.size() == b->type->items.size() &&
                               !(has_dataclass && a->type->number != b->type->number);
        if (!are_alike) return behind(a, behind(b, truth(op.is("NotEq"))));
        Lets lets;
        a = opened(before(std::move(a), b, lets), lets);
        b = opened(std::move(b), lets);
        const Syntax* const skipped = member_of(a->type, "__uncompared__");
        const auto is_skipped = [&](std::size_t i) {
            return skipped != nullptr &&
                   std::ranges::any_of(skipped->items, [&](const Syntax* one) {
                       return one->text == a->type->names[i];
                   });
        };
        ExpressionRef all;
        for (std::size_t i = 0; i < a->type->items.size(); ++i) {
            if (is_skipped(i)) continue;
            ExpressionRef same = compare(operator_node("Eq"), item(a, i), item(b, i), node);
            all = !all ? std::move(same)
                       : infix("&", std::move(all), std::move(same), number_type(Kind::Bool));
        }
        if (!all) all = truth(true);
        return wrapped(lets, op.is("Eq") ? all : prefix("!", all, number_type(Kind::Bool)));
    }
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
        const ExpressionRef text = Chars::of(items);
        auto [whole_text, part] = Chars(*this).both("in", text, value, node);
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
    // IntFlag.A in flags: numbers have no `in` in Python.
    if (value->is_member && is_whole_number(items->type) && is_whole_number(value->type)) {
        Lets lets;
        const ExpressionRef flag = once(before(value, items, lets), "flag", lets);
        ExpressionRef has = binary("&", items, flag, node);
        return wrapped(lets, compare(operator_node("Eq"), std::move(has), flag, node));
    }
    if (!items->type->is_tuple()) {
        unsupported(node, fmt::format("kernels look for values in tuples with 'in', got {}",
                                      described(items->type)));
    }
    if (is_enum(items->type)) {  // Flag.A in flags
        Lets lets;
        const ExpressionRef flag = once(before(value, items, lets), "flag", lets);
        ExpressionRef has = binary("&", items, flag, node);
        return wrapped(lets, compare(operator_node("Eq"), std::move(has), flag, node));
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

}  // namespace warpwise::script
