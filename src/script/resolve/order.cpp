// What is evaluated once, in its turn, though the translation uses it several times or elsewhere.
#include <algorithm>

#include "src/script/resolve/order.hpp"
#include "src/script/resolve/resolver.hpp"

namespace warpwise::script {
namespace {

constexpr const char* kBehind = "((void)({0}), {1})";
constexpr const char* kBehindNone = "((void)0, {1})";  // a call without value is a statement

}  // namespace

ExpressionRef behind(const ExpressionRef& value, ExpressionRef known) {
    if (value->effect != Effect::Acts) return known;
    const Type type = known->type;
    const char* const text = value->type->has_value() ? kBehind : kBehindNone;
    return call(text, {value, std::move(known)}, type, Effect::Acts);
}

std::optional<bool> truth_behind(const ExpressionRef& condition) {
    if (condition->op == Expression::Op::Prefix && condition->text == "!") {
        const std::optional<bool> inner = truth_behind(condition->operands[0]);
        return inner ? std::optional(!*inner) : std::nullopt;
    }
    const bool is_behind = condition->op == Expression::Op::Call &&
                           (condition->text == kBehind || condition->text == kBehindNone);
    if (!is_behind) return std::nullopt;
    const ExpressionRef& known = condition->operands[1];
    return known->constant ? known->constant->truth : truth_behind(known);
}

// The value as it is where `lets` are evaluated.
ExpressionRef Resolver::fixed(const ExpressionRef& value, Lets& lets) const {
    if (value->effect == Effect::Pure || !value->type->has_value()) return value;
    if (value->op == Expression::Op::Tuple) {
        Values items;
        for (const ExpressionRef& one : value->operands) items.push_back(fixed(one, lets));
        return tuple(std::move(items), value->type);
    }
    std::shared_ptr<Variable> held = temporary_for(value, "held");
    ExpressionRef read = variable(held);
    lets.emplace_back(std::move(held), value);
    return read;
}

// The value as it is before `later` is evaluated, which is used earlier or in other parts.
ExpressionRef Resolver::before(ExpressionRef value, const ExpressionRef& later, Lets& lets) const {
    if (later->effect == Effect::Acts) return fixed(value, lets);
    return value;
}

// A tuple whose items are used in any number and order.
ExpressionRef Resolver::opened(ExpressionRef tuple, Lets& lets) const {
    if (tuple->op != Expression::Op::Tuple) return once(std::move(tuple), "items", lets);
    return tuple->effect == Effect::Acts ? fixed(tuple, lets) : tuple;
}

// All items, to be used once each and in their order.
Resolver::Values Resolver::items_in_turn(const ExpressionRef& tuple) const {
    if (tuple->op == Expression::Op::Tuple) return tuple->operands;
    const bool acts = tuple->effect == Effect::Acts;
    std::shared_ptr<Variable> held = acts ? temporary_for(tuple, "items") : nullptr;
    const ExpressionRef source = acts ? variable(held) : tuple;
    Values items;
    for (std::size_t i = 0; i < tuple->type->items.size(); ++i) items.push_back(item(source, i));
    if (acts && !items.empty()) items[0] = let(std::move(held), tuple, items[0]);
    return items;
}

// Arguments by name come in the order in which they stand, not in that of the parameters.
Resolver::Arguments Resolver::in_order(Arguments arguments, Lets& lets) const {
    const bool has_names =
        std::ranges::any_of(arguments, [](const Argument& one) { return !one.keyword.empty(); });
    const bool acts = std::ranges::any_of(
        arguments, [](const Argument& one) { return one.value->effect == Effect::Acts; });
    if (!has_names || !acts || arguments.size() < 2) return arguments;
    for (Argument& one : arguments) one.value = fixed(one.value, lets);
    return arguments;
}

}  // namespace warpwise::script
