// Bounds of absolute values through operators, conversions and variables.
#include "src/script/resolve/magnitudes.hpp"

#include <algorithm>
#include <bit>

namespace warpwise::script {
namespace {

using Op = Expression::Op;

constexpr std::uint64_t kSmallStep = std::uint64_t{1} << 32;
constexpr std::uint64_t kLargeStep = std::uint64_t{1} << 48;
// Two of them, and some small steps more, have 63 bits.
constexpr std::uint64_t kManyTurns = (std::uint64_t{1} << 62) - (std::uint64_t{1} << 34);

std::uint64_t sum(std::uint64_t a, std::uint64_t b) {
    std::uint64_t result = 0;
    return __builtin_add_overflow(a, b, &result) ? kAnyMagnitude : result;
}

std::uint64_t product(std::uint64_t a, std::uint64_t b) {
    std::uint64_t result = 0;
    return __builtin_mul_overflow(a, b, &result) ? kAnyMagnitude : result;
}

std::uint64_t shifted(std::uint64_t a, const ExpressionRef& by) {
    const bool is_known = by->constant && by->constant->whole && *by->constant->whole >= 0 &&
                          *by->constant->whole < 64;
    if (!is_known) return kAnyMagnitude;
    return product(a, std::uint64_t{1} << *by->constant->whole);
}

// a / by, and a >> by, which rounds negative numbers away from zero.
std::uint64_t quotient(std::string_view op, std::uint64_t a, bool is_natural,
                       const ExpressionRef& by) {
    const std::int64_t number = by->constant ? by->constant->whole.value_or(0) : 0;
    if (op == "/") return number > 1 ? a / static_cast<std::uint64_t>(number) : a;
    if (number <= 0 || number >= 64) return a;
    return is_natural ? a >> number : std::min(a, (a >> number) + 1);
}

std::uint64_t of_constant(const Constant& value) {
    if (value.large) return *value.large;
    if (value.truth) return *value.truth ? 1 : 0;
    const std::int64_t whole = value.whole.value_or(0);
    const auto bits = static_cast<std::uint64_t>(whole);
    return whole < 0 ? std::uint64_t{0} - bits : bits;
}

// What constants multiply the other numbers of a sum or product by.
std::uint64_t factor(const Expression& value) {
    if (value.op == Op::Cast) return factor(*value.operands[0]);
    if (value.op != Op::Infix) {
        return value.constant && value.constant->whole ? of_constant(*value.constant) : 1;
    }
    const Expression& a = *value.operands[0];
    if (value.text == "<<") return shifted(factor(a), value.operands[1]);
    const Expression& b = *value.operands[1];
    if (value.text == "*") return product(factor(a), factor(b));
    return value.text == "+" ? std::max(factor(a), factor(b)) : 1;
}

// The sum or difference that it is, behind conversions; null for others.
const Expression* sum_in(const ExpressionRef& value) {
    const Expression* sum = value.get();
    while (sum->op == Op::Cast) sum = sum->operands[0].get();
    return sum->op == Op::Infix && (sum->text == "+" || sum->text == "-") ? sum : nullptr;
}

// The variable itself, and what is added to it or taken from it.
const Expression* step_of(const Variable& variable, const ExpressionRef& value) {
    const Expression* const sum = sum_in(value);
    if (sum == nullptr) return nullptr;
    const auto is_variable = [&](const ExpressionRef& one) {
        return one->op == Op::Variable && one->variable.get() == &variable;
    };
    if (is_variable(sum->operands[0])) return sum->operands[1].get();
    const bool is_second = sum->text == "+" && is_variable(sum->operands[1]);
    return is_second ? sum->operands[0].get() : nullptr;
}

// Whether it is a sum or difference of a number of less than 62 bits and of a small constant, such
// as the bounds of a search by halves: middle + 1.
bool is_small_step(const ExpressionRef& value) {
    const Expression* const sum = sum_in(value);
    if (sum == nullptr) return false;
    const ExpressionRef& a = sum->operands[0];
    const ExpressionRef& b = sum->operands[1];
    return b->constant && magnitude(b) <= kSmallStep && magnitude(a) <= kManyTurns;
}

}  // namespace

std::uint64_t magnitude_of_type(Type type, bool is_never_negative) {
    if (!is_whole_number(type)) return kAnyMagnitude;
    if (type->is_bool()) return 1;
    const std::size_t bits = 8 * DType(type->kind).size();
    const std::uint64_t all = kAnyMagnitude >> (64 - bits);
    if (!type->is_signed()) return all;
    return is_never_negative ? all / 2 : all / 2 + 1;
}

std::uint64_t magnitude(const ExpressionRef& value) {
    if (!is_whole_number(value->type)) return kAnyMagnitude;
    if (value->constant) return of_constant(*value->constant);
    if (value->most) return *value->most;
    return magnitude_of_type(value->type, value->is_never_negative);
}

std::uint64_t magnitude_of_infix(std::string_view op, const ExpressionRef& a,
                                 const ExpressionRef& b, Type type) {
    if (!is_whole_number(a->type) || !is_whole_number(b->type))
        return magnitude_of_type(type, false);
    const std::uint64_t of_type = magnitude_of_type(type, true);
    const std::uint64_t first = magnitude(a);
    const std::uint64_t second = magnitude(b);
    const bool are_natural = is_surely_natural(a) && is_surely_natural(b);
    const auto result = [&]() -> std::uint64_t {
        if (op == "+") return sum(first, second);
        if (op == "-") return are_natural ? std::max(first, second) : sum(first, second);
        if (op == "*") return product(first, second);
        if (op == "<<") return shifted(first, b);
        if (op == "/" || op == ">>") {
            return std::min(quotient(op, first, is_surely_natural(a), b), kMostWhole + 1);
        }
        if (op == "%") return are_natural ? std::min(first, second) : kMostWhole + 1;
        if (op == "&" && is_surely_natural(a)) return are_natural ? std::min(first, second) : first;
        if (op == "&" && is_surely_natural(b)) return second;
        const bool has_bits = op == "&" || op == "|" || op == "^";
        if (!has_bits) return of_type;
        const std::uint64_t joint = first | second;
        if (are_natural) return kAnyMagnitude >> std::countl_zero(joint | 1);
        return std::max(joint, kMostWhole + 1);
    };
    // Numbers without sign start again from 0.
    return type->is_signed() ? result() : std::min(result(), of_type);
}

std::uint64_t magnitude_of_cast(const ExpressionRef& value, Type type) {
    if (!is_whole_number(value->type) || !is_whole_number(type)) {
        return magnitude_of_type(type, false);
    }
    const std::uint64_t most = magnitude(value);
    const bool keeps_all = type->kind == Kind::Int64 && value->type->kind != Kind::UInt64;
    const bool holds =
        most <= magnitude_of_type(type, true) && (type->is_signed() || is_surely_natural(value));
    return keeps_all || holds ? most : magnitude_of_type(type, false);
}

std::uint64_t magnitude_of_range(const std::vector<ExpressionRef>& range) {
    const auto& step = range[2]->constant;
    std::uint64_t end = magnitude(range[1]);
    const bool goes_up = step && step->whole.value_or(0) > 0;
    if (goes_up) end = std::max<std::uint64_t>(std::min(end, kMostWhole), 1) - 1;
    return std::max(magnitude(range[0]), end);
}

ExpressionRef with_most(const ExpressionRef& value, std::optional<std::uint64_t> most) {
    auto made = std::make_shared<Expression>(*value);
    made->most = most;
    return made;
}

bool is_surely_natural(const ExpressionRef& value) {
    if (!is_whole_number(value->type)) return false;
    if (!value->type->is_signed()) return true;
    return value->is_never_negative && magnitude(value) <= magnitude_of_type(value->type, true);
}

bool has_large_constants(const Expression& value) {
    return value.most.value_or(0) > kMostWhole && factor(value) >= std::uint64_t{1} << 31;
}

bool is_cut(const Expression& value) {
    const bool has_no_wrap = value.op == Op::Infix && value.type->kind == Kind::Int64 &&
                             (value.text == "+" || value.text == "*");
    if (!has_no_wrap || value.most.value_or(0) <= kMostWhole) return false;
    if (has_large_constants(value)) return true;
    const Expression& a = *value.operands[0];
    const Expression& b = *value.operands[1];
    // Its half is not the variable where it passes them.
    const bool is_of_one = a.op == Op::Variable && a.variable == b.variable;
    const auto has_grown = [](const Expression& one) {
        return one.op == Op::Variable && one.variable->assignments > 1 &&
               one.most.value_or(0) == kAnyMagnitude;
    };
    return is_of_one || (value.is_never_negative && (has_grown(a) || has_grown(b)));
}

bool enlarge(std::uint64_t& most, std::uint64_t to) {
    if (to <= most) return false;
    // Few steps, so that the passes over a loop come to an end.
    for (const std::uint64_t step : {kSmallStep, kLargeStep, kManyTurns}) {
        if (to > step) continue;
        most = step;
        return true;
    }
    most = to <= kMostWhole + 1 ? std::max(to, kMostWhole - 1) : kAnyMagnitude;
    return true;
}

bool enlarge(Variable& variable, const ExpressionRef& value, bool is_bounded) {
    if (!is_whole_number(value->type)) return false;
    if (!variable.most) variable.most = magnitude_of_type(variable.type, false);
    std::uint64_t to = magnitude(value);
    if (const Expression* const step = step_of(variable, value)) {
        const std::uint64_t by =
            step->constant
                ? of_constant(*step->constant)
                : step->most.value_or(magnitude_of_type(step->type, step->is_never_negative));
        if (by <= (is_bounded ? kLargeStep : kSmallStep)) to = std::min(to, kManyTurns);
    }
    if (is_small_step(value)) to = std::min(to, kManyTurns);
    return enlarge(*variable.most, to);
}

}  // namespace warpwise::script
