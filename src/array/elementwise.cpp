// Elementwise functions. See elementwise.hpp.
#include "src/array/elementwise.hpp"

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "src/array/parts.hpp"
#include "src/array/refuse.hpp"
#include "src/types/promotion.hpp"
#include "warpwise/array_functions.hpp"

namespace warpwise::array {
namespace {

constexpr std::size_t kMostOperands = 3;

// The operands of one call, checked: all of one device, numbers, and the shape that they have.
class Call {
  public:
    Call(ir::Op op, std::span<const Operand> operands, const Elementwise& options)
        : op_(op), row_(ir::row_of(op)), operands_(operands) {
        if (static_cast<int>(operands.size()) != row_.arity) {
            refuse_type("{} takes {} operands, got {}", row_.name, row_.arity, operands.size());
        }
        for (const Operand& operand : operands) {
            if (operand.array() != nullptr) note(*operand.array());
        }
        find_types(options);
        if (options.where != nullptr) note_where(*options.where);
        if (options.out != nullptr) note_out(*options.out);
    }

    Array run() {
        std::array<graph::Operand, kMostOperands> values;
        std::optional<Array> number;
        if (first_ == nullptr) {  // numbers alone: of the current device
            const Scalar& scalar = operands_[0].scalar();
            number = constant(scalar, types_of_[0].kind, Shape{}, context_of(std::nullopt));
        }
        for (std::size_t i = 0; i < operands_.size(); ++i) {
            if (operands_[i].array() != nullptr)
                values[i] = &operands_[i].array()->value();
            else if (i == 0 && number)
                values[i] = &number->value();
            else
                values[i] = operands_[i].scalar();
        }
        take_condition(values);
        return Array(graph::apply(op_, types_, std::span(values.data(), operands_.size()), shape_));
    }

    const Shape& shape() const noexcept { return shape_; }
    const ir::OpTypes& types() const noexcept { return types_; }
    std::string_view name() const noexcept { return row_.name; }

  private:
    void note(const Array& array) {
        require_numbers(array, row_.name);
        if (first_ == nullptr) {
            first_ = &array;
            shape_ = array.shape();
            return;
        }
        require_same_device(*first_, array, row_.name);
        widen(array.shape());
    }
    void widen(const Shape& other) {
        if (other == shape_) return;
        const Shape both[] = {shape_, other};
        shape_ = broadcast_shapes(both);
    }
    void note_where(const Array& where) {
        if (kind_of(where) != Kind::Bool) {
            refuse_type("{} got where= of {}; it must be bool, such as x > 0", row_.name,
                        where.dtype().name());
        }
        if (first_ != nullptr) require_same_device(*first_, where, row_.name);
        widen(where.shape());
    }
    void note_out(const Array& out) {
        require_numbers(out, row_.name);
        if (first_ != nullptr) require_same_device(*first_, out, row_.name);
        require_writable(out, row_.name);
        if (broadcasts_to(shape_, out.shape())) {
            shape_ = out.shape();
            return;
        }
        refuse_value("{} got out= of shape {} for a result of shape {}; it must have that shape",
                     row_.name, text_of(out.shape()), text_of(shape_));
    }

    void find_types(const Elementwise& options) {
        for (std::size_t i = 0; i < operands_.size(); ++i) {
            const Array* const array = operands_[i].array();
            const Scalar& scalar = operands_[i].scalar();
            if (array != nullptr)
                types_of_[i] = {kind_of(*array), nullptr};
            else if (scalar.is_weak())
                types_of_[i] = {types::default_kind(scalar), &scalar};
            else
                types_of_[i] = {scalar.kind(), nullptr};
        }
        // Whatever is tested: NumPy takes any number as a condition.
        if (row_.rule == ir::TypeRule::Select) types_of_[0] = {Kind::Bool, nullptr};
        Kind forced = Kind::Void;
        if (options.dtype) {
            require_array_dtype(*options.dtype);
            forced = options.dtype->kind();
            if (forced == Kind::Struct) {
                refuse_type("{} got dtype={}; it must be a type of numbers", row_.name,
                            options.dtype->name());
            }
        }
        types_ = ir::types_of(op_, std::span(types_of_.data(), operands_.size()), forced);
    }

    // The condition of a selection as bool.
    void take_condition(std::array<graph::Operand, kMostOperands>& values) {
        if (row_.rule != ir::TypeRule::Select) return;
        const Array* const given = operands_[0].array();
        if (given == nullptr || kind_of(*given) == Kind::Bool) return;
        condition_ = converted(*given, Kind::Bool);
        values[0] = &condition_->value();
    }

    const ir::Op op_;
    const ir::OpRow& row_;
    const std::span<const Operand> operands_;
    const Array* first_ = nullptr;
    Shape shape_;
    std::array<ir::OperandType, kMostOperands> types_of_{};
    ir::OpTypes types_;
    std::optional<Array> condition_;
};

}  // namespace

void write_out(Array& out, const Array& value, const Array* where, std::string_view function) {
    require_numbers(out, function);
    require_writable(out, function);
    require_same_device(out, value, function);
    if (!types::can_cast_same_kind(kind_of(value), kind_of(out))) {
        refuse_type(
            "{} gives {}, which is not converted to {} by itself; use astype, or a target "
            "of a type that holds it",
            function, value.dtype().name(), out.dtype().name());
    }
    if (!broadcasts_to(value.shape(), out.shape())) {
        refuse_value("{} got out= of shape {} for a result of shape {}; it must have that shape",
                     function, text_of(out.shape()), text_of(value.shape()));
    }
    write_into(out, value, where);
}

namespace {

// As NumPy: an array to the power of the number 2 is its square, and integers to negative powers
// are refused where the power is known.
bool is_square(std::span<const Operand> operands, const Elementwise& options) {
    const Array* const base = operands[0].array();
    const Scalar& exponent = operands[1].scalar();
    if (base == nullptr || operands[1].array() != nullptr || options.dtype ||
        !types::is_integer(exponent.kind()) || !exponent.is_weak()) {
        return false;
    }
    if (exponent.kind() != Kind::UInt64 && exponent.as_int() < 0 &&
        types::is_integer(kind_of(*base))) {
        refuse_value(
            "pow got {} as the power of integers, whose results are no integers; convert "
            "them to a floating type first",
            exponent.text());
    }
    return exponent.as_int() == 2 && kind_of(*base) != Kind::Struct;
}

// Whether the operand, a number, leaves arrays of `kind` what they are.
bool is_taken_by(Kind kind, const Scalar& scalar) {
    return scalar.is_weak() && types::is_real_float(kind) && !types::is_complex(scalar.kind());
}

// The usual call: arrays of one type, shape and device, and numbers beside floats. Empty where more
// has to be decided.
std::optional<graph::Value> plain(ir::Op op, std::span<const Operand> operands,
                                  const Elementwise& options) {
    if (options.dtype || options.where != nullptr || options.out != nullptr) return std::nullopt;
    const ir::OpRow& row = ir::row_of(op);
    if (row.rule == ir::TypeRule::Select || static_cast<int>(operands.size()) != row.arity) {
        return std::nullopt;
    }
    std::array<graph::Operand, kMostOperands> values;
    const graph::Value* first = nullptr;
    for (std::size_t i = 0; i < operands.size(); ++i) {
        if (operands[i].array() == nullptr) continue;
        const graph::Value& value = operands[i].array()->value();
        if (first == nullptr) first = &value;
        const bool is_alike = value.view.dtype.kind() == first->view.dtype.kind() &&
                              value.view.shape == first->view.shape &&
                              &value.storage->context() == &first->storage->context();
        if (!is_alike) return std::nullopt;
        values[i] = &value;
    }
    if (first == nullptr) return std::nullopt;
    const Kind kind = first->view.dtype.kind();
    if (kind == Kind::Struct) return std::nullopt;
    for (std::size_t i = 0; i < operands.size(); ++i) {
        if (operands[i].array() != nullptr) continue;
        if (!is_taken_by(kind, operands[i].scalar())) return std::nullopt;
        values[i] = operands[i].scalar();
    }
    return graph::apply(op, ir::types_of_equal(op, kind), std::span(values.data(), operands.size()),
                        first->view.shape);
}

}  // namespace

Array elementwise(ir::Op op, std::span<const Operand> operands, const Elementwise& options) {
    if (op == ir::Op::Pow && operands.size() == 2 && is_square(operands, options)) {
        return elementwise(ir::Op::Square, operands.first(1), options);
    }
    if (auto value = plain(op, operands, options)) return Array(std::move(*value));
    Call call(op, operands, options);
    Array result = call.run();
    if (options.out != nullptr) {
        write_out(*options.out, result, options.where, call.name());
        return *options.out;
    }
    if (options.where == nullptr) return result;
    Array target = empty_beside(result, result.shape(), result.dtype());
    write_into(target, result, options.where);
    return target;
}

void update(ir::Op op, Array& target, const Operand& value) {
    const Operand operands[] = {target, value};
    elementwise(op, operands, {.out = &target});
}

Array compute(ir::Op op, std::initializer_list<Operand> operands) {
    return elementwise(op, std::span(operands.begin(), operands.size()), {});
}

}  // namespace warpwise::array

namespace warpwise {

// NOLINTBEGIN(bugprone-macro-parentheses)
#define WARPWISE_DEFINE_1(Name, name)                                       \
    Array name(const Operand& x, const Elementwise& options) {              \
        return array::elementwise(ir::Op::Name, std::span(&x, 1), options); \
    }
#define WARPWISE_DEFINE_2(Name, name)                                              \
    Array name(const Operand& x1, const Operand& x2, const Elementwise& options) { \
        const Operand operands[] = {x1, x2};                                       \
        return array::elementwise(ir::Op::Name, operands, options);                \
    }
#define WARPWISE_DEFINE_3(Name, name)                                   \
    Array name(const Operand& x1, const Operand& x2, const Operand& x3, \
               const Elementwise& options) {                            \
        const Operand operands[] = {x1, x2, x3};                        \
        return array::elementwise(ir::Op::Name, operands, options);     \
    }
#define WARPWISE_OP(Name, name, arity, ...) WARPWISE_DEFINE_##arity(Name, name)
#include "src/ir/ops.def"
#undef WARPWISE_OP
#undef WARPWISE_DEFINE_1
#undef WARPWISE_DEFINE_2
#undef WARPWISE_DEFINE_3
// NOLINTEND(bugprone-macro-parentheses)

#define WARPWISE_ARRAY_OPERATOR(symbol, Name)                 \
    Array operator symbol(const Operand& a, const Array& b) { \
        return array::compute(ir::Op::Name, {a, b});          \
    }                                                         \
    Array operator symbol(const Array& a, const Scalar& b) {  \
        return array::compute(ir::Op::Name, {a, b});          \
    }
WARPWISE_ARRAY_OPERATOR(+, Add)
WARPWISE_ARRAY_OPERATOR(-, Subtract)
WARPWISE_ARRAY_OPERATOR(*, Multiply)
WARPWISE_ARRAY_OPERATOR(/, Divide)
WARPWISE_ARRAY_OPERATOR(%, Remainder)
WARPWISE_ARRAY_OPERATOR(&, BitwiseAnd)
WARPWISE_ARRAY_OPERATOR(|, BitwiseOr)
WARPWISE_ARRAY_OPERATOR(^, BitwiseXor)
WARPWISE_ARRAY_OPERATOR(<, Less)
WARPWISE_ARRAY_OPERATOR(<=, LessEqual)
WARPWISE_ARRAY_OPERATOR(>, Greater)
WARPWISE_ARRAY_OPERATOR(>=, GreaterEqual)
#undef WARPWISE_ARRAY_OPERATOR

Array operator-(const Array& a) {
    return array::compute(ir::Op::Negative, {a});
}
Array operator~(const Array& a) {
    return array::compute(ir::Op::BitwiseInvert, {a});
}

Array& Array::operator+=(const Operand& value) {
    array::update(ir::Op::Add, *this, value);
    return *this;
}
Array& Array::operator-=(const Operand& value) {
    array::update(ir::Op::Subtract, *this, value);
    return *this;
}
Array& Array::operator*=(const Operand& value) {
    array::update(ir::Op::Multiply, *this, value);
    return *this;
}
Array& Array::operator/=(const Operand& value) {
    array::update(ir::Op::Divide, *this, value);
    return *this;
}

std::pair<Array, Array> divmod(const Operand& x1, const Operand& x2) {
    return {floor_divide(x1, x2), remainder(x1, x2)};
}

}  // namespace warpwise
