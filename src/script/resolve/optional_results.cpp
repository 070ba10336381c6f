// Results of functions that return a value on some paths and None on others.
//
// They are tuples of the value and of whether there is one, which only calls have: a variable that
// gets one has a flag beside it (optional.cpp).
#include <fmt/format.h>

#include "src/base/text.hpp"
#include "src/script/promotion.hpp"
#include "src/script/resolve/optional.hpp"
#include "src/script/resolve/resolver.hpp"

namespace warpwise::script {
namespace {

constexpr const char* kOptional = "Optional";  // no class has names without fields

}  // namespace

bool is_optional(Type type) {
    return type->is_tuple() && type->name == kOptional && type->names.empty();
}

Type optional_type(Type value) {
    return intern(
        {.family = Family::Tuple, .items = {value, number_type(Kind::Bool)}, .name = kOptional});
}

// The type of the results so far and this one; nothing where they have none in common.
std::optional<Type> Resolver::result_with(Type type) const {
    const Type known = instance_.result;
    if (!is_optional(known) && !is_optional(type)) {
        if (const std::optional<Type> both = unified(known, type)) return both;
    }
    const auto value_of = [](Type one) { return is_optional(one) ? one->items[0] : one; };
    const auto is_none = [](Type one) { return one->family == Family::None; };
    const bool may_be_none =
        is_none(known) || is_none(type) || is_optional(known) || is_optional(type);
    if (instance_.is_kernel || !may_be_none) return std::nullopt;
    std::optional<Type> value = is_none(known) ? value_of(type) : value_of(known);
    if (!is_none(known) && !is_none(type)) value = unified(*value, value_of(type));
    if (!value || !zero_of(*value)) return std::nullopt;
    return optional_type(*value);
}

// A result, of a type that result_with() gave.
ExpressionRef Resolver::as_result(ExpressionRef value, Type result) const {
    if (!is_optional(result)) return cast(std::move(value), result);
    const Type type = result->items[0];
    if (value->type->family == Family::None) return tuple({zero_of(type), truth(false)}, result);
    if (!is_optional(value->type))
        return tuple({cast(std::move(value), type), truth(true)}, result);
    if (value->type == result) return value;
    Lets lets;
    const ExpressionRef given = once(std::move(value), "result", lets);
    return wrapped(lets, tuple({cast(item(given, 0), type), item(given, 1)}, result));
}

// A call, where None may be its value.
ExpressionRef Resolver::may_be_none(const Syntax& node) {
    takes_none_ = &node;
    ExpressionRef value = expression(node);
    takes_none_ = nullptr;
    return value;
}

// The value of a call where it stands: elsewhere than where None is tested or assigned there must
// be one.
ExpressionRef Resolver::called(const Syntax& node) {
    const bool takes_none = takes_none_ == &node;
    takes_none_ = nullptr;
    ExpressionRef value = call_of(node);
    if (takes_none || !is_optional(value->type)) return value;
    const std::string name =
        node["func"].is("Name") ? node["func"]["id"].text + "()" : std::string("the call");
    if (!is_operand(node)) {
        unsupported(node, fmt::format("{} may return None here; assign it to a variable and test "
                                      "that, with `is not None`",
                                      name));
    }
    const int raise = implicit_end("TypeError", fmt::format("{} returned None", name), node);
    Lets lets;
    const ExpressionRef held = once(std::move(value), "result", lets);
    return wrapped(lets, behind_flag(item(held, 0), item(held, 1), raise));
}

// Whether a call or `x := call` has a value; null where None cannot be its value.
ExpressionRef Resolver::has_result(const Syntax& node, bool is_truth) {
    const bool is_named = node.is("NamedExpr");
    const Syntax& call = is_named ? node["value"] : node;
    if (!call.is("Call")) return nullptr;
    const ExpressionRef value = may_be_none(call);
    if (!is_optional(value->type)) return nullptr;
    Lets lets;
    const ExpressionRef held = once(value, "result", lets);
    ExpressionRef one = item(held, 0);
    ExpressionRef is_set = item(held, 1);
    if (is_named) {
        const std::shared_ptr<Variable>& to =
            instance_.variables[instance_.flow.variable_of.at(&node["target"])];
        if (!to->has_value) add_flag(*to);
        set_type(*to, one, node["target"]);
        lets.emplace_back(to, cast(one, to->type));
        lets.emplace_back(to->has_value, is_set);
        facts_.forget(*to);
        facts_.forget(*to->has_value);
        one = variable(to);
        is_set = variable(to->has_value);
    }
    if (is_truth) is_set = both(Expression::Op::And, is_set, truth_of(one, node));
    ExpressionRef made = wrapped(lets, std::move(is_set));
    if (!is_named) return made;
    auto acting = std::make_shared<Expression>(*made);  // it assigns variables of the function
    acting->effect = Effect::Acts;
    return acting;
}

void Resolver::assign_result(const Syntax& node, const ExpressionRef& value, Block& out) {
    const std::shared_ptr<Variable>& to = instance_.variables[instance_.flow.variable_of.at(&node)];
    if (to->is_parameter) {
        unsupported(node, fmt::format("'{}' is a parameter, and this may be None; give it another "
                                      "name",
                                      to->name));
    }
    if (!to->has_value) add_flag(*to);
    const ExpressionRef held = this->held(value, "result", node, out);
    const ExpressionRef one = item(held, 0);
    set_type(*to, one, node);
    facts_.forget(*to);
    out.push_back({.op = Statement::Op::Assign,
                   .place = node.place,
                   .variable = to,
                   .value = cast(one, to->type)});
    set_presence(*to, item(held, 1), node, out);
}

}  // namespace warpwise::script
