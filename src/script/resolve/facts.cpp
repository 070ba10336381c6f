// Comparisons, and what sums, differences and products inherit.
#include "src/script/resolve/facts.hpp"

#include <algorithm>

namespace warpwise::script {
namespace {

using Op = Expression::Op;

// Far from where sums of bounds would overflow.
constexpr std::int64_t kMostBound = std::int64_t{1} << 40;

bool is_whole(const ExpressionRef& value) {
    return value->type->is_number() && value->type->is_whole();
}

std::string_view negated(std::string_view op) {
    if (op == "<") return ">=";
    if (op == "<=") return ">";
    if (op == ">") return "<=";
    if (op == ">=") return "<";
    return op == "!=" ? "==" : "";
}

// The operand of conversions that keep every value.
const ExpressionRef& inner(const ExpressionRef& value) {
    const bool widens = value->op == Op::Cast && is_whole(value) && is_whole(value->operands[0]) &&
                        value->type->kind == Kind::Int64 &&
                        value->operands[0]->type->kind != Kind::UInt64;
    return widens ? inner(value->operands[0]) : value;
}

bool reads(const ExpressionRef& value, const Variable& variable) {
    if (value->variable.get() == &variable) return true;
    return std::ranges::any_of(value->operands, [&variable](const ExpressionRef& operand) {
        return reads(operand, variable);
    });
}

}  // namespace

bool grows(const ExpressionRef& value, const Variable& variable) {
    const bool is_infix = value->op == Op::Infix;
    if (is_infix && (value->text == "%" || value->text == "&")) return false;
    const bool multiplies = is_infix && (value->text == "*" || value->text == "<<");
    const bool calls = value->op == Op::Call && value->target != nullptr;
    if (multiplies || calls) return reads(value, variable);
    return std::ranges::any_of(value->operands, [&variable](const ExpressionRef& operand) {
        return grows(operand, variable);
    });
}

std::optional<std::int64_t> Facts::lower_bound(const ExpressionRef& given) const {
    const ExpressionRef& value = inner(given);
    if (!is_whole(value)) return std::nullopt;
    if (value->constant) return value->constant->whole;
    std::optional<std::int64_t> least;
    if (value->is_never_negative) least = 0;
    const auto raised = [&](std::int64_t bound) {
        if (bound > -kMostBound && bound < kMostBound)
            least = std::max(least.value_or(bound), bound);
    };
    if (value->op == Op::Variable) {
        const auto found = lower_.find(value->variable.get());
        if (found != lower_.end()) raised(found->second);
    }
    const bool is_signed = value->type->is_signed();
    if (value->op != Op::Infix || !is_signed) return least;
    const std::optional<std::int64_t> a = lower_bound(value->operands[0]);
    const ExpressionRef& second = value->operands[1];
    if (!a || *a > kMostBound) return least;
    if (value->text == "-") {
        if (second->constant && second->constant->whole) raised(*a - *second->constant->whole);
        return least;
    }
    const std::optional<std::int64_t> b = lower_bound(second);
    if (b && *b < kMostBound && value->text == "+") raised(*a + *b);
    return least;
}

void Facts::raise(const ExpressionRef& given, std::int64_t least) {
    const ExpressionRef& value = inner(given);
    if (value->op != Op::Variable || value->variable->assignments != 1) return;
    const auto [found, is_new] = lower_.try_emplace(value->variable.get(), least);
    if (!is_new) found->second = std::max(found->second, least);
}

void Facts::compare(std::string_view op, const ExpressionRef& a, const ExpressionRef& b) {
    // Unsigned comparisons say nothing of signed values.
    if (!is_whole(a) || !is_whole(b) || !a->type->is_signed() || !b->type->is_signed()) return;
    const auto at_least = [this](const ExpressionRef& value, const ExpressionRef& bound, int more) {
        const std::optional<std::int64_t> least = lower_bound(bound);
        if (least && *least < kMostBound) raise(value, *least + more);
    };
    if (op == ">" || op == ">=") at_least(a, b, op == ">" ? 1 : 0);
    if (op == "<" || op == "<=") at_least(b, a, op == "<" ? 1 : 0);
    if (op != "==") return;
    at_least(a, b, 0);
    at_least(b, a, 0);
}

void Facts::assume(const ExpressionRef& condition, bool holds) {
    if (condition->op == Op::Prefix && condition->text == "!") {
        assume(condition->operands[0], !holds);
    } else if (condition->op == Op::Let) {
        assume(condition->operands[1], holds);
    } else if (condition->op == (holds ? Op::And : Op::Or)) {
        for (const ExpressionRef& operand : condition->operands) assume(operand, holds);
    } else if (condition->op == Op::Infix) {
        const std::string_view op = condition->text;
        compare(holds ? op : negated(op), condition->operands[0], condition->operands[1]);
    }
}

}  // namespace warpwise::script
