// What assignments, conditions and loops say of how far variables are apart, and what that says of
// sums and differences.
//
// Nothing here visits an expression: operands of what is visited have been.
#include "src/script/narrow/relations.hpp"

#include <algorithm>

#include "src/script/narrow/expressions.hpp"

namespace warpwise::script {
namespace {

using Op = Expression::Op;

constexpr int kDeepest = 8;  // of the operators of a sum
constexpr Wide kMostMultiple = Wide{1} << 16;

bool is_call(const Expression& value, std::string_view name) {
    return value.op == Op::Call && value.text == name;
}

std::optional<Wide> constant_of(const ExpressionRef& value) {
    const bool is_known = value->op == Op::Constant && value->constant->whole;
    return is_known ? std::optional<Wide>(*value->constant->whole) : std::nullopt;
}

}  // namespace

Relations::Form Relations::form_of(const ExpressionRef& value, int depth) const {
    const Form other{std::nullopt, default_range(*value)};
    if (depth == 0 || !is_whole_number(value->type) || value->type->is_bool()) return other;
    if (const auto known = constant_of(value)) {
        const Interval range{*known, *known};
        return {Linear{.factors = {}, .rest = range}, range};
    }
    if (value->op == Op::Variable && numbers_.has(value->variable.get())) {
        const std::size_t number = numbers_.of(value->variable.get());
        const Interval& range = state_.values[number];
        if (range.is_empty()) return other;
        return {Linear{.factors = {{number, 1}}}, range};
    }
    if (value->op == Op::Cast || is_call(*value, "__ww_py_wrap")) {
        Form inner = form_of(value->operands[0], depth - 1);
        const bool is_kept = value->op == Op::Cast ? inner.range.is_within(interval_of(value->type))
                                                   : inner.range.is_natural();
        return is_kept && !inner.range.is_empty() ? inner : other;
    }
    if (is_call(*value, "__ww_py_min") || is_call(*value, "__ww_py_max")) {
        const Interval a = form_of(value->operands[0], depth - 1).range;
        const Interval b = form_of(value->operands[1], depth - 1).range;
        if (a.is_empty() || b.is_empty()) return other;
        return {{}, value->text == "__ww_py_min" ? minimum(a, b) : maximum(a, b)};
    }
    if (value->op == Op::Infix) return infix_form(value, depth);
    return other;
}

// An operand of a sum: what is nothing else is a number of its interval.
Linear Relations::term(const Form& form) {
    return form.linear ? *form.linear : Linear{.factors = {}, .rest = form.range};
}

Relations::Form Relations::infix_form(const ExpressionRef& value, int depth) const {
    const Form other{std::nullopt, default_range(*value)};
    const Form a = form_of(value->operands[0], depth - 1);
    const Form b = form_of(value->operands[1], depth - 1);
    if (a.range.is_empty() || b.range.is_empty()) return other;
    Form made{std::nullopt, {}};
    const std::string_view op = value->text;
    if (op == "+") {
        made = {sum(term(a), term(b)), sum(a.range, b.range)};
    } else if (op == "-") {
        made = {sum(term(a), negated(term(b))), difference(a.range, b.range)};
    } else if (op == "*") {
        const bool is_first = constant_of(value->operands[0]).has_value();
        const auto factor = constant_of(value->operands[is_first ? 0 : 1]);
        if (!factor || *factor > kMostMultiple || *factor < -kMostMultiple) return other;
        made = {times(term(is_first ? b : a), *factor), product(a.range, b.range)};
    } else if (op == ">>") {
        const auto places = constant_of(value->operands[1]);
        if (!places || *places < 0 || *places > 31) return other;
        const int by = static_cast<int>(*places);
        made = {shifted_right(term(a), by), {a.range.least >> by, a.range.most >> by}};
    } else {
        return other;
    }
    if (made.linear) made.range = met(made.range, bounds_of(*made.linear, state_));
    // Where the bits do not hold it, what is computed is another number.
    if (made.range.is_empty() || !made.range.is_within(interval_of(value->type))) return other;
    made.range = met(made.range, other.range);
    return made.range.is_empty() ? other : made;
}

Interval Relations::of_sum(const ExpressionRef& value, const std::array<Interval, 2>& operands,
                           const Interval& range) const {
    const bool is_sum = value->text == "+";
    if ((!is_sum && value->text != "-") || state_.differences.all().empty()) return range;
    if (assigns(value)) return range;  // the state is that behind all of it
    std::array<Linear, 2> terms;
    for (std::size_t i = 0; i < 2; ++i) {
        Form form = form_of(value->operands[i], kDeepest);
        form.range = operands[i];
        terms[i] = term(form);
    }
    const std::optional<Linear> all = sum(terms[0], is_sum ? terms[1] : negated(terms[1]));
    if (!all) return range;
    const Interval plain =
        is_sum ? sum(operands[0], operands[1]) : difference(operands[0], operands[1]);
    const Interval exact = met(plain, bounds_of(*all, state_));
    const bool is_kept = !exact.is_empty() && exact.is_within(interval_of(value->type));
    const Interval both = is_kept ? met(exact, range) : range;
    return both.is_empty() ? range : both;
}

// The variable less the value, or the other way round, at least.
Wide Relations::apart_from(std::size_t variable, const ExpressionRef& value, bool is_less) const {
    const auto of = [&](std::size_t operand) {
        return apart_from(variable, value->operands[operand], is_less);
    };
    if (value->op == Op::Cast && is_whole_number(value->operands[0]->type)) {
        const Interval inner = form_of(value->operands[0], kDeepest).range;
        if (!inner.is_empty() && inner.is_within(interval_of(value->type))) return of(0);
    }
    const bool is_min = is_call(*value, "__ww_py_min");
    if (is_min || is_call(*value, "__ww_py_max")) {
        return is_min == is_less ? std::max(of(0), of(1)) : std::min(of(0), of(1));
    }
    if (value->op == Op::Select) return std::min(of(1), of(2));
    const Linear known = term(form_of(value, kDeepest));
    const Linear one{.factors = {{variable, 1}}};
    const auto all = is_less ? sum(one, negated(known)) : sum(known, negated(one));
    return all ? least_of(*all, state_) : -kFar;
}

// Variables of which the value may be known to be apart: its own, and those known to be from them.
std::set<std::size_t> Relations::relatives(const ExpressionRef& value) const {
    std::set<std::size_t> own;
    add_variables(own, value, kDeepest);
    std::set<std::size_t> all = own;
    for (const Difference& one : state_.differences.all()) {
        if (own.contains(one.first)) all.insert(one.second);
        if (own.contains(one.second)) all.insert(one.first);
    }
    std::erase_if(all, [this](std::size_t number) { return state_.values[number].is_empty(); });
    return all;
}

void Relations::add_variables(std::set<std::size_t>& to, const ExpressionRef& value,
                              int depth) const {
    if (depth == 0) return;
    if (value->op == Op::Variable && numbers_.has(value->variable.get())) {
        to.insert(numbers_.of(value->variable.get()));
    }
    const bool is_leaf = value->op == Op::Element || value->op == Op::Member;
    if (is_leaf) return;
    for (const ExpressionRef& operand : value->operands) add_variables(to, operand, depth - 1);
}

std::vector<Difference> Relations::of_assignment(const Variable& variable,
                                                 const ExpressionRef& value,
                                                 const Interval& range) const {
    std::vector<Difference> found;
    const bool is_kept = is_whole_number(value->type) && !range.is_empty() &&
                         range.is_within(interval_of(variable.type)) && !assigns(value);
    if (!is_kept) return found;
    const std::size_t number = numbers_.of(&variable);
    for (const std::size_t other : relatives(value)) {
        if (other == number) continue;
        const Interval& values = state_.values[other];
        const Wide above = apart_from(other, value, true);
        if (above > values.least - range.most) found.push_back({other, number, above});
        const Wide below = apart_from(other, value, false);
        if (below > range.least - values.most) found.push_back({number, other, below});
    }
    return found;
}

std::vector<Difference> Relations::of_counter(const Statement& loop, int direction,
                                              const std::set<const Variable*>& changing) const {
    std::vector<Difference> found;
    if (direction == 0 || !numbers_.has(loop.variable.get())) return found;
    if (std::ranges::any_of(loop.range, assigns)) return found;
    const std::size_t number = numbers_.of(loop.variable.get());
    const auto add = [&](const ExpressionRef& bound, bool is_least, Wide more) {
        for (const std::size_t other : relatives(bound)) {
            if (other == number || changing.contains(&numbers_.variable(other))) continue;
            const Wide apart = apart_from(other, bound, !is_least) + more;
            if (apart < -kFar / 2) continue;
            found.push_back(is_least ? Difference{number, other, apart}
                                     : Difference{other, number, apart});
        }
    };
    add(loop.range[0], direction > 0, 0);
    add(loop.range[1], direction < 0, 1);  // which it does not reach
    return found;
}

std::optional<Difference> Relations::of_comparison(const ExpressionRef& greater,
                                                   const ExpressionRef& less, Wide least) const {
    const std::optional<Linear> all =
        sum(term(form_of(greater, kDeepest)), negated(term(form_of(less, kDeepest))));
    if (!all || all->shift != 0 || all->factors.size() != 2) return std::nullopt;
    const auto [one, first] = *all->factors.begin();
    const auto [other, second] = *all->factors.rbegin();
    const Wide apart = least - all->rest.most;
    if (first == 1 && second == -1) return Difference{one, other, apart};
    if (first == -1 && second == 1) return Difference{other, one, apart};
    return std::nullopt;
}

}  // namespace warpwise::script
