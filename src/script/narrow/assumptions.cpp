// What a condition says of the variables in it.
#include <algorithm>
#include <cmath>

#include "src/script/narrow/expressions.hpp"
#include "src/script/narrow/relations.hpp"
#include "src/script/resolve/build.hpp"

namespace warpwise::script {
namespace {

using Op = Expression::Op;

// The largest number whose square is not larger.
Wide root_of(Wide square) {
    auto root = static_cast<Wide>(std::sqrt(static_cast<long double>(square)));
    while (root * root > square) --root;
    while ((root + 1) * (root + 1) <= square) ++root;
    return root;
}

}  // namespace

void Expressions::assume(const ExpressionRef& condition, bool holds) {
    if (assigns(condition)) return;  // what was compared is not what the variables are now
    if (condition->op == Op::Prefix && condition->text == "!") {
        assume(condition->operands[0], !holds);
    } else if (condition->op == Op::Let) {
        assume(condition->operands[1], holds);
    } else if (condition->op == (holds ? Op::And : Op::Or)) {
        for (const ExpressionRef& operand : condition->operands) assume(operand, holds);
    } else if (holds ? is_false(condition) : is_true(condition)) {
        state.is_reached = false;
    } else if (condition->op == Op::Infix) {
        const std::string_view op = condition->text;
        compare(holds ? op : opposite_comparison(op), condition->operands[0],
                condition->operands[1]);
    }
}

void Expressions::compare(std::string_view op, const ExpressionRef& a, const ExpressionRef& b) {
    if (!is_whole_number(a->type) || !is_whole_number(b->type)) return;
    const Interval first = range(a);
    const Interval second = range(b);
    if (first.is_empty() || second.is_empty()) return;
    if (op == "<" || op == "<=") {
        const Wide apart = op == "<" ? 1 : 0;
        bound(a, {-kFar, second.most - apart});
        bound(b, {first.least + apart, kFar});
        note_distance(b, a, apart);
    } else if (op == ">" || op == ">=") {
        compare(op == ">" ? "<" : "<=", b, a);
    } else if (op == "==") {
        bound(a, second);
        bound(b, first);
        note_distance(a, b, 0);
        note_distance(b, a, 0);
    } else if (op == "!=" && second.least == second.most) {
        if (first.least == second.least) bound(a, {first.least + 1, kFar});
        if (first.most == second.most) bound(a, {-kFar, first.most - 1});
    }
}

// The first is greater than the second by at least so much.
void Expressions::note_distance(const ExpressionRef& greater, const ExpressionRef& less,
                                Wide least) {
    const auto known = Relations(numbers_, state).of_comparison(greater, less, least);
    if (known) state.differences.raise(*known);
}

// The value is one of these.
void Expressions::bound(const ExpressionRef& value, const Interval& to) {
    if (!is_whole_number(value->type)) return;
    if (value->op == Op::Variable) {
        if (!numbers_.has(value->variable.get())) return;
        Interval& known = state.values[numbers_.of(value->variable.get())];
        if (known.is_empty()) return;
        const Interval both = met(known, to);
        if (both.is_empty()) {
            state.is_reached = false;
        } else {
            known = both;
        }
        return;
    }
    if (value->operands.empty() || !is_whole_number(value->operands[0]->type)) return;
    const ExpressionRef& a = value->operands[0];
    const Interval first = range(a);
    if (value->op == Op::Cast) {
        if (first.is_within(interval_of(value->type))) bound(a, to);
        return;
    }
    const bool has_two = value->operands.size() == 2 && is_whole_number(value->operands[1]->type);
    if (!has_two) return;
    const ExpressionRef& b = value->operands[1];
    const Interval second = range(b);
    if (value->op == Op::Call && (value->text == "__ww_py_min" || value->text == "__ww_py_max")) {
        const Interval half =
            value->text == "__ww_py_min" ? Interval{to.least, kFar} : Interval{-kFar, to.most};
        bound(a, half);
        bound(b, half);
    }
    if (value->op != Op::Infix) return;
    const std::string_view op = value->text;
    const Interval all = interval_of(value->type);
    if (op == "+" && sum(first, second).is_within(all)) {
        bound(a, difference(to, second));
        bound(b, difference(to, first));
    } else if (op == "-" && difference(first, second).is_within(all)) {
        bound(a, sum(to, second));
        bound(b, difference(first, to));
    } else if (op == "*" && product(first, second).is_within(all) && to.most >= 0) {
        const bool is_square = a->op == Op::Variable && a->variable == b->variable;
        if (is_square && to.most < Wide{1} << 64) {
            const Wide root = root_of(to.most);
            bound(a, {-root, root});
        } else if (first.is_natural() && second.is_natural()) {
            if (second.least >= 1) bound(a, {0, to.most / second.least});
            if (first.least >= 1) bound(b, {0, to.most / first.least});
        }
    }
}

}  // namespace warpwise::script
