// Types of arrays: conversion, promotion, copies.
#include <algorithm>
#include <optional>

#include "src/array/parts.hpp"
#include "src/array/refuse.hpp"
#include "src/types/promotion.hpp"
#include "warpwise/array.hpp"

namespace warpwise {
namespace {

// Memory with the axis order of `array`, without gaps.
Array empty_in_order_of(const Array& array, const DType& dtype) {
    const Strides layout = graph::keep_order(array.shape(), static_cast<std::int64_t>(dtype.size()),
                                             {&array.strides()});
    return Array(graph::empty(array.shape(), dtype, array::context_of(array), &layout));
}

}  // namespace

Array astype(const Array& array, const DType& dtype, bool copy) {
    array::require_array_dtype(dtype);
    if (array.dtype() == dtype) return copy ? warpwise::copy(array) : array;
    array::require_numbers(array, "astype");
    if (dtype.kind() == Kind::Struct) {
        array::refuse_type(
            "astype got {} for numbers of {}; make an empty array of it and assign "
            "its fields",
            dtype.name(), array.dtype().name());
    }
    return Array(graph::cast(array.value(), dtype.kind()));
}

DType result_type(std::span<const Operand> operands) {
    std::optional<Kind> strong;
    for (const Operand& operand : operands) {
        if (operand.array() != nullptr) array::require_numbers(*operand.array(), "result_type");
        if (operand.array() == nullptr && operand.scalar().is_weak()) continue;
        const Kind kind =
            operand.array() != nullptr ? array::kind_of(*operand.array()) : operand.scalar().kind();
        strong = strong ? types::promote(*strong, kind) : kind;
    }
    if (operands.empty()) array::refuse_type("result_type got nothing; give arrays or numbers");
    const bool is_weak = !strong;
    for (const Operand& operand : operands) {
        if (operand.array() != nullptr || !operand.scalar().is_weak()) continue;
        const Kind own = types::default_kind(operand.scalar());
        if (is_weak)
            strong = strong ? types::promote(*strong, own) : own;
        else
            strong = types::promote_weak(*strong, operand.scalar());
    }
    return DType(*strong);
}

bool can_cast(const DType& from, const DType& to) {
    if (from == to) return true;
    const Kind a = from.kind();
    const Kind b = to.kind();
    if (!types::is_number(a) || !types::is_number(b)) return false;
    return types::promote(a, b) == b;
}

Array copy(const Array& array, std::optional<Order> order) {
    const Kind kind = array::kind_of(array);
    const auto item = static_cast<std::int64_t>(array.dtype().size());
    const Strides wanted = order == Order::C ? c_strides(array.shape(), item)
                           : order == Order::F
                               ? f_strides(array.shape(), item)
                               : graph::keep_order(array.shape(), item, {&array.strides()});
    // A plain conversion may fuse with what comes before and after it.
    if (kind != Kind::Struct) {
        Array result(graph::cast(array.value(), kind));
        if (result.strides() == wanted || array.size() <= 1) return result;
    }
    Array result(graph::empty(array.shape(), array.dtype(), array::context_of(array), &wanted));
    array::write_into(result, array);
    return result;
}

Array ascontiguousarray(const Array& array) {
    return array.is_c_contiguous() ? array : copy(array, Order::C);
}

Array empty_like(const Array& array, const std::optional<DType>& dtype) {
    if (dtype) array::require_array_dtype(*dtype);
    return empty_in_order_of(array, dtype.value_or(array.dtype()));
}

Array full_like(const Array& array, const Scalar& value, const std::optional<DType>& dtype) {
    const DType type = dtype.value_or(array.dtype());
    if (graph::keep_order(array.shape(), 1, {&array.strides()}) == c_strides(array.shape(), 1)) {
        return full(array.shape(), value, type, array.device());
    }
    Array result = empty_like(array, type);
    result.assign(value);
    return result;
}

Array full_like(const Array& array, const Array& values, const std::optional<DType>& dtype) {
    Array result = empty_like(array, dtype);
    result.assign(values);
    return result;
}

Array zeros_like(const Array& array, const std::optional<DType>& dtype) {
    if (dtype.value_or(array.dtype()).kind() == Kind::Struct) {
        return zeros(array.shape(), dtype.value_or(array.dtype()), array.device());
    }
    return full_like(array, Scalar(false), dtype);
}

Array ones_like(const Array& array, const std::optional<DType>& dtype) {
    return full_like(array, Scalar(true), dtype);
}

}  // namespace warpwise
