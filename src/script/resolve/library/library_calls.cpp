// Calls of built-in functions and of the rows of intrinsics.def.
#include <fmt/format.h>

#include <algorithm>

#include "src/base/text.hpp"
#include "src/script/intrinsics.hpp"
#include "src/script/promotion.hpp"
#include "src/script/resolve/magnitudes.hpp"
#include "src/script/resolve/order.hpp"
#include "src/script/resolve/resolver.hpp"
#include "src/script/resolve/values/chars.hpp"
#include "src/script/resolve/values/times.hpp"

namespace warpwise::script {
namespace {

Kind kind_of(char letter) {
    switch (letter) {
        case 'b':
            return Kind::Bool;
        case 'i':
            return Kind::Int32;
        case 'u':
            return Kind::UInt32;
        case 'I':
            return Kind::Int64;
        case 'U':
            return Kind::UInt64;
        case 'f':
            return Kind::Float32;
        case 'd':
            return Kind::Float64;
        case 'h':
            return Kind::Float16;
        case 'g':
            return Kind::Complex64;
        case 'c':
            return Kind::Complex128;
        default:
            return Kind::Void;
    }
}

// Whether a letter takes all values of the argument; `is_loose`: whether it takes the type at all.
bool fits(char letter, const ExpressionRef& value, bool is_loose) {
    const Type type = value->type;
    if (!type->is_number()) return false;
    const std::size_t size = DType(type->kind).size();
    const bool is_constant = value->constant && value->constant->whole;
    const std::int64_t number = is_constant ? *value->constant->whole : 0;
    switch (letter) {
        case 'T':
            return true;
        case 'W':
            return type->is_whole();
        case 'b':
            return type->is_bool() || (is_loose && type->is_whole());
        case 'f':
            return type->kind == Kind::Float32 || type->kind == Kind::Float16 ||
                   (is_loose && !type->is_complex());
        case 'd':
            return !type->is_complex();
        case 'h':
            return type->kind == Kind::Float16 || (is_loose && !type->is_complex());
        case 'g':
            return type->kind == Kind::Complex64;
        case 'c':
            return type->is_complex() || is_loose;
        case 'i':
            if (is_constant && number >= INT32_MIN && number <= INT32_MAX) return true;
            return type->is_whole() &&
                   (is_loose || type->is_bool() || (type->is_signed() ? size <= 4 : size < 4));
        case 'u':
            if (is_constant && number >= 0 && number <= UINT32_MAX) return true;
            return type->is_whole() && (is_loose || (!type->is_signed() && size <= 4));
        case 'I':
            return type->is_whole() && (is_loose || type->kind != Kind::UInt64);
        case 'U':
            return type->is_whole() && (is_loose || !type->is_signed());
        default:
            return false;
    }
}

}  // namespace

ExpressionRef Resolver::call_known(const std::string& name, const Arguments& arguments,
                                   const Syntax& node) {
    if (name.starts_with("builtins.")) return built_in(name.substr(9), arguments, node);
    if (name.starts_with("numpy.") || name.starts_with("operator.")) {
        if (ExpressionRef result = numpy_call(name, arguments, node)) return result;
    }
    if (name == "functools.partial") return partial_of(arguments, node);
    if (name == "dataclasses.replace") {
        const bool has_value = !arguments.empty() && arguments[0].keyword.empty() &&
                               arguments[0].value->type->is_tuple();
        if (!has_value) fail(node, "dataclasses.replace() takes a dataclass and fields by name");
        return replaced(arguments[0].value, {arguments.begin() + 1, arguments.end()}, node);
    }
    if (ExpressionRef result = math_call(name, arguments, node)) return result;
    if (name == "cmath.polar") {
        Lets lets;
        const ExpressionRef& value = only(arguments, node, name);
        if (!value->type->is_number()) fail(node, "cmath.polar() takes a number");
        const Type type = number_type(Kind::Float64);
        const ExpressionRef number = once(cast(value, number_type(Kind::Complex128)), "z", lets);
        Values parts{call("__ww_py_abs", {number}, type), call("__ww_py_phase", {number}, type)};
        return wrapped(lets, tuple(std::move(parts), tuple_type({type, type})));
    }
    const bool is_modf = name == "math.modf" || name == "numpy.modf";
    if (is_modf || name == "math.frexp" || name == "numpy.frexp") {
        const ExpressionRef& value = only(arguments, node, name);
        if (!value->type->is_number() || value->type->is_complex()) {
            fail(node, fmt::format("{}() takes a real number", name));
        }
        const Type type = number_type(real_kind(value->type->kind));
        const Type result = tuple_type({type, is_modf ? type : number_type(Kind::Int64)});
        return call(is_modf ? "__ww_py_modf" : "__ww_py_frexp", {cast(value, type)}, result);
    }
    // The memory of an array, for functions that take pointers.
    if (name == "cffi.from_buffer") return decayed(only(arguments, node, "from_buffer"));
    if (!rows_named(name).empty()) return call_row(name, arguments, node);
    if (name.starts_with("cuda.")) return cuda_call(name, arguments, node);
    unsupported(node, fmt::format("{} is not available in kernels", name));
}

ExpressionRef Resolver::call_row(const std::string& name, const Arguments& arguments,
                                 const Syntax& node) {
    for (const Argument& one : arguments) {
        if (!one.keyword.empty()) {
            unsupported(*one.node,
                        fmt::format("{} takes its arguments by position in kernels", name));
        }
    }
    const IntrinsicRow* chosen = nullptr;
    for (const bool is_loose : {false, true}) {
        for (const IntrinsicRow& row : rows_named(name)) {
            if (chosen != nullptr || row.signature.size() != arguments.size() + 1) continue;
            bool all = true;
            for (std::size_t i = 0; i < arguments.size(); ++i) {
                all &= fits(row.signature[i + 1], arguments[i].value, is_loose);
            }
            if (all) chosen = &row;
        }
    }
    if (chosen == nullptr) {
        std::vector<std::string> given;
        for (const Argument& one : arguments) given.push_back(described(one.value->type));
        fail(node, fmt::format("{} does not take ({})", name, join(given)));
    }
    Type joint = unknown_type();
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const char letter = chosen->signature[i + 1];
        if (letter != 'T' && letter != 'W') continue;
        joint = *unified(joint, arguments[i].value->type);
    }
    if (joint->is_number() && joint->is_bool()) joint = number_type(Kind::Int64);
    Values operands;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const Kind kind = kind_of(chosen->signature[i + 1]);
        const Type type = kind == Kind::Void ? joint : number_type(kind);
        operands.push_back(type->is_bool() ? truth_of(arguments[i].value, node)
                                           : cast(arguments[i].value, type));
    }
    const char letter = chosen->signature[0];
    const Kind kind = kind_of(letter);
    const Type result = letter == 'v'        ? none_type()
                        : kind == Kind::Void ? joint
                                             : number_type(kind);
    if (chosen->text == "{0}") return operands[0];
    note_effect(chosen->effect);
    return call(chosen->text, std::move(operands), result, chosen->effect,
                name == "cuda.popc" || name == "cuda.clz" || name == "cuda.ffs" ||
                    name == "math.gcd" || name == "math.isqrt");
}

ExpressionRef Resolver::built_in(const std::string& name, const Arguments& arguments,
                                 const Syntax& node) {
    if (name == "print") return print(arguments);
    if (name == "min" || name == "max") return least_or_greatest(name == "min", arguments, node);
    if (name == "round") return rounded(arguments, node);
    if (name == "divmod") return divmod(arguments, node);
    if (name == "pow" && arguments.size() == 3) return modular_power(arguments, node);
    if (name == "pow" && arguments.size() == 2) {
        return binary("**", arguments[0].value, arguments[1].value, node);
    }
    if (name == "abs") {
        const ExpressionRef& value = only(arguments, node, name);
        if (ExpressionRef result = class_sign("abs", value, node)) return result;
        if (value->type->is_time()) return Times(*this).sign("abs", value, node);
        if (value->type->is_array()) return elementwise_call("numpy.abs", arguments, node);
        if (!value->type->is_number()) fail(node, "abs() takes a number");
        if (is_surely_natural(value) && value->type->is_integer()) return value;
        if (value->type->is_bool()) return cast(value, number_type(Kind::Int64));
        const Type type = value->type->kind == Kind::Complex64    ? number_type(Kind::Float32)
                          : value->type->kind == Kind::Complex128 ? number_type(Kind::Float64)
                                                                  : value->type;
        // -128 has no absolute value in eight bits.
        const bool holds = !type->is_whole() || magnitude(value) <= magnitude_of_type(type, true) ||
                           type->kind == Kind::Int64;
        return with_most(call("__ww_py_abs", {value}, type, Effect::Pure, holds), magnitude(value));
    }
    const bool is_tuple = name == "tuple" || name == "list";
    if (is_tuple && (arguments.empty() || arguments[0].value->type->is_tuple())) {
        if (arguments.empty()) return tuple({}, tuple_type({}));
        require_items(only(arguments, node, name)->type, node);
        std::vector<Type> types = arguments[0].value->type->items;
        return cast(arguments[0].value, tuple_type(std::move(types)));
    }
    if (name == "ord") {
        const ExpressionRef& value = only(arguments, node, name);
        if (value->type == chars_type(Kind::UInt32, 1)) {
            return call("__ww_py_chars_code", {value, whole(0)}, number_type(Kind::Int64),
                        Effect::Pure, true);
        }
        const std::string& text = value->type->name;
        const bool is_ascii = value->type->family == Family::Text && text.size() == 1;
        if (!is_ascii) fail(node, "ord() takes one ASCII character that is known when compiled");
        return whole(static_cast<unsigned char>(text[0]));
    }
    if (name == "len") {
        const ExpressionRef& value = only(arguments, node, name);
        if (value->type->is_record() && value->type->rank > 0) {
            return extent(first_array(value), 0);
        }
        if (value->type->is_chars()) return Chars::length(value);
        if (value->type->family == Family::Dict) {
            return whole(static_cast<std::int64_t>(value->type->items.size()));
        }
        if (value->type->family == Family::Text) {
            const auto is_first = [](char c) {
                return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
            };
            return behind(value, whole(std::ranges::count_if(value->type->name, is_first)));
        }
        if (value->type->is_tuple()) {
            if (ExpressionRef own = class_method("__len__", {value}, node)) return own;
            require_items(value->type, node);
            return behind(value, whole(static_cast<std::int64_t>(value->type->items.size())));
        }
        if (value->type->is_array() && value->type->rank > 0) return extent(value, 0);
        fail(node, fmt::format("{} has no len()", described(value->type)));
    }
    if (name == "sum" || name == "any" || name == "all") {
        const bool is_sum = name == "sum";
        return folded_items(name, arguments, node, is_sum ? whole(0) : truth(name == "all"),
                            [&](ExpressionRef result, ExpressionRef one) {
                                if (is_sum)
                                    return binary("+", std::move(result), std::move(one), node);
                                return infix(name == "all" ? "&" : "|", std::move(result),
                                             truth_of(one, node), number_type(Kind::Bool));
                            });
    }
    unsupported(node, fmt::format("{}() is not available in kernels", name));
}

// f(items) of one tuple: its items joined, from `start` on.
ExpressionRef Resolver::folded_items(
    const std::string& name, const Arguments& arguments, const Syntax& node, ExpressionRef start,
    const std::function<ExpressionRef(ExpressionRef, ExpressionRef)>& join) {
    const ExpressionRef& value = only(arguments, node, name);
    if (!value->type->is_tuple()) {
        unsupported(node, fmt::format("{}() takes tuples in kernels, got {}; write a loop", name,
                                      described(value->type)));
    }
    require_items(value->type, node);
    ExpressionRef result = std::move(start);
    for (ExpressionRef& one : items_in_turn(value)) {
        result = join(std::move(result), std::move(one));
    }
    return result;
}

ExpressionRef Resolver::least_or_greatest(bool is_least, const Arguments& arguments,
                                          const Syntax& node) {
    const char* const name = is_least ? "min" : "max";
    Values values;
    for (const Argument& one : arguments) {
        if (!one.keyword.empty())
            unsupported(*one.node, fmt::format("{}() takes no {}= in kernels", name, one.keyword));
        values.push_back(one.value);
    }
    Lets lets;
    if (values.size() == 1 && values[0]->type->is_tuple()) {
        require_items(values[0]->type, node);
        values = items_in_turn(values[0]);
    }
    if (values.empty()) fail(node, fmt::format("{}() takes two numbers or more", name));
    Type type = unknown_type();
    if (values[0]->type->is_time()) {
        ExpressionRef result = values[0];
        for (std::size_t i = 1; i < values.size(); ++i) {
            auto [one, other] = Times(*this).in_joint_unit(result, values[i], node);
            const ExpressionRef first = once(std::move(one), "first", lets);
            const ExpressionRef second = once(std::move(other), "second", lets);
            ExpressionRef is_better =
                Times(*this).comparison(is_least ? "<" : ">", second, first, node);
            result = select(std::move(is_better), second, first, first->type);
        }
        return wrapped(lets, std::move(result));
    }
    for (const ExpressionRef& value : values) {
        if (!value->type->is_number() || value->type->is_complex()) {
            fail(node,
                 fmt::format("{}() compares real numbers, got {}", name, described(value->type)));
        }
        type = *unified(type, value->type);
    }
    ExpressionRef result = cast(values[0], type);
    for (std::size_t i = 1; i < values.size(); ++i) {
        ExpressionRef next = cast(values[i], type);
        const bool first = is_surely_natural(result);
        const bool second = is_surely_natural(next);
        const bool stays = is_least ? first && second : first || second;
        const std::uint64_t most = stays && is_least ? std::min(magnitude(result), magnitude(next))
                                                     : std::max(magnitude(result), magnitude(next));
        result =
            call(is_least ? "__ww_py_min" : "__ww_py_max", {std::move(result), std::move(next)},
                 type, Effect::Pure, stays && type->is_whole());
        if (type->is_whole())
            result = with_most(result, std::min(most, magnitude_of_type(type, stays)));
    }
    return wrapped(lets, std::move(result));
}

ExpressionRef Resolver::rounded(const Arguments& arguments, const Syntax& node) {
    if (arguments.empty() || arguments.size() > 2) fail(node, "round() takes one or two arguments");
    const ExpressionRef& value = arguments[0].value;
    if (!value->type->is_number() || value->type->is_complex()) {
        fail(node, fmt::format("round() takes a real number, got {}", described(value->type)));
    }
    const Type int64 = number_type(Kind::Int64);
    const bool has_digits =
        arguments.size() == 2 && arguments[1].value->type->family != Family::None;
    if (!has_digits) {
        if (value->type->is_whole()) return cast(value, int64);
        return call("__ww_py_whole(::rint({0}))", {value}, int64);
    }
    const ExpressionRef& digits = arguments[1].value;
    if (!digits->type->is_number() || !digits->type->is_whole()) {
        fail(*arguments[1].node, "the digits of round() are a whole number");
    }
    const Type type = number_type(real_kind(value->type->kind));
    return call("__ww_py_round", {cast(value, type), cast(digits, int64)}, type);
}

// numpy.round(x, decimals): of x times a power of ten, where Python's round() is of x itself.
ExpressionRef Resolver::numpy_rounded(const Arguments& arguments, const Syntax& node) {
    const bool has_digits = arguments.size() == 2 &&
                            (arguments[1].keyword.empty() || arguments[1].keyword == "decimals");
    if (arguments.empty() || (arguments.size() != 1 && !has_digits)) {
        fail(node, "numpy.round() takes a number and decimals in kernels");
    }
    const ExpressionRef& value = arguments[0].value;
    const auto known = has_digits ? constants_of(arguments[1].value) : std::vector<std::int64_t>{0};
    const bool is_known =
        known && known->size() == 1 && known->front() > -16 && known->front() < 16;
    if (!is_known || !value->type->is_number() || value->type->is_complex()) {
        unsupported(node,
                    "numpy.round() takes a real number and a constant for decimals in "
                    "kernels, from -15 to 15");
    }
    const std::int64_t digits = known->front();
    const Type type = value->type;
    if (type->is_whole() && digits >= 0) return value;
    const Type real_type = type->is_whole()              ? number_type(Kind::Float64)
                           : type->kind == Kind::Float16 ? number_type(Kind::Float32)
                                                         : type;
    std::int64_t power = 1;
    for (std::int64_t i = 0; i < std::abs(digits); ++i) power *= 10;
    const ExpressionRef scale = cast(real(static_cast<double>(power)), real_type);
    const auto rint = [&](ExpressionRef one) {
        return call("::rint", {std::move(one)}, real_type);
    };
    const ExpressionRef number = cast(value, real_type);
    if (digits == 0) return cast(rint(number), type);
    const std::string_view first = digits > 0 ? "*" : "/";
    const std::string_view second = digits > 0 ? "/" : "*";
    return cast(binary(second, rint(binary(first, number, scale, node)), scale, node), type);
}

ExpressionRef Resolver::divmod(const Arguments& arguments, const Syntax& node) {
    if (arguments.size() != 2) fail(node, "divmod() takes two arguments");
    Lets lets;
    const ExpressionRef a = once(arguments[0].value, "dividend", lets);
    const ExpressionRef b = once(arguments[1].value, "divisor", lets);
    ExpressionRef quotient = binary("//", a, b, node);
    ExpressionRef rest = binary("%", a, b, node);
    const Type type = tuple_type({quotient->type, rest->type});
    return wrapped(lets, tuple({std::move(quotient), std::move(rest)}, type));
}

}  // namespace warpwise::script
