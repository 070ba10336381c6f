// What counts as true, `and`, `or`, and values by a condition.
#include <fmt/format.h>

#include <algorithm>

#include "src/base/text.hpp"
#include "src/script/promotion.hpp"
#include "src/script/resolve/order.hpp"
#include "src/script/resolve/resolver.hpp"
#include "src/script/resolve/values/chars.hpp"

namespace warpwise::script {

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
    if (const ExpressionRef presence = presence_of(node)) {  // None is false
        const auto& own = instance_.variables[instance_.flow.variable_of.at(&node)];
        if (own->type->family == Family::Unknown) return nothing(own->type);
        return both(Expression::Op::And, presence, truth_of(variable(own), node));
    }
    if (ExpressionRef is_true = has_result(node, true)) return is_true;
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
        return infix("!=", Chars::length(value), whole(0), number_type(Kind::Bool));
    }
    if (type->family == Family::None) return behind(value, truth(false));
    if (type->is_tuple()) {
        for (const char* name : {"__bool__", "__len__"}) {
            const ExpressionRef own = class_method(name, {value}, node);
            if (own) return truth_of(own, node);
        }
        if (member_of(type, "__flags__") != nullptr) {
            Lets lets;
            const ExpressionRef bits = item(opened(value, lets), 0);
            return wrapped(lets, truth_of(bits, node));
        }
        const bool is_true =
            !type->items.empty() || member_of(type, "__dataclass_fields__") != nullptr;
        return behind(value, truth(is_true));
    }
    if (type->family == Family::Text) return behind(value, truth(!type->name.empty()));
    if (type->is_array() && type->is_list) return truth_of(extent(value, 0), node);
    if (type->family == Family::Dict) return truth(!type->items.empty());
    if (type->is_array()) {
        fail(node, "an array is neither true nor false; compare an element, or its size");
    }
    fail(node, fmt::format("{} is no condition", described(type)));
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

ExpressionRef Resolver::bool_operation(const Syntax& node) {
    const auto nodes = node.list("values");
    const bool is_and = node["op"].is("And");
    Values values;
    bool are_bools = true;
    const Facts before = facts_;
    for (const Syntax* one : nodes) {
        values.push_back(expression(*one));
        if (is_unknown(values.back())) break;
        are_bools &= values.back()->type->is_number() && values.back()->type->is_bool();
        if (are_bools) facts_.assume(values.back(), is_and);
    }
    facts_ = before;
    if (is_unknown(values.back())) return values.back();
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
    if (const std::optional<bool> is_chosen = truth_behind(test)) {
        const ExpressionRef chosen = decayed(expression(node[*is_chosen ? "body" : "orelse"]));
        if (is_unknown(chosen) || chosen->type->has_value()) return behind(test, chosen);
        unsupported(node, "what is chosen here has no value at run time; write an if statement");
    }
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
        if (ExpressionRef text = Chars::of(other)) other = std::move(text);
    }
    const Type type = common_type(a, b, node, "the conditional expression");
    if (is_unknown(a)) return nothing(b->type);
    if (is_unknown(b)) return nothing(a->type);
    if (!type->has_value()) {
        if (std::max({test->effect, a->effect, b->effect}) == Effect::Acts) {
            unsupported(node,
                        "what is chosen here has no value at run time; write an if statement");
        }
        return b;
    }
    return select(std::move(test), std::move(a), std::move(b), type);
}

}  // namespace warpwise::script
