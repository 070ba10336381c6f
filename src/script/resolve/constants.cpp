// Operations on numbers that are known when compiled.
#include <fmt/format.h>

#include "src/script/resolve/resolver.hpp"

namespace warpwise::script {
namespace {

// Empty where the result has more than 64 bits.
std::optional<std::int64_t> folded_whole(std::string_view op, std::int64_t a, std::int64_t b) {
    std::int64_t result = 0;
    if (op == "+")
        return __builtin_add_overflow(a, b, &result) ? std::nullopt : std::optional(result);
    if (op == "-")
        return __builtin_sub_overflow(a, b, &result) ? std::nullopt : std::optional(result);
    if (op == "*")
        return __builtin_mul_overflow(a, b, &result) ? std::nullopt : std::optional(result);
    if (op == "&") return a & b;
    if (op == "|") return a | b;
    if (op == "^") return a ^ b;
    if ((op == "//" || op == "%") && b != 0 && b != -1) {
        const std::int64_t rest = a % b;
        const bool is_between = rest != 0 && (rest < 0) != (b < 0);
        if (op == "//") return a / b - (is_between ? 1 : 0);
        return is_between ? rest + b : rest;
    }
    if (op == ">>" && b >= 0 && b < 64) return a >> b;
    if (op == "<<" && b >= 0 && b < 63 && a >= 0 && a <= (INT64_MAX >> b)) return a << b;
    if (op == "**" && b >= 0 && b < 64) {
        result = 1;
        for (std::int64_t i = 0; i < b; ++i) {
            if (__builtin_mul_overflow(result, a, &result)) return std::nullopt;
        }
        return result;
    }
    return std::nullopt;
}

__extension__ using Wide = __int128;

// The value of whole numbers in the source and operators between them, as CPython's compiler has
// it: of any size.
struct Literal {
    enum class Form : std::uint8_t { Other, Known, Huge };  // Huge: more than 127 bits
    Form form = Form::Other;
    Wide value = 0;
};

constexpr Literal kHuge{.form = Literal::Form::Huge, .value = 0};

// base * factor ** times.
Literal repeated(Wide base, Wide factor, Wide times) {
    if (factor == 0 && times > 0) base = 0;
    if (base == 0 || factor == 0 || factor == 1) return {Literal::Form::Known, base};
    for (Wide i = 0; i < times; ++i) {
        if (__builtin_mul_overflow(base, factor, &base)) return kHuge;
    }
    return {Literal::Form::Known, base};
}

Literal combined(std::string_view op, Wide a, Wide b) {
    Wide result = 0;
    bool is_huge = false;
    if (op == "Add") {
        is_huge = __builtin_add_overflow(a, b, &result);
    } else if (op == "Sub") {
        is_huge = __builtin_sub_overflow(a, b, &result);
    } else if (op == "Mult") {
        is_huge = __builtin_mul_overflow(a, b, &result);
    } else if (op == "Pow" && b >= 0) {
        return repeated(1, a, b);
    } else if (op == "LShift" && b >= 0) {
        return repeated(a, 2, b);
    } else {
        return {};
    }
    return is_huge ? kHuge : Literal{Literal::Form::Known, result};
}

Literal literal_of(const Syntax& node) {
    if (node.is("Constant")) {
        const Syntax& number = node["value"];
        std::int64_t whole = 0;
        std::uint64_t large = 0;
        if (number.form != Syntax::Form::Int) return {};
        if (number.as_int(whole)) return {Literal::Form::Known, whole};
        return number.as_uint(large) ? Literal{Literal::Form::Known, large} : kHuge;
    }
    if (node.is("UnaryOp") && node["op"].is("USub")) {
        const Literal operand = literal_of(node["operand"]);
        return {operand.form, -operand.value};
    }
    if (!node.is("BinOp")) return {};
    const Literal left = literal_of(node["left"]), right = literal_of(node["right"]);
    if (left.form != Literal::Form::Known) return left;
    if (right.form != Literal::Form::Known) return right;
    return combined(node["op"].text, left.value, right.value);
}

}  // namespace

ExpressionRef Resolver::literal_result(const Syntax& node) const {
    const Literal known = literal_of(node);
    if (known.form == Literal::Form::Other) return nullptr;
    const bool fits = known.form == Literal::Form::Known && known.value >= INT64_MIN &&
                      known.value <= Wide{UINT64_MAX};
    if (!fits) fail(node, "this number has more than 64 bits; write it as a float, 2.0 ** 100");
    if (known.value <= INT64_MAX) return whole(static_cast<std::int64_t>(known.value));
    return large(static_cast<std::uint64_t>(known.value));
}

ExpressionRef Resolver::folded(std::string_view op, const ExpressionRef& a,
                               const ExpressionRef& b) const {
    if (!a->constant || !b->constant) return nullptr;
    const Constant& left = *a->constant;
    const Constant& right = *b->constant;
    if (a->type->kind == Kind::Int64 && b->type->kind == Kind::Int64 && left.whole && right.whole) {
        const auto value = folded_whole(op, *left.whole, *right.whole);
        if (value) return whole(*value);
    }
    const auto number = [](const ExpressionRef& value) -> std::optional<double> {
        if (value->constant->real) return value->constant->real;
        if (value->constant->whole) return static_cast<double>(*value->constant->whole);
        return std::nullopt;
    };
    const auto x = number(a);
    const auto y = number(b);
    const bool is_single = a->type->kind == Kind::Float32 || b->type->kind == Kind::Float32;
    if (!x || !y || is_single) return nullptr;
    if (op == "/" && *y != 0) return real(*x / *y);
    if (!left.real && !right.real) return nullptr;
    if (op == "+") return real(*x + *y);
    if (op == "-") return real(*x - *y);
    if (op == "*") return real(*x * *y);
    return nullptr;
}

ExpressionRef Resolver::folded_comparison(std::string_view op, const ExpressionRef& a,
                                          const ExpressionRef& b) {
    if (!a->constant || !b->constant || !a->constant->whole || !b->constant->whole) return nullptr;
    const std::int64_t x = *a->constant->whole;
    const std::int64_t y = *b->constant->whole;
    if (op == "==") return truth(x == y);
    if (op == "!=") return truth(x != y);
    if (op == "<") return truth(x < y);
    if (op == "<=") return truth(x <= y);
    return truth(op == ">" ? x > y : x >= y);
}

}  // namespace warpwise::script
