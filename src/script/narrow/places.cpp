// Indices and extents of a small launch: all of them have 32 bits.
#include <algorithm>
#include <string_view>

#include "src/script/narrow/expressions.hpp"
#include "src/script/narrow/spelling.hpp"

namespace warpwise::script {
namespace {

using Op = Expression::Op;
using Value = Expressions::Value;

const Expression& behind_casts(const ExpressionRef& value) {
    return value->op == Op::Cast ? behind_casts(value->operands[0]) : *value;
}

}  // namespace

// blockIdx.x * blockDim.x + threadIdx.x, and what a launch has of them.
bool Expressions::is_place_in_grid(const Expression& value) const {
    if (!is_small_launch_ || value.op != Op::Infix) return false;
    const Expression& a = behind_casts(value.operands[0]);
    const Expression& b = behind_casts(value.operands[1]);
    const auto is_of = [](const Expression& one, std::string_view name) {
        return one.op == Op::Call && one.text.starts_with(name);
    };
    if (value.text == "*") {
        const bool is_first = is_of(a, "blockDim.");
        const Expression& count = is_first ? b : a;
        const Expression& threads = is_first ? a : b;
        return is_of(threads, "blockDim.") &&
               (is_of(count, "blockIdx.") || is_of(count, "gridDim.")) &&
               count.text[count.text.find('.') + 1] == threads.text[9];
    }
    const auto is_start = [&](const Expression& one, const Expression& thread) {
        if (!is_of(thread, "threadIdx.") || one.op != Op::Infix || one.text != "*") return false;
        const Expression& factor = behind_casts(one.operands[0]);
        const Expression& other = behind_casts(one.operands[1]);
        const bool has_index = is_of(factor, "blockIdx.") || is_of(other, "blockIdx.");
        return has_index && is_place_in_grid(one) &&
               factor.text[factor.text.find('.') + 1] == thread.text[10];
    };
    return value.text == "+" && (is_start(a, b) || is_start(b, a));
}

// cuda.grid() and cuda.gridsize(); empty for other calls.
std::optional<Value> Expressions::index_in_grid(const ExpressionRef& value) const {
    const bool is_place = value->text.starts_with("__ww_py_grid_");
    if (!is_place && !value->text.starts_with("__ww_py_gridsize_")) return std::nullopt;
    const Interval range{is_place ? 0 : 1, kMostItems32};
    auto made = with_range(*value, number_type(Kind::Int32), range);
    made->text.insert(std::string_view("__ww_py_").size(), "small_");
    return finish(value, range, value, made);
}

Value Expressions::member(const ExpressionRef& value) {
    const Value inner = visit(value->operands[0]);
    Interval range = default_range(*value);
    ExpressionRef plain = with_operands(value, {inner.wide});
    const bool is_extent = is_small_launch_ && value->text.starts_with("shape[");
    if (!is_extent) return {range, std::move(plain), nullptr};
    range = {0, most_items_};
    if (!writes) return {range, value, nullptr};
    ExpressionRef narrow = conversion(plain, number_type(Kind::Int32), range);
    return finish(value, range, std::move(plain), std::move(narrow));
}

// An index with 32 bits, if it is one of an array of a small launch: each of its terms is natural,
// and so is no larger than the index. Null: a part of it may be.
ExpressionRef Expressions::place(const ExpressionRef& index) {
    if (index->op == Op::Cast && is_wide(index->type) && is_wide(index->operands[0]->type)) {
        return place(index->operands[0]);
    }
    const Type type = number_type(Kind::Int32);
    const Value value = visit(index);
    if (value.narrow && fits(value.range, type)) return as(value, type);
    if (index->op != Op::Infix || !value.range.is_natural()) return nullptr;
    std::vector<ExpressionRef> parts;
    for (const ExpressionRef& operand : index->operands) {
        const Value part = visit(operand);
        if (!part.range.is_natural()) return nullptr;
        const bool is_narrow = part.narrow && fits(part.range, type);
        if (index->text == "+") parts.push_back(place(operand));
        if (index->text == "*") parts.push_back(is_narrow ? as(part, type) : nullptr);
        if (parts.empty() || !parts.back()) return nullptr;
    }
    auto made = with_range(*index, type, interval_of(type));
    made->operands = std::move(parts);
    return made;
}

Value Expressions::element(const ExpressionRef& value) {
    const std::vector<Value> operands = visited(value->operands);
    Value result = rebuilt(value, default_range(*value), operands);
    if (!writes || !is_small_launch_) return result;
    std::vector<ExpressionRef> places{operands[0].wide};
    for (std::size_t i = 1; i < operands.size(); ++i) {
        const bool is_plain = value->operands[i]->effect != Effect::Acts;
        const bool is_narrow = operands[i].narrow && operands[i].narrow->type->is_signed();
        const ExpressionRef narrow =
            is_plain && !is_narrow ? place(value->operands[i]) : ExpressionRef();
        places.push_back(narrow ? narrow : operands[i].wide);
    }
    result.wide = with_operands(value, std::move(places));
    return result;
}

// An index that may be from the end, or a remainder by one difference or sum.
Value Expressions::wrapped(const ExpressionRef& value, const std::vector<Value>& operands) const {
    const Interval& index = operands[0].range;
    const Interval& extent = operands[1].range;
    const bool is_index = value->text == "__ww_py_wrap";
    if (is_index && index.is_natural()) return operands[0];
    const Interval natural{std::max<Wide>(index.least, 0), index.most};
    const Interval negative{index.least, std::min<Wide>(index.most, -1)};
    Interval range = natural;
    if (!negative.is_empty()) range = joined(range, sum(negative, extent));
    // Remainders are not larger than what they are of.
    if (!is_index || value->most) range = met(range, {0, extent.most});
    if (range.is_empty()) range = interval_of(value->type);
    Value result = rebuilt(value, cut(range, value->type), operands);
    if (!writes) return result;
    const Type type = number_type(Kind::Int32);
    const bool are_narrow = std::ranges::all_of(
        operands, [type](const Value& one) { return one.narrow && fits(one.range, type); });
    if (!are_narrow) return result;
    result.wide = with_operands(value, {as(operands[0], type), as(operands[1], type)});
    if (fits(result.range, type)) result.narrow = conversion(result.wide, type, result.range);
    return result;
}

}  // namespace warpwise::script
