// Comparisons, and what sums, differences and products inherit.
#include "src/script/resolve/facts.hpp"

#include <algorithm>

#include "src/script/resolve/build.hpp"
#include "src/script/resolve/magnitudes.hpp"

namespace warpwise::script {
namespace {

using Op = Expression::Op;

// Far from where sums of bounds would overflow.
constexpr std::int64_t kMostBound = std::int64_t{1} << 40;

// The operand of conversions that keep every value.
const ExpressionRef& inner(const ExpressionRef& value) {
    const bool widens = value->op == Op::Cast && is_whole_number(value->type) &&
                        is_whole_number(value->operands[0]->type) &&
                        value->type->kind == Kind::Int64 &&
                        value->operands[0]->type->kind != Kind::UInt64;
    return widens ? inner(value->operands[0]) : value;
}

// Whether what is compared is the number that the bounds of sums are about.
bool is_exact(const ExpressionRef& value) {
    return value->op != Op::Infix || magnitude(value) <= kMostWhole;
}

bool reads(const ExpressionRef& value, const Variable& variable) {
    if (value->variable.get() == &variable) return true;
    return std::ranges::any_of(value->operands, [&variable](const ExpressionRef& operand) {
        return reads(operand, variable);
    });
}

}  // namespace

bool is_fixed_extent(const ExpressionRef& value) {
    if (value->op != Op::Member || !value->text.starts_with("shape[")) return false;
    const ExpressionRef& array = value->operands[0];
    return array->op == Op::Variable && array->variable->is_parameter &&
           array->variable->assignments == 1;
}

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
    if (!is_whole_number(value->type)) return std::nullopt;
    if (value->constant) return value->constant->whole;
    std::optional<std::int64_t> least;
    if (value->is_never_negative) least = 0;
    const auto raised = [&](std::int64_t bound) {
        if (bound > -kMostBound && bound < kMostBound)
            least = std::max(least.value_or(bound), bound);
    };
    const Variable* const named = value->op == Op::Variable ? value->variable.get() : nullptr;
    for (const Variable* const variable : {named, extent_of(value)}) {
        const auto found = lower_.find(variable);
        if (found != lower_.end() && holds(found->second, found->first)) {
            raised(found->second.least);
        }
    }
    const bool is_signed = value->type->is_signed();
    const bool is_least = value->text == "__ww_py_min";
    if (value->op == Op::Call && (is_least || value->text == "__ww_py_max")) {
        const std::optional<std::int64_t> a = lower_bound(value->operands[0]);
        const std::optional<std::int64_t> b = lower_bound(value->operands[1]);
        if (a && b) raised(is_least ? std::min(*a, *b) : std::max(*a, *b));
        return least;
    }
    if (value->op != Op::Infix || !is_signed) return least;
    const std::optional<std::int64_t> a = lower_bound(value->operands[0]);
    const ExpressionRef& second = value->operands[1];
    if (!a || *a > kMostBound) return least;
    if (value->text == "-") {
        if (second->constant && second->constant->whole) raised(*a - *second->constant->whole);
        if (const auto apart = difference(value->operands[0], second)) raised(*apart);
        return least;
    }
    const std::optional<std::int64_t> b = lower_bound(second);
    if (b && *b < kMostBound && value->text == "+") raised(*a + *b);
    return least;
}

// One variable for what is read once and what is read anew; null where it is another value.
const Variable* Facts::extent_of(const ExpressionRef& value) const {
    const ExpressionRef& read =
        value->op == Op::Variable && value->variable->extent ? value->variable->extent : value;
    if (!is_fixed_extent(read)) return nullptr;
    auto& known = clock_->extents[{read->operands[0]->variable.get(), read->text}];
    if (!known) {
        auto made = std::make_unique<Variable>();
        made->assignments = 1;
        known = std::move(made);
    }
    return known.get();
}

// A variable and a constant that is added to it; no variable where it is another expression.
std::pair<const Variable*, std::int64_t> Facts::of_variable(const ExpressionRef& given) const {
    const ExpressionRef& value = inner(given);
    if (const Variable* const extent = extent_of(value)) return {extent, 0};
    if (value->op == Op::Variable) return {value->variable.get(), 0};
    const bool adds = value->op == Op::Infix && is_whole_number(value->type) &&
                      value->type->is_signed() && (value->text == "+" || value->text == "-");
    if (!adds) return {nullptr, 0};
    const auto constant = [](const ExpressionRef& one) -> std::optional<std::int64_t> {
        const bool is_small = one->constant && one->constant->whole &&
                              *one->constant->whole < kMostBound &&
                              *one->constant->whole > -kMostBound;
        return is_small ? one->constant->whole : std::nullopt;
    };
    if (const auto second = constant(value->operands[1])) {
        const auto [variable, offset] = of_variable(value->operands[0]);
        return {variable, value->text == "+" ? offset + *second : offset - *second};
    }
    const auto first = constant(value->operands[0]);
    if (!first || value->text != "+") return {nullptr, 0};
    const auto [variable, offset] = of_variable(value->operands[1]);
    return {variable, offset + *first};
}

bool Facts::reaches(const ExpressionRef& a, const ExpressionRef& b) const {
    return difference(a, b).value_or(-1) >= 0;
}

bool Facts::holds(const Bound& bound, const Variable* variable) const {
    const auto found = clock_->assigned.find(variable);
    return found == clock_->assigned.end() || found->second <= bound.since;
}

void Facts::raise(const ExpressionRef& given, std::int64_t least) {
    const ExpressionRef& value = inner(given);
    const Variable* const extent = extent_of(value);
    const Variable* const variable = extent != nullptr ? extent : value->variable.get();
    if (extent == nullptr && value->op != Op::Variable) return;
    Bound bound{.least = least, .since = clock_->now};
    const auto found = lower_.find(variable);
    const bool is_better =
        found == lower_.end() || !holds(found->second, found->first) || found->second.least < least;
    if (is_better) lower_.insert_or_assign(variable, bound);
}

void Facts::part(const ExpressionRef& greater, const ExpressionRef& less, std::int64_t least) {
    const auto [first, add] = of_variable(greater);
    const auto [second, subtract] = of_variable(less);
    if (first == nullptr || second == nullptr || first == second) return;
    if (!is_exact(inner(greater)) || !is_exact(inner(less))) return;
    const Bound bound{.least = least - add + subtract, .since = clock_->now};
    const Pair pair{first, second};
    const auto found = apart_.find(pair);
    const bool is_better = found == apart_.end() || !holds(found->second, first) ||
                           !holds(found->second, second) || found->second.least < bound.least;
    if (is_better) apart_.insert_or_assign(pair, bound);
}

// a - b at least; where b is bounded, so that the difference does not pass 2^63 before a does.
std::optional<std::int64_t> Facts::difference(const ExpressionRef& a,
                                              const ExpressionRef& b) const {
    const auto [first, add] = of_variable(a);
    const auto [second, subtract] = of_variable(b);
    const auto found = apart_.find({first, second});
    if (first == nullptr || second == nullptr || found == apart_.end()) return std::nullopt;
    const bool is_current = holds(found->second, first) && holds(found->second, second);
    const std::optional<std::int64_t> least = lower_bound(b);
    if (!is_current || !least || *least < -kMostBound) return std::nullopt;
    return found->second.least + add - subtract;
}

std::optional<Facts::Span> Facts::span_of(const ExpressionRef& value) const {
    if (value->constant) {
        const auto& whole = value->constant->whole;
        const bool is_small = whole && *whole < kMostBound && *whole > -kMostBound;
        return is_small ? std::optional(Span{*whole, *whole}) : std::nullopt;
    }
    const auto found = spans_.find(value->variable.get());
    const bool is_known = value->op == Op::Variable && found != spans_.end();
    return is_known ? std::optional(found->second) : std::nullopt;
}

// False where the sum has other terms.
bool Facts::add(Sum& sum, const ExpressionRef& given, const Variable& modulus) const {
    const ExpressionRef& value = inner(given);
    if (const auto span = span_of(value)) {
        sum.rest.first += span->first;
        sum.rest.second += span->second;
        return true;
    }
    if (of_variable(value) == std::pair<const Variable*, std::int64_t>(&modulus, 0)) {
        ++sum.moduli;
        return true;
    }
    const bool adds = value->op == Op::Infix && is_whole_number(value->type) &&
                      value->type->is_signed() && (value->text == "+" || value->text == "-");
    if (!adds) {
        const bool is_first = !sum.variable && of_variable(value).first != nullptr;
        if (is_first) sum.variable = value;
        return is_first;
    }
    if (!add(sum, value->operands[0], modulus)) return false;
    const ExpressionRef& second = inner(value->operands[1]);
    if (value->text == "+") return add(sum, second, modulus);
    const auto span = span_of(second);
    if (!span) return false;
    sum.rest.first -= span->second;
    sum.rest.second -= span->first;
    return true;
}

// Where m >= v + apart and v >= least, v + c is at least -m for c >= -(2 least + apart), and less
// than 2 m for c < least + 2 apart.
std::optional<Facts::Turn> Facts::turn(const ExpressionRef& value,
                                       const ExpressionRef& modulus) const {
    const auto [variable, offset] = of_variable(modulus);
    Sum sum;
    const bool is_sum = variable != nullptr && offset == 0 && add(sum, value, *variable) &&
                        sum.variable && sum.moduli <= 1;
    if (!is_sum || magnitude(modulus) > kMostWhole / 2) return std::nullopt;
    const std::optional<std::int64_t> apart = difference(modulus, sum.variable);
    const std::int64_t least = lower_bound(sum.variable).value_or(-1);
    if (!apart || *apart < 1 || *apart > kMostBound || least < 0) return std::nullopt;
    const auto [from, to] = sum.rest;
    const bool is_one = from >= -(2 * least + *apart) && to < least + 2 * *apart;
    if (!is_one) return std::nullopt;
    return Turn{sum.moduli == 1, from < -least, to >= *apart};
}

void Facts::assigned(const ExpressionRef& variable, const ExpressionRef& value) {
    if (!is_whole_number(variable->type) || !is_whole_number(value->type) ||
        reads(value, *variable->variable))
        return;
    if (const auto least = lower_bound(value)) raise(variable, *least);
    // y * width + x is at least width, where y is at least 1.
    const ExpressionRef& sum = inner(value);
    if (sum->op != Op::Infix || sum->text != "+") return;
    const std::optional<std::int64_t> rest = lower_bound(sum->operands[1]);
    const ExpressionRef& product = inner(sum->operands[0]);
    const bool has_factors = product->op == Op::Infix && product->text == "*";
    if (!rest || *rest < 0 || !has_factors) return;
    for (const std::size_t factor : {0, 1}) {
        const ExpressionRef& one = product->operands[factor];
        const ExpressionRef& other = product->operands[1 - factor];
        const bool is_more = lower_bound(other).value_or(0) >= 1 && one->is_never_negative;
        if (is_more) part(variable, one, *rest);
    }
}

void Facts::enter_loop() {
    const auto varies = [](const Variable* one) { return one->assignments != 1; };
    std::erase_if(lower_, [&](const auto& one) { return varies(one.first); });
    std::erase_if(apart_, [&](const auto& one) {
        return varies(one.first.first) || varies(one.first.second);
    });
}

void Facts::compare(std::string_view op, const ExpressionRef& a, const ExpressionRef& b) {
    // Unsigned comparisons say nothing of signed values.
    if (!is_whole_number(a->type) || !is_whole_number(b->type) || !a->type->is_signed() ||
        !b->type->is_signed())
        return;
    const auto at_least = [this](const ExpressionRef& value, const ExpressionRef& bound, int more) {
        const std::optional<std::int64_t> least = lower_bound(bound);
        const bool is_certain = magnitude(bound) <= kMostWhole + (bound->is_never_negative ? 0 : 1);
        if (least && is_certain && *least < kMostBound) raise(value, *least + more);
    };
    if (op == ">" || op == ">=") {
        at_least(a, b, op == ">" ? 1 : 0);
        part(a, b, op == ">" ? 1 : 0);
    }
    if (op == "<" || op == "<=") {
        at_least(b, a, op == "<" ? 1 : 0);
        part(b, a, op == "<" ? 1 : 0);
    }
    if (op != "==") return;
    at_least(a, b, 0);
    at_least(b, a, 0);
}

void Facts::assume(const ExpressionRef& condition, bool holds) {
    if (condition->op == Op::Prefix && condition->text == "!") {
        assume(condition->operands[0], !holds);
    } else if (condition->op == Op::Variable) {
        if (holds && condition->type->is_number() && condition->type->is_bool()) {
            raise(condition, 1);
        }
    } else if (condition->op == Op::Let) {
        assume(condition->operands[1], holds);
    } else if (condition->op == (holds ? Op::And : Op::Or)) {
        for (const ExpressionRef& operand : condition->operands) assume(operand, holds);
    } else if (condition->op == Op::Infix) {
        const std::string_view op = condition->text;
        compare(holds ? op : opposite_comparison(op), condition->operands[0],
                condition->operands[1]);
    }
}

}  // namespace warpwise::script
