// All operands of nested calls in one list, of which two at a time are joined.
#include "src/script/narrow/shared_terms.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "src/script/narrow/expressions.hpp"
#include "src/script/resolve/build.hpp"

namespace warpwise::script {
namespace {

using Op = Expression::Op;
using RangeOf = std::function<Interval(const ExpressionRef&)>;

constexpr std::size_t kMostOperands = 16;

bool is_like(const ExpressionRef& value, const Expression& call) {
    return value->op == Op::Call && value->text == call.text && value->type == call.type;
}

void collect(const ExpressionRef& value, std::vector<ExpressionRef>& operands) {
    for (const ExpressionRef& one : value->operands) {
        if (is_like(one, *value)) {
            collect(one, operands);
        } else {
            operands.push_back(one);
        }
    }
}

bool is_sum(const ExpressionRef& value) {
    return value->op == Op::Infix && (value->text == "+" || value->text == "-");
}

struct Common {
    std::size_t of_first;  // which operands of the two sums are the term
    std::size_t of_second;
};

std::optional<Common> common_term(const ExpressionRef& a, const ExpressionRef& b) {
    if (!is_sum(a) || !is_sum(b) || a->text != b->text || a->type != b->type) return std::nullopt;
    const std::size_t first = a->text == "-" ? 1 : 0;  // a number less others changes the order
    for (std::size_t i = first; i < 2; ++i) {
        for (std::size_t j = first; j < 2; ++j) {
            if (is_same(a->operands[i], b->operands[j])) return Common{i, j};
        }
    }
    return std::nullopt;
}

bool is_exact(const ExpressionRef& value, const RangeOf& range_of) {
    const Interval a = range_of(value->operands[0]);
    const Interval b = range_of(value->operands[1]);
    if (a.is_empty() || b.is_empty()) return false;
    return (value->text == "+" ? sum(a, b) : difference(a, b)).is_within(interval_of(value->type));
}

// The call of the two sums, as a sum.
ExpressionRef joined_sum(const Expression& call_of_both, const ExpressionRef& a,
                         const ExpressionRef& b, const Common& common) {
    std::vector<ExpressionRef> rest{a->operands[1 - common.of_first],
                                    b->operands[1 - common.of_second]};
    const Effect effect = effect_of(rest);
    ExpressionRef made = call(call_of_both.text, std::move(rest), call_of_both.type, effect);
    return infix(a->text, std::move(made), a->operands[common.of_first], a->type);
}

// Whether two became one.
bool join_two(const Expression& value, std::vector<ExpressionRef>& operands,
              const RangeOf& range_of) {
    for (std::size_t i = 0; i < operands.size(); ++i) {
        for (std::size_t j = i + 1; j < operands.size(); ++j) {
            const std::optional<Common> common = common_term(operands[i], operands[j]);
            if (!common || !is_exact(operands[i], range_of) || !is_exact(operands[j], range_of)) {
                continue;
            }
            operands[i] = joined_sum(value, operands[i], operands[j], *common);
            operands.erase(operands.begin() + static_cast<std::ptrdiff_t>(j));
            return true;
        }
    }
    return false;
}

}  // namespace

ExpressionRef with_shared_term(const ExpressionRef& value, const RangeOf& range_of) {
    std::vector<ExpressionRef> operands;
    collect(value, operands);
    const bool is_free =
        operands.size() <= kMostOperands &&
        std::ranges::all_of(operands, [&](const ExpressionRef& one) {
            return one->effect != Effect::Acts && one->type == value->type && !assigns(one);
        });
    if (!is_free || !join_two(*value, operands, range_of)) return nullptr;
    while (join_two(*value, operands, range_of)) {
    }
    ExpressionRef result = operands[0];
    for (std::size_t i = 1; i < operands.size(); ++i) {
        std::vector<ExpressionRef> both{std::move(result), operands[i]};
        const Effect effect = effect_of(both);
        result = call(value->text, std::move(both), value->type, effect);
    }
    return result;
}

}  // namespace warpwise::script
