// Calls: of other Python functions, of types, of methods, of the library.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <limits>

#include "src/base/text.hpp"
#include "src/script/resolve/magnitudes.hpp"
#include "src/script/resolve/order.hpp"
#include "src/script/resolve/resolver.hpp"
#include "src/script/resolve/values/chars.hpp"
#include "src/script/resolve/values/times.hpp"
#include "src/script/times.hpp"

namespace warpwise::script {
namespace {

// What kernels call in the place of functions of the host that programs often call.
std::string_view advice_on_call(std::string_view name) {
    if (name.starts_with("random.") || name.starts_with("numpy.random")) {
        return "; they draw by cuda.random.xoroshiro128p_uniform_float64(states, i)";
    }
    return "";
}

// float("inf"), int("12"): null where the text is no number of the type.
ExpressionRef number_of_text(std::string_view text, Type type) {
    const auto is_blank = [](char c) { return c == ' ' || c == '\t' || c == '\n'; };
    while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
    const bool is_negative = text.starts_with('-');
    if (is_negative || text.starts_with('+')) text.remove_prefix(1);
    if (text.empty() || text[0] == '-' || text[0] == '+') return nullptr;
    std::string lower(text);
    std::ranges::transform(lower, lower.begin(), [](char c) {
        return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    });
    const char* const end = lower.data() + lower.size();
    if (type->is_integer()) {
        std::int64_t number = 0;
        const auto [at, error] = std::from_chars(lower.data(), end, number);
        if (error != std::errc() || at != end) return nullptr;
        return cast(whole(is_negative ? -number : number), type);
    }
    if (!type->is_real()) return nullptr;
    double number = 0;
    if (lower == "nan") {
        number = std::numeric_limits<double>::quiet_NaN();
    } else if (lower == "inf" || lower == "infinity") {
        number = std::numeric_limits<double>::infinity();
    } else {
        const auto [at, error] = std::from_chars(lower.data(), end, number);
        if (error != std::errc() || at != end || lower.find('n') != lower.npos) return nullptr;
    }
    return cast(real(is_negative ? -number : number), type);
}

// Where a function carries the value of this name.
std::optional<std::size_t> carried(std::string_view name, const Expression& function) {
    const std::vector<std::string>& names = function.type->names;
    const auto found = std::ranges::find(names, name);
    if (found == names.end()) return std::nullopt;
    return static_cast<std::size_t>(found - names.begin());
}

}  // namespace

Resolver::Arguments Resolver::arguments_of(const Syntax& node) {
    Arguments arguments;
    for (const Syntax* one : node.list("args")) {
        if (one->is("Starred")) {
            const ExpressionRef rest = expression((*one)["value"]);
            if (!rest->type->is_tuple()) fail(*one, "only tuples can be passed with *");
            require_items(rest->type, *one);
            for (ExpressionRef& item : items_in_turn(rest)) {
                arguments.push_back({.keyword = "", .value = std::move(item), .node = one});
            }
            continue;
        }
        if (one->is("JoinedStr")) {  // print() reads its parts
            arguments.push_back({.keyword = "", .value = nothing(none_type()), .node = one});
            continue;
        }
        arguments.push_back({.keyword = "", .value = expression(*one), .node = one});
    }
    for (const Syntax* one : node.list("keywords")) {
        if ((*one)["arg"].is_none()) unsupported((*one)["value"], "kernels do not pass **keywords");
        arguments.push_back({.keyword = (*one)["arg"].text,
                             .value = expression((*one)["value"]),
                             .node = &(*one)["value"]});
    }
    return arguments;
}

ExpressionRef Resolver::call_of(const Syntax& node) {
    const Syntax& callee = node["func"];
    // A method, unless the attribute is a value of a module.
    if (callee.is("Attribute")) {
        const std::optional<std::string> path = dotted(callee);
        const bool is_global = path && scope_value(*path) != nullptr;
        if (!is_global) {
            if (node.list("args").empty() && node.list("keywords").empty()) {
                const std::array value{&callee["value"]};
                if (ExpressionRef number = number_of_elements(callee["attr"].text, value, node)) {
                    return number;
                }
            }
            const ExpressionRef base = expression(callee["value"]);
            const std::string& method_name = callee["attr"].text;
            const bool is_grown = base->type->family == Family::Unknown &&
                                  callee["value"].is("Name") && grown_list(callee["value"]);
            // What is appended says what the list holds.
            if (is_grown) {
                if (method_name != "append" && method_name != "extend") return base;
                return grow(base, method_name, arguments_of(node), node);
            }
            if (base->type->family == Family::Unknown) return base;
            const Family family = base->type->family;
            const bool has_methods = family == Family::Array || family == Family::Number ||
                                     family == Family::Tuple || family == Family::Text ||
                                     family == Family::Dict || base->type->is_scalar();
            if (has_methods) return method(base, method_name, arguments_of(node), node);
            const bool is_class = family == Family::Element && base->type->element->is_tuple();
            const Syntax* const own =
                is_class ? member_of(base->type->element, callee["attr"].text) : nullptr;
            if (own != nullptr) return call_member(*own, arguments_of(node), node);
        }
    }
    const ExpressionRef function = expression(callee);
    const Type type = function->type;
    if (type->family == Family::Unknown) return function;
    if (type->family == Family::Known && type->name == "builtins.isinstance") {
        const auto given = node.list("args");
        if (given.size() != 2) fail(node, "isinstance() takes a value and a class");
        const ExpressionRef value = expression(*given[0]);
        const auto is_one = is_instance(value, *given[1]);
        return is_one ? behind(value, truth(*is_one)) : nothing(unknown_type());
    }
    if (type->family == Family::Known && type->name == "builtins.hasattr") {
        const auto given = node.list("args");
        if (given.size() != 2) fail(node, "hasattr() takes a value and a name");
        return has_attribute(expression(*given[0]), expression(*given[1]), node);
    }
    if (type->family == Family::Known) {
        if (type->name == "numpy.allclose") {
            const std::array near{
                &translation_.comprehensions().call_of_known("numpy.isclose", node)};
            if (ExpressionRef all = number_of_elements("all", near, node)) return all;
        }
        const std::size_t prefix = type->name.starts_with("numpy.") ? 6 : 0;
        if (node.list("keywords").empty()) {
            ExpressionRef number = number_of_elements(std::string_view(type->name).substr(prefix),
                                                      node.list("args"), node);
            if (number) return number;
        }
        if (ExpressionRef result = consumed(type->name, node)) return result;
    }
    const Arguments arguments = arguments_of(node);
    for (const Argument& one : arguments) {
        if (one.value->type->family == Family::Unknown) return one.value;
    }
    return call_value(function, arguments, callee, node);
}

ExpressionRef Resolver::call_value(const ExpressionRef& function, const Arguments& arguments,
                                   const Syntax& callee, const Syntax& node) {
    const Type type = function->type;
    switch (type->family) {
        case Family::Function: {
            const Function& target = translation_.program().functions()[type->number];
            Arguments all = arguments;
            if (type->element != nullptr) {  // a class method: the class comes first
                all.insert(all.begin(),
                           {.keyword = "", .value = nothing(type->element), .node = &callee});
            }
            return call_function({.function = &target, .node = target.node}, all, node);
        }
        case Family::Local:
            return call_local(function, arguments, node);
        case Family::Partial:
            return call_partial(function, arguments, callee, node);
        case Family::Element:
            return call_element(type->element, arguments, node);
        case Family::Tuple:
            if (const Syntax* const own = member_of(type, "__call__")) {
                Arguments all{{.keyword = "", .value = function, .node = &callee}};
                all.insert(all.end(), arguments.begin(), arguments.end());
                return call_member(*own, all, node);
            }
            fail(callee, fmt::format("{} cannot be called in a kernel", described(type)));
        case Family::Known:
            if (!type->names.empty()) return call_external(type, arguments, node);
            return call_known(type->name, arguments, node);
        default:
            fail(callee, fmt::format("{} cannot be called in a kernel{}", described(type),
                                     advice_on_call(type->name)));
    }
}

// Of arguments that the function must know when it is compiled; none in this pass where they are
// parameters here.
std::optional<Resolver::Constants> Resolver::constants_wanted(const Syntax& callee,
                                                              const Values& values,
                                                              const Syntax& node) {
    Constants constants;
    const std::vector<const Syntax*> parameters = parameters_of(callee);
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        if (!translation_.wants_constant(callee, i)) continue;
        const auto known = constants_of(values[i]);
        if (known) {
            constants[i] = *known;
        } else if (want_constant(values[i])) {
            return std::nullopt;
        } else {
            const std::string name = callee.is("Lambda") ? "<lambda>" : callee["name"].text;
            fail(node, fmt::format("'{}' of {}() is the shape of an array there: pass a constant",
                                   (*parameters[i])["arg"].text, name));
        }
    }
    return constants;
}

// Values of the parameters that a call does not name.
void Resolver::fill_defaults(const Callee& called, Values& values, const Syntax& node) {
    const Syntax& callee = *called.node;
    const std::string name = callee.is("Lambda") ? "<lambda>" : callee["name"].text;
    const Syntax& args = callee["args"];
    const std::vector<const Syntax*> parameters = parameters_of(callee);
    const std::size_t positional = args.list("posonlyargs").size() + args.list("args").size();
    const std::size_t keywords = positional + (args["vararg"].is_none() ? 0 : 1);
    const auto defaults = args.list("defaults");
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        if (values[i]) continue;
        const std::string& parameter = (*parameters[i])["arg"].text;
        if (called.local == nullptr) {
            const auto found = called.function->defaults.find(parameter);
            if (found != called.function->defaults.end())
                values[i] = frozen(*found->second, node, parameter);
            if (values[i]) continue;
        } else if (const std::optional<std::size_t> at = carried("=" + parameter, *called.value)) {
            values[i] = item(called.value, *at);
        } else if (i < positional && i + defaults.size() >= positional) {
            values[i] = expression(*defaults[i + defaults.size() - positional]);
        } else if (i >= keywords) {
            const Syntax& value = *args.list("kw_defaults")[i - keywords];
            if (!value.is_none()) values[i] = expression(value);
        }
        if (!values[i]) {
            fail(node, fmt::format("'{}' lacks its argument '{}'", name, parameter));
        }
    }
}

// Captured numbers, tuples of them and extents of arrays that are known here.
void Resolver::add_known(const Values& values, std::size_t first, Constants& constants) {
    for (std::size_t i = first; i < values.size(); ++i) {
        const Expression* memory = values[i].get();
        while (memory->op == Expression::Op::Cast) memory = memory->operands[0].get();
        const bool is_known = values[i]->type->is_number() || values[i]->type->is_tuple();
        const auto known = values[i]->type->is_array() ? std::optional(memory->type->shape)
                           : is_known                  ? constants_of(values[i])
                                                       : std::nullopt;
        if (known && !known->empty()) constants[i] = *known;
    }
}

// The sign and magnitude of a parameter are those of all calls.
void Resolver::note_argument(Variable& parameter, const ExpressionRef& value) {
    bool changed = enlarge(parameter, value, false);
    if (parameter.is_never_negative && !value->is_never_negative) {
        parameter.is_never_negative = false;
        changed = true;
    }
    if (changed) translation_.note_change();
}

ExpressionRef Resolver::call_function(const Callee& called, const Arguments& arguments,
                                      const Syntax& node) {
    const Function& function = *called.function;
    const Syntax& callee = *called.node;
    const LocalFunction* const local = called.local;
    const std::string name = callee.is("Lambda") ? "<lambda>" : callee["name"].text;
    const Syntax& args = callee["args"];
    if (!args["kwarg"].is_none()) {
        unsupported(node, fmt::format("'{}' takes **kwargs, which kernels cannot pass", name));
    }
    const std::vector<const Syntax*> parameters = parameters_of(callee);
    const std::size_t positional = args.list("posonlyargs").size() + args.list("args").size();
    Values values(parameters.size());
    const bool takes_rest = !args["vararg"].is_none();
    Values rest;
    std::vector<Type> types_of_rest;
    std::size_t next = 0;
    Lets lets;
    for (const Argument& one : in_order(arguments, lets)) {
        std::size_t at = next;
        if (one.keyword.empty()) {
            if (next >= positional && takes_rest) {
                rest.push_back(closed(decayed(one.value)));
                types_of_rest.push_back(rest.back()->type);
                continue;
            }
            if (next++ == positional) {
                fail(node, fmt::format("'{}' takes {} argument{}, got more", name, positional,
                                       positional == 1 ? "" : "s"));
            }
        } else {
            at = 0;
            while (at < parameters.size() && (*parameters[at])["arg"].text != one.keyword) ++at;
            if (at == parameters.size() || (takes_rest && at == positional)) {
                fail(*one.node, fmt::format("'{}' has no parameter '{}'", name, one.keyword));
            }
            if (at < args.list("posonlyargs").size()) {
                fail(*one.node, fmt::format("'{}' takes its argument '{}' by position only", name,
                                            one.keyword));
            }
            if (values[at]) {
                fail(*one.node,
                     fmt::format("'{}' gets its argument '{}' twice", name, one.keyword));
            }
        }
        values[at] = closed(decayed(one.value));
    }
    if (takes_rest) {
        values[positional] = tuple(std::move(rest), tuple_type(std::move(types_of_rest)));
    }
    fill_defaults(called, values, node);
    const bool is_declared = local == nullptr && !function.signatures.empty();
    const Type declared = is_declared ? as_declared(function, values, node) : unknown_type();
    std::vector<std::string> captured;
    if (local != nullptr && is_closed(called.value->type)) {
        const std::vector<std::string>& names = called.value->type->names;
        for (std::size_t i = 0; i < names.size(); ++i) {
            if (names[i][0] == '=') continue;
            captured.push_back(names[i]);
            values.push_back(item(called.value, i));
        }
    } else if (local != nullptr) {
        if (local->owner == &instance_) capture(*local, captured, values);
        pass_captured(captured, values);
    }
    std::vector<Type> types;
    for (const ExpressionRef& value : values) types.push_back(value->type);
    const bool is_known = std::ranges::find(types, unknown_type()) == types.end();
    if (!is_known) return nothing(unknown_type());  // captured, of a type that is found later
    auto constants = constants_wanted(callee, values, node);
    if (!constants) return nothing(unknown_type());
    if (called.knows_captures) add_known(values, parameters.size(), *constants);
    Instance& target =
        translation_.instance(function, callee, std::move(types), std::move(captured), *constants,
                              function_.source, node.place);
    instance_.calls.push_back(&target);
    auto made = std::make_shared<Expression>();
    made->op = Expression::Op::Call;
    made->type = target.result;
    made->target = &target;
    made->effect = effect_of(values, target.is_running ? Effect::Acts : target.effect);
    made->is_never_negative = target.result_is_never_negative && target.result->is_number() &&
                              target.result->is_whole() && !target.is_running;
    made->most = target.result_most;
    if (target.may_end) {
        made->effect = Effect::Acts;
        note_may_end();
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (target.parameters.size() > i) note_argument(*target.parameters[i], values[i]);
        if (target.written.contains(i)) note_written(values[i], node);
        if (target.few_items.contains(i)) note_few_items(values[i]);
        made->operands.push_back(values[i]);
    }
    note_effect(made->effect);
    std::size_t part = 0;
    const ExpressionRef result =
        with_arrays(declared_result(std::move(made), declared, node), node, part);
    return result->storage ? made_behind(lets, result) : wrapped(lets, result);
}

ExpressionRef Resolver::call_element(Type type, const Arguments& arguments, const Syntax& node) {
    if (type->is_time()) return Times(*this).made(type, arguments, node);
    if (type->is_chars()) {
        fail(node, fmt::format("kernels make no strings with {}(); they copy, compare and join "
                               "those that there are",
                               text_of(type)));
    }
    if (arguments.empty() && !type->is_tuple()) return cast(whole(0), type);
    if (type->is_tuple()) {  // the class of a named tuple
        Values items(type->items.size());
        std::size_t next = 0;
        Lets lets;
        for (const Argument& one : in_order(arguments, lets)) {
            std::size_t at = next++;
            if (!one.keyword.empty()) {
                const auto found = std::ranges::find(type->names, one.keyword);
                at = static_cast<std::size_t>(found - type->names.begin());
            }
            if (at >= items.size() || items[at]) {
                fail(node, fmt::format("{} has {} fields: {}", type->name, items.size(),
                                       join(type->names)));
            }
            items[at] = decayed(one.value);
        }
        TypeData data = *type;
        for (std::size_t i = 0; i < items.size(); ++i) {
            if (!items[i]) items[i] = default_of(*type, i, node);
            if (!items[i])
                fail(node, fmt::format("{} lacks its field '{}'", type->name, type->names[i]));
            data.items[i] = items[i]->type;
        }
        return wrapped(lets, tuple(std::move(items), intern(std::move(data))));
    }
    if (type->is_complex()) {
        const Type part =
            number_type(type->kind == Kind::Complex64 ? Kind::Float32 : Kind::Float64);
        if (arguments.size() == 1 && arguments[0].value->type->is_complex()) {
            return cast(arguments[0].value, type);
        }
        Values parts;
        for (const Argument& one : arguments) parts.push_back(cast(one.value, part));
        if (parts.size() == 1) parts.push_back(cast(real(0), part));
        return call("", std::move(parts), type);
    }
    const ExpressionRef& value = only(arguments, node, text_of(type));
    if (value->type->family == Family::Text) {
        if (ExpressionRef number = number_of_text(value->type->name, type)) return number;
    }
    const bool is_count = value->type->is_time() && type->is_integer() && !is_date(value->type);
    if (is_count) return cast(call("__ww_py_time", {value}, number_type(Kind::Int64)), type);
    if (value->type->is_tuple() && type->is_bool()) return truth_of(value, node);
    if (!value->type->is_number()) {
        fail(node,
             fmt::format("{}() takes a number, got {}", text_of(type), described(value->type)));
    }
    if (value->type->is_complex()) {
        fail(node,
             fmt::format("{}() cannot take a complex number; use its real part", text_of(type)));
    }
    if (value->type == type) return value;
    if (type->is_bool()) return truth_of(value, node);
    return cast(value, type);
}

ExpressionRef Resolver::method(const ExpressionRef& value, const std::string& name,
                               const Arguments& arguments, const Syntax& node) {
    const Type type = value->type;
    if (type->family == Family::Dict) return dict_method(value, name, arguments, node);
    if (type->is_number() && (name == "conjugate" || name == "conj") && arguments.empty()) {
        return type->is_complex() ? call("__ww_py_conjugate", {value}, type) : value;
    }
    if (type->is_number() && name == "item" && arguments.empty()) return value;
    if (type->is_number() && name == "is_integer" && type->is_real() && arguments.empty()) {
        return call("__ww_py_is_integer", {value}, number_type(Kind::Bool));
    }
    if (type->is_number() && name == "bit_length" && type->is_integer() && arguments.empty()) {
        const Kind kind = type->kind == Kind::UInt64 ? Kind::UInt64 : Kind::Int64;
        return call("__ww_py_bit_length", {cast(value, number_type(kind))},
                    number_type(Kind::Int64), Effect::Pure, true);
    }
    if (type->is_number() && name == "bit_count" && type->is_integer() && arguments.empty()) {
        const Kind kind = type->kind == Kind::UInt64 ? Kind::UInt64 : Kind::Int64;
        return call("__ww_py_bit_count", {cast(value, number_type(kind))}, number_type(Kind::Int64),
                    Effect::Pure, true);
    }
    if (type->is_tuple() && name == "_replace" && !type->name.empty()) {
        return replaced(value, arguments, node);
    }
    if (type->is_tuple()) {
        if (const Syntax* const own = member_of(type, name)) {
            Arguments all;
            if (!own->is_tagged("static") && !own->is_tagged("classmethod")) {
                all.push_back({.keyword = "", .value = value, .node = &node});
            }
            all.insert(all.end(), arguments.begin(), arguments.end());
            return call_member(*own, all, node);
        }
    }
    if (type->is_tuple() && (name == "append" || name == "extend" || name == "insert")) {
        refuse_growth(node);
    }
    const bool is_list = type->is_tuple() || (type->is_array() && type->is_list);
    if (is_list && (name == "index" || name == "count")) {
        return place_in_tuple(value, name, arguments, node);
    }
    if (is_list && (name == "sort" || name == "reverse")) {
        unsupported(node, fmt::format("lists of kernels have no method '{}'; take another list, {}",
                                      name, name == "sort" ? "b = sorted(a)" : "b = a[::-1]"));
    }
    const bool is_string = type->is_chars() || type->family == Family::Text;
    if (is_string) return Chars(*this).method(value, name, arguments, node);
    if (type->is_time() && (name == "view" || name == "astype")) {
        const Type wanted = element_type(arguments.at(0));
        if (wanted->is_time() && name == "astype") return Times(*this).in_unit(value, wanted, node);
        if (wanted == number_type(Kind::Int64)) return call("__ww_py_time", {value}, wanted);
    }
    if (type->is_array()) {
        if (ExpressionRef result = array_method(value, name, arguments, node)) return result;
    }
    if (type->is_number() && name == "astype") {
        return call_element(element_type(arguments.at(0)),
                            {{.keyword = "", .value = value, .node = &node}}, node);
    }
    if (type->is_number() && name == "clip") {
        Arguments all = arguments;
        all.insert(all.begin(), {.keyword = "", .value = value, .node = &node});
        return call_known("numpy.clip", all, node);
    }
    unsupported(node, fmt::format("{} has no method '{}' in kernels; write a loop, or a function",
                                  described(type), name));
}

const ExpressionRef& Resolver::only(const Arguments& arguments, const Syntax& node,
                                    std::string_view name) {
    if (arguments.size() != 1 || !arguments[0].keyword.empty()) {
        fail(node,
             fmt::format("{}() takes one argument in a kernel, got {}", name, arguments.size()));
    }
    return arguments[0].value;
}

}  // namespace warpwise::script
