// Types of arrays: conversion, promotion, copies.
#include <algorithm>
#include <optional>

#include "src/array/parts.hpp"
#include "src/array/refuse.hpp"
#include "src/array/shapes/layouts.hpp"
#include "src/types/promotion.hpp"
#include "warpwise/array.hpp"

namespace warpwise {
namespace {

// Whether two layouts without gaps put every element at the same place.
bool are_same(const Shape& shape, const Strides& a, const Strides& b) {
    for (int axis = 0; axis < shape.size(); ++axis) {
        if (shape[axis] > 1 && a[axis] != b[axis]) return false;
    }
    return true;
}

// The elements as another type, laid out as `wanted`.
Array laid_out(const Array& array, const DType& dtype, const Strides& wanted) {
    const bool is_struct = dtype.kind() == Kind::Struct;
    if (!is_struct) {
        // A plain conversion may fuse with what comes before and after it.
        Array result(graph::cast(array.value(), dtype.kind()));
        if (array.size() <= 1 || are_same(array.shape(), result.strides(), wanted)) return result;
    }
    Array result(graph::empty(array.shape(), dtype, array::context_of(array), &wanted));
    array::write_into(result, array);
    return result;
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
    return laid_out(array, dtype, array::strides_like(array, array.shape(), dtype));
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
    const auto item = static_cast<std::int64_t>(array.dtype().size());
    if (order == Order::C) return laid_out(array, array.dtype(), c_strides(array.shape(), item));
    if (order == Order::F) return laid_out(array, array.dtype(), f_strides(array.shape(), item));
    return laid_out(array, array.dtype(), array::strides_like(array, array.shape(), array.dtype()));
}

Array ascontiguousarray(const Array& array) {
    return array.is_c_contiguous() ? array : copy(array, Order::C);
}

}  // namespace warpwise
