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

}  // namespace

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

}  // namespace warpwise::script
