// Arrays of float64 on the CPU device, by the graph's own functions.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <vector>

#include "src/graph/graph.hpp"
#include "src/runtime/context.hpp"
#include "tests/unit/graph/fake_fused.hpp"
#include "warpwise/warpwise.hpp"

namespace warpwise::graph {

inline const bool g_device_is_set = [] {
    setenv("WARPWISE_DEVICE", "cpu", 1);
    setenv("WARPWISE_CACHE_SIZE", "0", 1);
    return true;
}();

inline runtime::Context& context() {
    return *runtime::current_context();
}

inline Value filled(const Shape& shape, double number) {
    Value value = empty(shape, float64, context());
    const std::vector<double> numbers(static_cast<std::size_t>(count_of(shape)), number);
    settled_memory(value).copy_from(numbers.data(), numbers.size() * sizeof(double));
    return value;
}

inline Value binary(ir::Op op, const Operand& a, const Operand& b, const Shape& shape) {
    const Operand operands[] = {a, b};
    return apply(op, {Kind::Float64, Kind::Float64}, operands, shape);
}
inline Value add(const Value& a, const Value& b) {
    return binary(ir::Op::Add, &a, &b, a.view.shape);
}
inline Value add(const Value& a, double b) {
    return binary(ir::Op::Add, &a, Scalar(b), a.view.shape);
}
inline Value times(const Value& a, double b) {
    return binary(ir::Op::Multiply, &a, Scalar(b), a.view.shape);
}
inline Value sine(const Value& a) {
    const Operand operands[] = {&a};
    return apply(ir::Op::Sin, {Kind::Float64, Kind::Float64}, operands, a.view.shape);
}
inline Value sum(const Value& a) {
    const auto all = static_cast<std::uint32_t>((1 << a.view.shape.size()) - 1);
    ReduceCall call;
    call.accumulator = call.result = Kind::Float64;
    call.axes = all;
    return reduce(call, a);
}

// The first element, in the order of the memory.
inline double first(const Value& value) {
    double number = 0;
    settled_memory(value).copy_to(&number, sizeof number);
    return number;
}

inline Value part(Value value, std::int64_t start, std::int64_t count) {
    value.view.offset += start * value.view.strides[0];
    value.view.shape[0] = count;
    return value;
}

}  // namespace warpwise::graph
