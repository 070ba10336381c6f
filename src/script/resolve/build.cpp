// Constructors of expressions.
#include "src/script/resolve/build.hpp"

#include <algorithm>
#include <cmath>

#include "src/script/resolve/magnitudes.hpp"
#include "src/script/times.hpp"

namespace warpwise::script {
namespace {

using Op = Expression::Op;

std::shared_ptr<Expression> make(Op op, Type type) {
    auto made = std::make_shared<Expression>();
    made->op = op;
    made->type = type;
    return made;
}

ExpressionRef constant(Type type, const Constant& value, bool is_never_negative) {
    auto made = make(Op::Constant, type);
    made->constant = value;
    made->is_never_negative = is_never_negative;
    return made;
}

double as_real(const Constant& value) {
    if (value.real) return *value.real;
    if (value.whole) return static_cast<double>(*value.whole);
    if (value.large) return static_cast<double>(*value.large);
    return value.truth.value_or(false) ? 1 : 0;
}

// Null where the conversion is left to run time.
ExpressionRef converted(const Constant& value, Type type) {
    const Kind kind = type->kind;
    if (type->is_bool()) return truth(as_real(value) != 0);
    if (kind == Kind::Float32) return real(static_cast<float>(as_real(value)), kind);
    if (kind == Kind::Float64) return real(as_real(value), kind);
    if (kind == Kind::Int64 && value.whole) return whole(*value.whole);
    if (kind == Kind::Int64 && value.truth) return whole(*value.truth ? 1 : 0);
    if (kind == Kind::UInt64 && value.whole && *value.whole >= 0) {
        return large(static_cast<std::uint64_t>(*value.whole));
    }
    return nullptr;
}

bool is_wide_whole(Type type) {
    return is_whole_number(type) && DType(type->kind).size() == 8;
}

// Whether the type has every number that the value, which is never negative, may be.
bool holds_all_of(Type type, const ExpressionRef& value) {
    const Type from = value->type;
    return is_whole_number(from) && is_surely_natural(value) &&
           (from->is_bool() || DType(from->kind).size() <= DType(type->kind).size());
}

bool is_narrow_whole(Type type) {
    return is_whole_number(type) && (type->is_bool() || DType(type->kind).size() <= 4);
}

// The last 32 bits of a number of 64, computed with 32: of sums, products and the like of numbers
// that have no more. Null where others take part.
ExpressionRef last_bits(const ExpressionRef& value) {
    const Type bits = number_type(Kind::UInt32);
    if (value->constant) {
        const Constant& number = *value->constant;
        if (!number.whole && !number.large) return nullptr;
        const auto low = static_cast<std::uint32_t>(number.whole ? *number.whole : *number.large);
        return constant(bits, {.whole = low}, true);
    }
    if (!is_wide_whole(value->type)) return nullptr;
    if (value->op == Op::Cast) {
        const ExpressionRef& from = value->operands[0];
        return is_narrow_whole(from->type) ? cast(from, bits) : nullptr;
    }
    const bool is_sign = value->op == Op::Prefix && (value->text == "-" || value->text == "~");
    if (is_sign) {
        ExpressionRef inner = last_bits(value->operands[0]);
        return inner ? prefix(value->text, std::move(inner), bits) : nullptr;
    }
    if (value->op != Op::Infix) return nullptr;
    const std::string_view op = value->text;
    const ExpressionRef& b = value->operands[1];
    if (op == "<<" || op == ">>") {
        // Behind >>, bits that were before the last ones are among them; of natural numbers, none.
        const ExpressionRef& a = value->operands[0];
        const bool is_short = b->constant && b->constant->whole && *b->constant->whole < 32;
        const bool has_no_more = a->op == Op::Cast && holds_all_of(bits, a->operands[0]);
        ExpressionRef low = is_short && (op == "<<" || has_no_more) ? last_bits(a) : nullptr;
        return low ? infix(op, std::move(low), b, bits) : nullptr;
    }
    static constexpr std::string_view kLowDependOnLow = "+-*&|^";
    if (kLowDependOnLow.find(op) == kLowDependOnLow.npos) return nullptr;
    ExpressionRef low = last_bits(value->operands[0]);
    ExpressionRef other = low ? last_bits(b) : nullptr;
    return other ? infix(op, std::move(low), std::move(other), bits) : nullptr;
}

}  // namespace

ExpressionRef whole(std::int64_t value) {
    return constant(number_type(Kind::Int64), {.whole = value}, value >= 0);
}

ExpressionRef large(std::uint64_t value) {
    Constant held{.large = value};
    return constant(number_type(Kind::UInt64), held, true);
}

ExpressionRef real(double value, Kind kind) {
    return constant(number_type(kind), {.real = value}, false);
}

ExpressionRef truth(bool value) {
    return constant(number_type(Kind::Bool), {.truth = value}, true);
}

ExpressionRef nothing(Type type) {
    return make(Op::Nothing, type);
}

ExpressionRef variable(std::shared_ptr<Variable> variable) {
    auto made = make(Op::Variable, variable->type);
    made->effect = variable->assignments > 1 ? Effect::Reads : Effect::Pure;
    made->is_never_negative = variable->is_never_negative && is_whole_number(variable->type);
    made->most = variable->most;
    made->variable = std::move(variable);
    return made;
}

ExpressionRef cast(ExpressionRef value, Type type) {
    if (value->type == type || type->family == Family::Unknown ||
        value->type->family == Family::Unknown) {
        return value;
    }
    if (value->constant && type->is_number()) {
        if (ExpressionRef folded = converted(*value->constant, type)) return folded;
    }
    if (value->type->is_time() && type->is_time()) {
        const std::optional<std::string> how = time_conversion(value->type, type);
        return call(how && *how != "{0}" ? *how : "__ww_py_time", {std::move(value)}, type);
    }
    if (value->op == Op::Tuple && type->is_tuple()) {
        std::vector<ExpressionRef> items;
        items.reserve(value->operands.size());
        for (std::size_t i = 0; i < value->operands.size(); ++i) {
            items.push_back(cast(value->operands[i], type->items[i]));
        }
        return tuple(std::move(items), type);
    }
    // (long long)(int)threadIdx.x is (long long)threadIdx.x: neither is ever negative.
    const bool is_double = value->op == Op::Cast && value->is_never_negative &&
                           is_wide_whole(type) && holds_all_of(value->type, value->operands[0]);
    if (is_double) value = value->operands[0];
    const bool loses_bits = is_narrow_whole(type) && !type->is_bool() &&
                            is_wide_whole(value->type) &&
                            (value->op == Op::Infix || value->op == Op::Prefix);
    if (loses_bits) {
        if (const ExpressionRef low = last_bits(value)) return cast(low, type);
    }
    auto made = make(Op::Cast, type);
    made->effect = value->effect;
    if (is_whole_number(type) && value->type->is_whole()) {
        const std::size_t before = DType(value->type->kind).size();
        const std::size_t after = DType(type->kind).size();
        const bool is_wider = after > before || value->type->is_bool();
        made->is_never_negative =
            !type->is_signed() || (!value->type->is_signed() && is_wider) ||
            (value->is_never_negative && value->type->is_signed() && after >= before);
        made->most = magnitude_of_cast(value, type);
    }
    made->operands = {std::move(value)};
    return made;
}

ExpressionRef infix(std::string_view op, ExpressionRef a, ExpressionRef b, Type type) {
    auto made = make(Op::Infix, type);
    made->text = op;
    made->effect = std::max(a->effect, b->effect);
    made->most = magnitude_of_infix(op, a, b, type);
    const bool both = a->is_never_negative && b->is_never_negative;
    const bool first = is_surely_natural(a);
    const bool second = is_surely_natural(b);
    made->is_never_negative =
        is_whole_number(type) &&
        ((both && (op == "+" || op == "*" || op == "|" || op == "^" || op == "<<")) ||
         (first && second && (op == "/" || op == "%")) || (op == "&" && (first || second)) ||
         (op == ">>" && first));
    made->operands = {std::move(a), std::move(b)};
    if (type->is_signed() && has_large_constants(*made)) made->is_never_negative = false;
    return made;
}

ExpressionRef prefix(std::string_view op, ExpressionRef a, Type type) {
    if (op == "!" && a->constant && a->constant->truth) return truth(!*a->constant->truth);
    auto made = make(Op::Prefix, type);
    made->text = op;
    made->effect = a->effect;
    if (is_whole_number(type) && type->is_signed()) {
        made->most = magnitude_of_infix("+", a, whole(op == "~" ? 1 : 0), type);
    }
    made->operands = {std::move(a)};
    return made;
}

ExpressionRef call(std::string_view text, std::vector<ExpressionRef> operands, Type type,
                   Effect effect, bool is_never_negative) {
    auto made = make(Op::Call, type);
    made->text = text;
    made->effect = effect_of(operands, effect);
    made->is_never_negative = is_never_negative;
    made->operands = std::move(operands);
    return made;
}

ExpressionRef member(ExpressionRef value, std::string_view text, Type type,
                     bool is_never_negative) {
    auto made = make(Op::Member, type);
    made->text = text;
    made->effect = value->effect;
    made->is_never_negative = is_never_negative;
    made->operands = {std::move(value)};
    return made;
}

ExpressionRef tuple(std::vector<ExpressionRef> items, Type type) {
    auto made = make(Op::Tuple, type);
    made->effect = effect_of(items);
    made->operands = std::move(items);
    return made;
}

ExpressionRef tuple(std::vector<ExpressionRef> items) {
    std::vector<Type> types;
    types.reserve(items.size());
    for (const ExpressionRef& one : items) types.push_back(one->type);
    return tuple(std::move(items), tuple_type(std::move(types)));
}

ExpressionRef item(const ExpressionRef& tuple, std::size_t index) {
    if (tuple->op == Op::Tuple) {
        // The others are evaluated too, unless that is nothing.
        bool is_alone = true;
        for (std::size_t i = 0; i < tuple->operands.size(); ++i) {
            is_alone &= i == index || tuple->operands[i]->effect != Effect::Acts;
        }
        if (is_alone) return tuple->operands[index];
    }
    std::string path;
    for (std::size_t i = 0; i < index; ++i) path += "rest.";
    return member(tuple, path + "first", tuple->type->items[index]);
}

ExpressionRef as_place(const ExpressionRef& element) {
    auto made = std::make_shared<Expression>(*element);
    if (made->op == Op::Let) made->operands[1] = as_place(made->operands[1]);
    made->is_place = true;
    return made;
}

ExpressionRef let(std::shared_ptr<Variable> variable, ExpressionRef value, ExpressionRef body) {
    auto made = make(Op::Let, body->type);
    made->variable = std::move(variable);
    made->effect = std::max(value->effect, body->effect);
    made->is_never_negative = body->is_never_negative;
    made->most = body->most;
    made->operands = {std::move(value), std::move(body)};
    return made;
}

ExpressionRef select(ExpressionRef condition, ExpressionRef a, ExpressionRef b, Type type) {
    if (is_true(condition)) return cast(std::move(a), type);
    if (is_false(condition)) return cast(std::move(b), type);
    auto made = make(Op::Select, type);
    a = cast(std::move(a), type);
    b = cast(std::move(b), type);
    made->effect = std::max({condition->effect, a->effect, b->effect});
    made->is_never_negative = a->is_never_negative && b->is_never_negative;
    if (is_whole_number(type)) made->most = std::max(magnitude(a), magnitude(b));
    made->operands = {std::move(condition), std::move(a), std::move(b)};
    return made;
}

bool is_unknown(const ExpressionRef& value) {
    return value->type->family == Family::Unknown;
}

Effect effect_of(const std::vector<ExpressionRef>& operands, Effect least) {
    for (const ExpressionRef& operand : operands) least = std::max(least, operand->effect);
    return least;
}

bool is_true(const ExpressionRef& value) {
    return value->constant && value->constant->truth.value_or(false);
}

bool is_false(const ExpressionRef& value) {
    return value->constant && !value->constant->truth.value_or(true);
}

std::string_view opposite_comparison(std::string_view op) {
    if (op == "<") return ">=";
    if (op == "<=") return ">";
    if (op == ">") return "<=";
    if (op == ">=") return "<";
    if (op == "==") return "!=";
    return op == "!=" ? "==" : "";
}

bool is_simple(const ExpressionRef& value) {
    if (value->op == Op::Member) return is_simple(value->operands[0]);
    return value->op == Op::Constant || value->op == Op::Variable || value->op == Op::Storage ||
           value->op == Op::Nothing;
}

bool is_fixed(const ExpressionRef& value) {
    if (value->op == Op::Member) return is_fixed(value->operands[0]);
    return is_simple(value) && (value->op != Op::Variable || value->variable->assignments <= 1);
}

// Conversions that keep every value aside.
const ExpressionRef& unconverted(const ExpressionRef& value) {
    const auto is_whole = [](const ExpressionRef& one) {
        return is_whole_number(one->type) && one->type->kind != Kind::UInt64;
    };
    const bool widens = value->op == Expression::Op::Cast && value->type->kind == Kind::Int64 &&
                        is_whole(value->operands[0]);
    return widens ? unconverted(value->operands[0]) : value;
}

bool is_same(const ExpressionRef& a, const ExpressionRef& b) {
    if (!a || !b) return !a && !b;
    const ExpressionRef& one = unconverted(a);
    const ExpressionRef& other = unconverted(b);
    if (one == other) return true;
    if (one->op != other->op || one->type != other->type || one->text != other->text ||
        one->variable != other->variable || one->effect == Effect::Acts ||
        one->operands.size() != other->operands.size() || one->constant != other->constant) {
        return false;
    }
    return std::ranges::equal(one->operands, other->operands, is_same);
}

}  // namespace warpwise::script
