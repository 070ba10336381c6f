// Ranges of expressions from the inside out, and their spelling with 32 bits.
#include "src/script/narrow/expressions.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "src/script/narrow/low_bits.hpp"
#include "src/script/narrow/relations.hpp"
#include "src/script/narrow/shared_terms.hpp"
#include "src/script/narrow/spelling.hpp"
#include "src/script/resolve/build.hpp"
#include "src/script/resolve/magnitudes.hpp"

namespace warpwise::script {
namespace {

using Op = Expression::Op;
using Value = Expressions::Value;

bool is_comparison(std::string_view op) {
    return op == "<" || op == "<=" || op == ">" || op == ">=" || op == "==" || op == "!=";
}

// Of one type, whose value an operand of that type has: a function of the prelude that has a
// version of 32 bits.
bool is_in_32_bits(std::string_view text) {
    static const std::set<std::string_view> names = {"__ww_py_min", "__ww_py_max", "__ww_py_abs",
                                                     "__ww_py_mod", "__ww_py_floor_div"};
    return names.contains(text);
}

Interval call_range(std::string_view text, const std::vector<Value>& operands, Type type) {
    const Interval& a = operands[0].range;
    if (text == "__ww_py_abs") {
        const Wide most = std::max(a.most, -a.least);
        return cut({a.is_natural() ? a.least : 0, most}, type);
    }
    const Interval& b = operands[1].range;
    if (text == "__ww_py_min") return minimum(a, b);
    if (text == "__ww_py_max") return maximum(a, b);
    return cut(text == "__ww_py_mod" ? floor_remainder(a, b) : floor_quotient(a, b), type);
}

}  // namespace

bool assigns(const ExpressionRef& value) {
    if (value->op == Op::Let && !value->variable->is_temporary) return true;
    return std::ranges::any_of(value->operands, assigns);
}

Type Expressions::narrow_type(const Variable& variable) const {
    const auto found = narrow_variables.find(&variable);
    return found == narrow_variables.end() ? nullptr : found->second;
}

ExpressionRef Expressions::as(const Value& value, Type type) const {
    if (!value.narrow || !fits(value.range, type)) return conversion(value.wide, type, value.range);
    if (value.narrow->op == Op::Constant) {
        auto made = std::make_shared<Expression>(*value.narrow);
        made->type = type;
        return made;
    }
    return conversion(value.narrow, type, value.range);
}

Value Expressions::finish(const ExpressionRef& value, const Interval& range, ExpressionRef wide,
                          ExpressionRef narrow) const {
    if (!writes) return {range, value, nullptr};
    const bool is_cut = narrow && narrow->op == Op::Cast && narrow->operands[0] == wide;
    if (narrow && !is_cut) wide = conversion(narrow, value->type, range);
    return {range, std::move(wide), std::move(narrow)};
}

Interval default_range(const Expression& value) {
    if (!is_whole_number(value.type)) return {};
    const Interval all = interval_of(value.type);
    const Wide most = value.most ? Wide{*value.most} : all.most;
    const bool is_natural = value.is_never_negative && most <= all.most;
    return met(all, {is_natural ? 0 : -most - 1, most});
}

Value Expressions::visit(const ExpressionRef& value) {
    switch (value->op) {
        case Op::Constant:
            return constant(value);
        case Op::Variable:
            return variable(value);
        case Op::Cast:
            return cast(value);
        case Op::Infix:
            return infix(value);
        case Op::Prefix:
            return prefix(value);
        case Op::Select:
            return select(value);
        case Op::And:
        case Op::Or:
            return condition_pair(value);
        case Op::Let:
            return let(value);
        case Op::Call:
            return call(value);
        case Op::Member:
            return member(value);
        case Op::Element:
            return element(value);
        default:
            return other(value);
    }
}

std::vector<Value> Expressions::visited(const std::vector<ExpressionRef>& operands) {
    std::vector<Value> values;
    values.reserve(operands.size());
    for (const ExpressionRef& one : operands) values.push_back(visit(one));
    return values;
}

Value Expressions::constant(const ExpressionRef& value) const {
    if (!is_whole_number(value->type)) return {{}, value, nullptr};
    const Constant& known = *value->constant;
    const Wide number = known.whole   ? Wide{*known.whole}
                        : known.large ? Wide{*known.large}
                                      : Wide{known.truth.value_or(false) ? 1 : 0};
    const Interval range{number, number};
    if (!writes || !is_wide(value->type)) return {range, value, nullptr};
    for (const Type type : narrow_types(value->type)) {
        // C++ has no constant INT32_MIN.
        if (!fits(range, type) || number == INT32_MIN) continue;
        auto made = with_range(*value, type, range);
        made->constant = Constant{.whole = static_cast<std::int64_t>(number)};
        return {range, value, made};
    }
    return {range, value, nullptr};
}

Value Expressions::variable(const ExpressionRef& value) const {
    if (!numbers_.has(value->variable.get())) return {default_range(*value), value, nullptr};
    Interval range = state.values[numbers_.of(value->variable.get())];
    if (range.is_empty()) range = interval_of(value->type);
    if (!writes) return {range, value, nullptr};
    ExpressionRef narrow;
    if (const Type type = narrow_type(*value->variable)) {
        narrow = with_range(*value, type, met(range, interval_of(type)));
    } else if (value->variable->is_parameter && is_wide(value->type)) {
        narrow = narrow_conversion(value, value->type, range);
    }
    return finish(value, range, value, narrow);
}

Value Expressions::cast(const ExpressionRef& value) {
    const Value inner = visit(value->operands[0]);
    const Type from = value->operands[0]->type;
    const Type to = value->type;
    if (!is_whole_number(from)) {
        return {default_range(*value), with_operands(value, {inner.wide}), nullptr};
    }
    // An operand of 32 bits gives the same where all of its bits are.
    const ExpressionRef& given = inner.narrow ? inner.narrow : inner.wide;
    const bool is_cut = writes && is_wide(from) && !inner.narrow && is_whole_number(to) &&
                        !to->is_bool() && !is_wide(to);
    if (is_cut) {
        if (const ExpressionRef low = low_bits_of_operands(value->operands[0])) {
            const Interval range = fits(inner.range, to) ? inner.range : default_range(*value);
            return {range, conversion(low, to, range), nullptr};
        }
    }
    ExpressionRef plain = with_operands(value, {given});
    if (!is_whole_number(to) || to->is_bool()) {
        return {default_range(*value), std::move(plain), nullptr};
    }
    const Interval range = fits(inner.range, to) ? inner.range : default_range(*value);
    if (!writes) return {range, value, nullptr};
    if (!is_wide(to)) {
        if (given->type == to) return {range, given, nullptr};
        return {range, std::move(plain), nullptr};
    }
    if (!fits(inner.range, to)) return {range, with_operands(value, {inner.wide}), nullptr};
    ExpressionRef narrow = inner.narrow;
    if (!narrow && !is_wide(from)) narrow = narrow_conversion(inner.wide, to, range);
    return finish(value, range, std::move(plain), std::move(narrow));
}

// The operation with 32 bits, if its operands from `first` on and its result have no more.
ExpressionRef Expressions::narrowed(const ExpressionRef& value, const Interval& range,
                                    const std::vector<Value>& operands, std::size_t first) const {
    const bool is_shift = value->op == Op::Infix && (value->text == "<<" || value->text == ">>");
    // C++ has no shift by the width or more.
    if (is_shift && (operands[1].range.least < 0 || operands[1].range.most > 31)) return nullptr;
    for (const Type type : narrow_types(value->type)) {
        const auto is_narrow = [&](const Value& one) {
            return one.narrow && fits(one.range, type);
        };
        const std::size_t last = is_shift ? 1 : operands.size();
        bool are_narrow = fits(range, type);
        for (std::size_t i = first; i < last; ++i) are_narrow &= is_narrow(operands[i]);
        if (!are_narrow) continue;
        auto made = with_range(*value, type, range);
        for (std::size_t i = 0; i < operands.size(); ++i) {
            const bool is_given = i >= first && i < last;
            made->operands[i] = is_given ? as(operands[i], type) : operands[i].wide;
        }
        return made;
    }
    return nullptr;
}

Value Expressions::rebuilt(const ExpressionRef& value, const Interval& range,
                           const std::vector<Value>& operands) const {
    if (!writes) return {range, value, nullptr};
    std::vector<ExpressionRef> wide;
    wide.reserve(operands.size());
    for (const Value& one : operands) wide.push_back(one.wide);
    return {range, with_operands(value, std::move(wide)), nullptr};
}

Value Expressions::computed(const ExpressionRef& value, const Interval& range,
                            const std::vector<Value>& operands, std::size_t first) const {
    Value result = rebuilt(value, range, operands);
    if (!writes || !is_wide(value->type)) return result;
    return finish(value, range, std::move(result.wide), narrowed(value, range, operands, first));
}

Value Expressions::comparison(const ExpressionRef& value,
                              const std::vector<Value>& operands) const {
    const Type type = value->operands[0]->type;
    if (writes && is_wide(type) && value->operands[1]->type == type) {
        for (const Type one : narrow_types(type)) {
            const bool are_narrow = std::ranges::all_of(operands, [one](const Value& operand) {
                return operand.narrow && fits(operand.range, one);
            });
            if (!are_narrow) continue;
            return {{0, 1}, with_operands(value, {as(operands[0], one), as(operands[1], one)}), {}};
        }
    }
    return rebuilt(value, {0, 1}, operands);
}

Value Expressions::infix(const ExpressionRef& value) {
    const std::vector<Value> operands = visited(value->operands);
    if (is_comparison(value->text)) return comparison(value, operands);
    if (!is_whole_number(value->type) || operands[0].range.is_empty() ||
        operands[1].range.is_empty()) {
        return rebuilt(value, default_range(*value), operands);
    }
    Interval range = infix_interval(value->text, operands[0].range, operands[1].range, value->type);
    if (is_place_in_grid(*value)) range = met(range, {0, kMostItems32});
    range = Relations(numbers_, state).of_sum(value, {operands[0].range, operands[1].range}, range);
    Value result = computed(value, range, operands);
    if (!writes || result.narrow || value->text != "&" || !is_wide(value->type)) return result;
    // Of a number with more bits, those that a mask leaves.
    if (low_mask(*value) != nullptr) {
        return finish(value, range, result.wide, low_bits_of_operands(value));
    }
    if (range.is_natural()) {
        result.narrow = narrow_conversion(result.wide, value->type, range);
    }
    return result;
}

Value Expressions::prefix(const ExpressionRef& value) {
    const std::vector<Value> operands = visited(value->operands);
    const Interval& inner = operands[0].range;
    if (value->text == "!" || !is_whole_number(value->type) || inner.is_empty()) {
        return rebuilt(value, default_range(*value), operands);
    }
    const Wide more = value->text == "~" ? 1 : 0;
    const Interval range = cut({-inner.most - more, -inner.least - more}, value->type);
    return computed(value, range, operands);
}

Value Expressions::select(const ExpressionRef& value) {
    std::vector<Value> operands{visit(value->operands[0])};
    const State before = state;
    assume(value->operands[0], true);
    operands.push_back(visit(value->operands[1]));
    State after = std::move(state);
    state = before;
    assume(value->operands[0], false);
    operands.push_back(visit(value->operands[2]));
    const bool stays = !assigns(value->operands[1]) && !assigns(value->operands[2]);
    if (stays) {
        state = before;
    } else {
        join(state, after);
        state.is_reached = before.is_reached;
    }
    const bool has_range = is_whole_number(value->type);
    const Interval range = has_range ? joined(operands[1].range, operands[2].range) : Interval{};
    return computed(value, range, operands, 1);
}

Value Expressions::condition_pair(const ExpressionRef& value) {
    std::vector<Value> operands{visit(value->operands[0])};
    const State before = state;
    assume(value->operands[0], value->op == Op::And);
    operands.push_back(visit(value->operands[1]));
    if (assigns(value->operands[1])) {
        join(state, before);
        state.is_reached = before.is_reached;
    } else {
        state = before;
    }
    return rebuilt(value, {0, 1}, operands);
}

Value Expressions::let(const ExpressionRef& value) {
    const Value given = visit(value->operands[0]);
    const Variable& variable = *value->variable;
    if (numbers_.has(&variable)) assign(variable, given.range, value->operands[0]);
    const Value body = visit(value->operands[1]);
    if (!writes) return {body.range, value, nullptr};
    const ExpressionRef held = this->given(variable, value->operands[0], given);
    ExpressionRef narrow;
    if (body.narrow) {
        auto made = std::make_shared<Expression>(*value);
        made->type = body.narrow->type;
        made->operands = {held, body.narrow};
        narrow = std::move(made);
    }
    return finish(value, body.range, with_operands(value, {held, body.wide}), std::move(narrow));
}

// By any number of places: what is shifted has as many bits as the result, at most.
Value Expressions::shifted(const ExpressionRef& value, const std::vector<Value>& operands) const {
    const Interval& number = operands[0].range;
    if (number.is_empty()) return rebuilt(value, default_range(*value), operands);
    const Interval range{std::min<Wide>(number.least, 0),
                         std::max<Wide>(number.most, number.least < 0 ? -1 : 0)};
    Value result = rebuilt(value, range, operands);
    if (!writes) return result;
    for (const Type type : narrow_types(value->type)) {
        if (!operands[0].narrow || !fits(number, type)) continue;
        auto made = with_range(*value, type, range);
        const Type places = number_type(Kind::Int32);
        const bool is_short = operands[1].narrow && fits(operands[1].range, places);
        made->operands = {as(operands[0], type),
                          is_short ? as(operands[1], places) : operands[1].wide};
        return finish(value, range, result.wide, made);
    }
    return result;
}

Value Expressions::call(const ExpressionRef& value) {
    const bool is_extreme = value->text == "__ww_py_min" || value->text == "__ww_py_max";
    if (is_extreme && is_whole_number(value->type)) {
        const auto range_of = [this](const ExpressionRef& one) { return range(one); };
        if (const ExpressionRef shared = with_shared_term(value, range_of)) return visit(shared);
    }
    const std::vector<Value> operands = visited(value->operands);
    if (value->target != nullptr) {
        std::vector<Interval>& known = arguments[value->target];
        known.resize(operands.size());
        for (std::size_t i = 0; i < operands.size(); ++i) {
            known[i] = joined(known[i], operands[i].range);
        }
        return rebuilt(value, default_range(*value), operands);
    }
    const bool is_known = is_whole_number(value->type) && is_in_32_bits(value->text);
    if (is_known) return computed(value, call_range(value->text, operands, value->type), operands);
    if (value->text.starts_with("__ww_py_wrap")) return wrapped(value, operands);
    if (value->text == "__ww_py_shift_right") return shifted(value, operands);
    if (is_small_launch_) {
        if (const std::optional<Value> index = index_in_grid(value)) return *index;
    }
    return rebuilt(value, default_range(*value), operands);
}

Value Expressions::other(const ExpressionRef& value) {
    return rebuilt(value, default_range(*value), visited(value->operands));
}

void Expressions::assign(const Variable& variable, const Interval& range,
                         const ExpressionRef& value) {
    const std::size_t number = numbers_.of(&variable);
    std::vector<Difference> known;
    if (value) known = Relations(numbers_, state).of_assignment(variable, value, range);
    state.values[number] = cut(range, variable.type);
    assigned[number] = joined(assigned[number], state.values[number]);
    state.differences.forget(number);
    for (const Difference& one : known) state.differences.raise(one);
}

}  // namespace warpwise::script
