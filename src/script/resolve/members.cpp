// What the class of a named tuple or a dataclass gives its values: methods, properties, operators.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "src/base/text.hpp"
#include "src/script/resolve/resolver.hpp"
#include "src/script/times.hpp"

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
    if (is_enum(type)) {
        fail(node, fmt::format("{} is an enum, whose members are no numbers and have no items; "
                               "use .value",
                               type->name));
    }
    fail(node, fmt::format("{} is a dataclass, whose values have fields but no items or operators "
                           "of tuples; use {} by name",
                           type->name, type->names.empty() ? "its fields" : "." + type->names[0]));
}

bool Resolver::is_enum(Type type) const {
    return member_of(type, "__enum__") != nullptr;
}

// Members of enums are equal to members of their own enum only, and have no order.
void Resolver::require_members(std::string_view op, const ExpressionRef& a, const ExpressionRef& b,
                               const Syntax& node) const {
    const bool is_first = is_enum(a->type);
    if (!is_first && !is_enum(b->type)) return;
    const Type member = is_first ? a->type : b->type;
    const Type other = is_first ? b->type : a->type;
    if (op != "==" && op != "!=") {
        fail(node, fmt::format("there is no {} for members of the enum {}; compare their .value, "
                               "or make it an IntEnum",
                               op, member->name));
    }
    if (other->is_tuple() || other->family == Family::None) return;
    fail(node, fmt::format("a member of the enum {} is equal to its own members only, and never to "
                           "{}; compare its .value, or make it an IntEnum",
                           member->name, described(other)));
}

// a | b, a & b and a ^ b of flags of one class; null where neither is a member of an enum.
ExpressionRef Resolver::flags_operation(std::string_view op, const ExpressionRef& a,
                                        const ExpressionRef& b, const Syntax& node) {
    if (!is_enum(a->type) && !is_enum(b->type)) return nullptr;
    const bool is_bitwise = op == "|" || op == "&" || op == "^";
    if (a->type != b->type || !is_bitwise || member_of(a->type, "__flags__") == nullptr) {
        fail(node, fmt::format("there is no {} for {} and {}; members of enums are no numbers, use "
                               "their .value",
                               op, described(a->type), described(b->type)));
    }
    Lets lets;
    const ExpressionRef left = opened(before(a, b, lets), lets);
    const ExpressionRef right = opened(b, lets);
    Values bits{binary(op, item(left, 0), item(right, 0), node)};
    return wrapped(lets, tuple(std::move(bits), a->type));
}

// A function of a class: {function 2}, {property 2}, {static 2} or {classmethod 2 {named_type
// ...}}.
ExpressionRef Resolver::call_member(const Syntax& member, const Arguments& arguments,
                                    const Syntax& node) {
    std::uint64_t number = 0;
    const auto& functions = translation_.program().functions();
    const bool is_function = member.is_tagged("function") || member.is_tagged("property") ||
                             member.is_tagged("static") || member.is_tagged("classmethod");
    if (!is_function || !member.items[0]->as_uint(number) || number >= functions.size()) {
        fail(node, "this attribute of the class cannot be called in a kernel");
    }
    Arguments all = arguments;
    if (member.is_tagged("classmethod")) {
        all.insert(all.begin(),
                   {.keyword = "", .value = frozen(*member.items[1], node, "cls"), .node = &node});
    }
    return call_function({.function = &functions[number], .node = functions[number].node}, all,
                         node);
}

// Whether values of a type are of a class, which may be a base of theirs.
bool Resolver::is_of_class(Type type, Type wanted) const {
    if (!type->is_tuple() || type->number == 0) return false;
    if (type->number == wanted->number) return true;
    const Syntax* const bases = member_of(type, "__mro__");
    return bases != nullptr && std::ranges::any_of(bases->items, [&](const Syntax* one) {
               std::uint64_t number = 0;
               return one->as_uint(number) && number == wanted->number;
           });
}

// isinstance(), of what is known when compiled: `int` is every whole number, as in Numba.
std::optional<bool> Resolver::is_instance(const ExpressionRef& value, const Syntax& wanted) {
    if (wanted.is("Tuple") || wanted.is("BinOp")) {
        const bool is_union = wanted.is("BinOp");
        std::vector<const Syntax*> all;
        if (is_union) {
            all = {&wanted["left"], &wanted["right"]};
        } else {
            for (const Syntax* one : wanted.list("elts")) all.push_back(one);
        }
        bool is_any = false;
        for (const Syntax* one : all) {
            const std::optional<bool> is_one = is_instance(value, *one);
            if (!is_one) return std::nullopt;
            is_any |= *is_one;
        }
        return is_any;
    }
    const ExpressionRef given = expression(wanted);
    if (given->type->family == Family::Unknown) return std::nullopt;
    return is_instance_of(value, given, wanted);
}

std::optional<bool> Resolver::is_instance_of(const ExpressionRef& value, const ExpressionRef& given,
                                             const Syntax& wanted) {
    const Type type = value->type, kind = given->type;
    if (type->family == Family::Unknown) return std::nullopt;
    if (kind->is_tuple() && given->op == Expression::Op::Tuple) {
        bool is_any = false;
        for (const ExpressionRef& one : given->operands) {
            is_any |= is_instance_of(value, one, wanted).value_or(false);
        }
        return is_any;
    }
    if (kind->family == Family::None) return type->family == Family::None;
    if (kind->family == Family::Element) {
        const Type element = kind->element;
        if (element->is_tuple()) return is_of_class(type, element);
        if (kind->name == "int") return is_whole_number(type);
        if (kind->name == "float") return type->is_number() && type->is_real();
        if (kind->name == "complex") return type->is_number() && type->is_complex();
        if (element->is_time()) return type->is_time() && is_date(type) == is_date(element);
        return type == element;
    }
    if (kind->family == Family::Known) {
        const std::string& name = kind->name;
        if (name == "builtins.tuple") {
            return type->is_tuple() && type->name != "bytes" &&
                   member_of(type, "__dataclass_fields__") == nullptr;
        }
        if (name == "builtins.str") return type->family == Family::Text;
        if (name == "builtins.bytes") return type->is_tuple() && type->name == "bytes";
        if (name == "numpy.ndarray")
            return type->is_array() || (type->is_record() && type->rank > 0);
        if (name == "numpy.integer") return type->is_number() && type->is_integer();
        if (name == "numpy.signedinteger") return type->is_number() && type->is_signed();
        if (name == "numpy.unsignedinteger") {
            return type->is_number() && type->is_integer() && !type->is_signed();
        }
        if (name == "numpy.floating") return type->is_number() && type->is_real();
        if (name == "numpy.complexfloating") return type->is_number() && type->is_complex();
        if (name == "numpy.inexact") {
            return type->is_number() && (type->is_real() || type->is_complex());
        }
        if (name == "numpy.number") return type->is_number() && !type->is_bool();
    }
    fail(wanted, fmt::format("isinstance() takes classes of numbers, of NumPy, named tuples and "
                             "dataclasses, tuple, str and bytes in kernels, got {}",
                             described(kind)));
}

// hasattr(), of what is known when compiled.
ExpressionRef Resolver::has_attribute(const ExpressionRef& value, const ExpressionRef& name,
                                      const Syntax& node) const {
    const Type type = value->type;
    if (is_unknown(value) || is_unknown(name)) return nothing(unknown_type());
    const Syntax* const present = member_of(type, "__dir__");
    if (name->type->family != Family::Text || present == nullptr) {
        unsupported(node,
                    "hasattr() takes a named tuple or a dataclass in kernels, and a literal name");
    }
    const auto is_wanted = [&name](const Syntax* one) { return one->text == name->type->name; };
    return truth(std::ranges::find(type->names, name->type->name) != type->names.end() ||
                 std::ranges::any_of(present->items, is_wanted));
}

// p._replace(x=1)
ExpressionRef Resolver::replaced(const ExpressionRef& value, const Arguments& arguments,
                                 const Syntax& node) {
    const bool are_named =
        std::ranges::none_of(arguments, [](const Argument& one) { return one.keyword.empty(); });
    if (arguments.empty() || !are_named) {
        fail(node, "_replace() takes fields by their names: _replace(x=1)");
    }
    Lets lets;
    const bool acts = std::ranges::any_of(
        arguments, [](const Argument& one) { return one.value->effect == Effect::Acts; });
    const ExpressionRef base = acts ? fixed(value, lets) : opened(value, lets);
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
        items[at] = acts ? fixed(decayed(one.value), lets) : decayed(one.value);
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
    // object.__ne__ is what a dataclass has; tuples have one of their own.
    if (op == "!=" && member_of(a->type, "__dataclass_fields__") != nullptr) {
        const ExpressionRef same = class_method("__eq__", {a, b}, node);
        if (same) return prefix("!", truth_of(same, node), number_type(Kind::Bool));
    }
    const auto comparison = kReflected.find(op);
    const std::string reflected = comparison != kReflected.end()
                                      ? fmt::format("__{}__", comparison->second)
                                      : fmt::format("__r{}__", kOperatorNames.at(op));
    const Syntax* const own = member_of(b->type, reflected);
    if (own == nullptr)
        return comparison == kReflected.end() ? flags_operation(op, a, b, node) : nullptr;
    Lets lets;
    const ExpressionRef left = once(a, "left", lets);
    const ExpressionRef right = once(b, "right", lets);
    return wrapped(lets, call_member(*own, {argument(right), argument(left)}, node));
}

// values[0].__len__() and its like, of what the class defines itself; null where it does not.
ExpressionRef Resolver::class_method(const std::string& name, const Values& values,
                                     const Syntax& node) {
    const Syntax* const own = member_of(values[0]->type, name);
    if (own == nullptr) return nullptr;
    Arguments arguments;
    for (const ExpressionRef& value : values) {
        arguments.push_back({.keyword = "", .value = value, .node = &node});
    }
    return call_member(*own, arguments, node);
}

// a += b by a.__iadd__(b); null where the class has none.
ExpressionRef Resolver::class_update(std::string_view op, const ExpressionRef& a,
                                     const ExpressionRef& b, const Syntax& node) {
    if (b->type->family == Family::Unknown) return nullptr;
    return class_method(fmt::format("__i{}__", kOperatorNames.at(op)), {a, b}, node);
}

// -a, +a, ~a and abs(a) by a.__neg__() and its like; null where the class has none.
ExpressionRef Resolver::class_sign(std::string_view op, const ExpressionRef& value,
                                   const Syntax& node) {
    const char* const name = op == "-"   ? "__neg__"
                             : op == "+" ? "__pos__"
                             : op == "~" ? "__invert__"
                                         : "__abs__";
    const ExpressionRef own = class_method(name, {value}, node);
    const Syntax* const flags = member_of(value->type, "__flags__");
    if (own || op != "~" || flags == nullptr) return own;
    Lets lets;
    const ExpressionRef bits = item(opened(value, lets), 0);
    Values others{binary("&", frozen(*flags, node, ""), negated("~", bits, node), node)};
    return wrapped(lets, tuple(std::move(others), value->type));
}

// t.index(v) and t.count(v), of lists that the function assigns, too. The thread ends where index()
// finds none, as at an exception.
ExpressionRef Resolver::place_in_tuple(const ExpressionRef& given, const std::string& name,
                                       const Arguments& arguments, const Syntax& node) {
    const ExpressionRef& wanted = only(arguments, node, name);
    if (given->type->is_array() && given->type->layout != Layout::Fixed) {
        unsupported(node, "the length of this list is not known here; write a loop");
    }
    Lets lets;
    const ExpressionRef all = given->type->is_array() ? items_as_tuple(given, node) : given;
    require_items(all->type, node);
    const ExpressionRef items = opened(before(all, wanted, lets), lets);
    const ExpressionRef value = once(wanted, "wanted", lets);
    const bool is_count = name == "count";
    const Type int64 = number_type(Kind::Int64);
    ExpressionRef result = whole(is_count ? 0 : -1);
    for (std::size_t i = items->type->items.size(); i-- > 0;) {
        const ExpressionRef is_equal = compare(operator_node("Eq"), item(items, i), value, node);
        result = is_count ? infix("+", cast(is_equal, int64), std::move(result), int64)
                          : select(is_equal, whole(static_cast<std::int64_t>(i)), std::move(result),
                                   int64);
    }
    if (!is_count) {
        const int raise = implicit_end("ValueError", "the value is not in the tuple or list", node);
        result = checked("{0} < 0", {std::move(result)}, raise);
    }
    return wrapped(lets, std::move(result));
}

}  // namespace warpwise::script
