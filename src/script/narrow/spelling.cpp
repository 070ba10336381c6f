// Expressions made from others.
#include "src/script/narrow/spelling.hpp"

#include <algorithm>

namespace warpwise::script {

bool is_wide(Type type) {
    return is_whole_number(type) && !type->is_bool() && DType(type->kind).size() == 8;
}

bool fits(const Interval& range, Type type) {
    return !range.is_empty() && range.is_within(interval_of(type));
}

std::array<Type, 2> narrow_types(Type type) {
    const Type with_sign = number_type(Kind::Int32);
    const Type without = number_type(Kind::UInt32);
    if (type->is_signed()) return {with_sign, without};
    return {without, with_sign};
}

std::shared_ptr<Expression> with_range(const Expression& value, Type type, const Interval& range) {
    auto made = std::make_shared<Expression>(value);
    made->type = type;
    made->is_never_negative = range.is_natural();
    made->most = static_cast<std::uint64_t>(std::max(range.most, -range.least));
    return made;
}

ExpressionRef with_operands(const ExpressionRef& value, std::vector<ExpressionRef> operands) {
    if (operands == value->operands) return value;
    auto made = std::make_shared<Expression>(*value);
    made->operands = std::move(operands);
    return made;
}

ExpressionRef conversion(const ExpressionRef& value, Type type, const Interval& range) {
    if (value->type == type) return value;
    Expression made;
    made.op = Expression::Op::Cast;
    made.effect = value->effect;
    made.operands = {value};
    return with_range(made, type, range);
}

ExpressionRef narrow_conversion(const ExpressionRef& value, Type like, const Interval& range) {
    for (const Type type : narrow_types(like)) {
        if (fits(range, type)) return conversion(value, type, range);
    }
    return nullptr;
}

}  // namespace warpwise::script
