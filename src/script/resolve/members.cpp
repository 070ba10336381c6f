// What the class of a named tuple or a dataclass gives its values: methods, properties, operators.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "src/base/text.hpp"
#include "src/script/resolve/resolver.hpp"

namespace warpwise::script {
namespace {

const std::map<std::string_view, std::string_view> kOperatorNames = {
    {"+", "add"}, {"-", "sub"},     {"*", "mul"},     {"/", "truediv"}, {"//", "floordiv"},
    {"%", "mod"}, {"**", "pow"},    {"@", "matmul"},  {"&", "and"},     {"|", "or"},
    {"^", "xor"}, {"<<", "lshift"}, {">>", "rshift"}, {"==", "eq"},     {"!=", "ne"},
    {"<", "lt"},  {"<=", "le"},     {">", "gt"},      {">=", "ge"}};

// What Python asks of the right operand where the left one has no such operator.
const std::map<std::string_view, std::string_view> kReflected = {
    {"==", "eq"}, {"!=", "ne"}, {"<", "gt"}, {"<=", "ge"}, {">", "lt"}, {">=", "le"}};

}  // namespace

const Syntax* Resolver::member_of(Type type, const std::string& name) const {
    return type->is_tuple() ? translation_.program().member(type->number, name) : nullptr;
}

void Resolver::require_items(Type type, const Syntax& node) const {
    if (member_of(type, "__dataclass_fields__") == nullptr) return;
    fail(node, fmt::format("{} is a dataclass, whose values have fields but no items or operators "
                           "of tuples; use {} by name",
                           type->name, type->names.empty() ? "its fields" : "." + type->names[0]));
}

// A function of a class: {function 2}, {property 2} or {static 2}.
ExpressionRef Resolver::call_member(const Syntax& member, const Arguments& arguments,
                                    const Syntax& node) {
    std::uint64_t number = 0;
    const auto& functions = translation_.program().functions();
    const bool is_function =
        member.is_tagged("function") || member.is_tagged("property") || member.is_tagged("static");
    if (!is_function || !member.items[0]->as_uint(number) || number >= functions.size()) {
        fail(node, "this attribute of the class cannot be called in a kernel");
    }
    return call_function(functions[number], *functions[number].node, arguments, node, nullptr);
}

// p._replace(x=1)
ExpressionRef Resolver::replaced(const ExpressionRef& value, const Arguments& arguments,
                                 const Syntax& node) {
    if (arguments.empty()) fail(node, "_replace() takes fields by their names: _replace(x=1)");
    Lets lets;
    const ExpressionRef base =
        value->op == Expression::Op::Tuple ? value : once(value, "value", lets);
    TypeData data = *value->type;
    Values items;
    for (std::size_t i = 0; i < data.items.size(); ++i) items.push_back(item(base, i));
    for (const Argument& one : arguments) {
        const auto found = std::ranges::find(data.names, one.keyword);
        if (found == data.names.end()) {
            fail(*one.node, fmt::format("{} has no field '{}'{}", data.name, one.keyword,
                                        suggestion(one.keyword, data.names)));
        }
        const auto at = static_cast<std::size_t>(found - data.names.begin());
        items[at] = decayed(one.value);
        data.items[at] = items[at]->type;
    }
    return wrapped(lets, tuple(std::move(items), intern(std::move(data))));
}

// a + b by a.__add__(b) or b.__radd__(a); null where neither class has it.
ExpressionRef Resolver::class_operation(std::string_view op, const ExpressionRef& a,
                                        const ExpressionRef& b, const Syntax& node) {
    const std::string name = fmt::format("__{}__", kOperatorNames.at(op));
    const auto argument = [&](const ExpressionRef& value) {
        return Argument{.keyword = "", .value = value, .node = &node};
    };
    if (const Syntax* const own = member_of(a->type, name)) {
        return call_member(*own, {argument(a), argument(b)}, node);
    }
    const auto comparison = kReflected.find(op);
    const std::string reflected = comparison != kReflected.end()
                                      ? fmt::format("__{}__", comparison->second)
                                      : fmt::format("__r{}__", kOperatorNames.at(op));
    const Syntax* const own = member_of(b->type, reflected);
    if (own == nullptr) return nullptr;
    Lets lets;
    const ExpressionRef left = once(a, "left", lets);
    const ExpressionRef right = once(b, "right", lets);
    return wrapped(lets, call_member(*own, {argument(right), argument(left)}, node));
}

// -a, +a, ~a and abs(a) by a.__neg__() and its like; null where the class has none.
ExpressionRef Resolver::class_sign(std::string_view op, const ExpressionRef& value,
                                   const Syntax& node) {
    const std::string name = op == "-"   ? "__neg__"
                             : op == "+" ? "__pos__"
                             : op == "~" ? "__invert__"
                                         : "__abs__";
    const Syntax* const own = member_of(value->type, name);
    if (own == nullptr) return nullptr;
    return call_member(*own, {{.keyword = "", .value = value, .node = &node}}, node);
}

}  // namespace warpwise::script
