// Calls of distributions. See call.hpp.
#include "src/random/call.hpp"

#include <cmath>
#include <optional>
#include <vector>

#include "src/array/elementwise.hpp"
#include "src/array/refuse.hpp"
#include "src/random/xorwow.hpp"
#include "src/types/promotion.hpp"

namespace warpwise::random {
namespace {

bool is_number(const Operand& value, double number) {
    return value.array() == nullptr && value.scalar().real() == number;
}

std::string_view text_of(Domain domain) {
    switch (domain) {
        case Domain::NotNegative:
            return "0 or more";
        case Domain::Positive:
            return "above 0";
        case Domain::Probability:
            return "from 0 to 1";
        case Domain::PositiveProbability:
            return "above 0 and at most 1";
        case Domain::BelowOne:
            return "0 or more and below 1";
        case Domain::AboveOne:
            return "above 1";
        case Domain::Any:
            break;
    }
    return "a number";
}

bool holds(Domain domain, double value) {
    switch (domain) {
        case Domain::NotNegative:
            return value >= 0;
        case Domain::Positive:
            return value > 0;
        case Domain::Probability:
            return value >= 0 && value <= 1;
        case Domain::PositiveProbability:
            return value > 0 && value <= 1;
        case Domain::BelowOne:
            return value >= 0 && value < 1;
        case Domain::AboveOne:
            return value > 1;
        case Domain::Any:
            break;
    }
    return true;
}

}  // namespace

void require_domain(std::string_view function, std::string_view parameter, const Operand& value,
                    Domain domain) {
    if (value.array() != nullptr) {
        array::require_numbers(*value.array(), function);
        if (types::is_complex(array::kind_of(*value.array()))) {
            array::refuse_type("{} got an array of {} for {}; it takes real numbers", function,
                               value.array()->dtype().name(), parameter);
        }
        return;
    }
    const Scalar& number = value.scalar();
    if (types::is_complex(number.kind())) {
        array::refuse_type("{} got {} for {}; it takes real numbers", function, number.text(),
                           parameter);
    }
    if (!holds(domain, number.real())) {
        array::refuse_value("{} got {}={}; it must be {}", function, parameter, number.text(),
                            text_of(domain));
    }
}

Operand converted(const Operand& value, Kind kind, Array& holder) {
    if (value.array() == nullptr) return Operand(value.scalar().typed(kind));
    holder = array::converted(*value.array(), kind);
    return Operand(holder);
}

PhiloxState host_state(BitGenerator& bits, std::int64_t elements) {
    if (auto* const philox = std::get_if<Philox>(&bits)) return philox->take(elements);
    const std::vector<std::uint32_t> key = std::get<XORWOW>(bits).random_raw(2);
    return {.key = key[0] | std::uint64_t{key[1]} << 32};
}

Call::Call(std::string_view function, BitGenerator& bits, const Sample& sample,
           std::initializer_list<const Operand*> parameters, Kind kind)
    : function_(function), bits_(bits), sample_(sample), kind_(kind) {
    const Array* first = sample.out;
    std::vector<Shape> shapes{Shape{}};
    for (const Operand* parameter : parameters) {
        const Array* const array = parameter->array();
        if (array == nullptr) continue;
        if (first != nullptr) array::require_same_device(*first, *array, function);
        if (first == nullptr) first = array;
        shapes.push_back(array->shape());
    }
    const Shape own = broadcast_shapes(shapes);
    shape_ = sample.shape ? *sample.shape : sample.out ? sample.out->shape() : own;
    count_of(shape_);  // throws for extents that are none
    if (!array::broadcasts_to(own, shape_)) {
        array::refuse_value(
            "{} got size={} for parameters of shape {} together; it must be a shape that they "
            "broadcast to",
            function, warpwise::text_of(shape_), warpwise::text_of(own));
    }
    if (first == nullptr) {
        context_ = &array::context_of(sample.device);
    } else {
        context_ = &array::context_of(*first);
        if (sample.device && &array::context_of(sample.device) != context_) {
            array::refuse_value("{} got device={} for arrays on {}; move them there first",
                                function, sample.device->name(), first->device().name());
        }
    }
    if (sample.dtype) {
        array::require_array_dtype(*sample.dtype);
        kind_ = sample.dtype->kind();
    } else if (sample.out != nullptr) {
        array::require_numbers(*sample.out, function);
        kind_ = array::kind_of(*sample.out);
    }
}

void Call::require_float() const {
    if (kind_ == Kind::Float32 || kind_ == Kind::Float64) return;
    array::refuse_type("{} got dtype {}; it gives float32 or float64", function_,
                       kind_ == Kind::Struct ? "struct" : DType(kind_).name());
}

Array Call::draw(ir::Draw draw, Kind kind, Kind computation,
                 std::initializer_list<Operand> parameters) const {
    return draw_from(take(draw, kind), draw, kind, computation, parameters);
}

// The rounds of a permutation are Philox's, whatever their key comes from.
BitState Call::take(ir::Draw draw, Kind kind) const {
    const std::int64_t elements = count_of(shape_);
    auto* const xorwow = std::get_if<XORWOW>(&bits_);
    if (xorwow == nullptr || draw == ir::Draw::Permuted) return host_state(bits_, elements);
    return xorwow->take(xorwow_rows(elements, items_of(draw, kind)));
}

Array Call::draw_from(const BitState& taken, ir::Draw draw, Kind kind, Kind computation,
                      std::initializer_list<Operand> parameters) const {
    if (const auto* const own = std::get_if<XORWOWState>(&taken)) {
        return xorwow_numbers(std::get<XORWOW>(bits_), *own,
                              {.draw = draw, .kind = kind, .computation = computation}, parameters,
                              shape_, *context_);
    }
    const auto& state = std::get<PhiloxState>(taken);
    std::vector<graph::Operand> operands;
    for (const Operand& parameter : parameters) {
        if (parameter.array() != nullptr) {
            operands.emplace_back(&parameter.array()->value());
        } else {
            operands.emplace_back(parameter.scalar());
        }
    }
    return Array(graph::draw({.draw = draw,
                              .kind = kind,
                              .computation = computation,
                              .state = {state.key, state.position, state.jumps}},
                             operands, shape_, *context_));
}

Array Call::shifted(const Array& values, const Operand& loc, const Operand& scale) const {
    Array result = values;
    Array holder;
    if (!is_number(scale, 1)) {
        result = array::compute(ir::Op::Multiply,
                                {result, converted(scale, array::kind_of(values), holder)});
    }
    if (!is_number(loc, 0)) {
        result =
            array::compute(ir::Op::Add, {result, converted(loc, array::kind_of(values), holder)});
    }
    return result;
}

Array Call::result(const Array& values) const {
    const Array typed = array::converted(values, kind_);
    if (sample_.out == nullptr) return typed;
    if (!(sample_.out->shape() == typed.shape())) {
        array::refuse_value(
            "{} got out= of shape {} for a result of shape {}; it must have that "
            "shape",
            function_, warpwise::text_of(sample_.out->shape()), warpwise::text_of(typed.shape()));
    }
    array::write_out(*sample_.out, typed, nullptr, function_);
    return *sample_.out;
}

}  // namespace warpwise::random
