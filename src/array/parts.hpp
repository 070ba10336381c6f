// What several families of array functions share: views of a value, axes, conversions.
//
// Threading: any thread; see graph/graph.hpp.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "src/graph/graph.hpp"
#include "src/ir/op.hpp"
#include "warpwise/array.hpp"

namespace warpwise::array {

// The same memory, shown differently; read-only where `array` is.
Array show(const Array& array, graph::View view);
// array[:, ..., begin:end] along `axis`; all three are from 0 on and lie in the array.
Array part_along(const Array& array, int axis, std::int64_t begin, std::int64_t end);
inline Kind kind_of(const Array& array) {
    return array.value().view.dtype.kind();
}
runtime::Context& context_of(const Array& array);
// The context of a device, or of the current one.
runtime::Context& context_of(const std::optional<Device>& device);

// Throws ArgumentError naming `function` for structured arrays, whose elements are no numbers.
void require_numbers(const Array& array, std::string_view function);
// Throws ArgumentError where the dtype is none of arrays: void, pointers, vector types.
void require_array_dtype(const DType& dtype);
void require_writable(const Array& array, std::string_view function);
// Throws ArgumentError naming both devices.
void require_same_device(const Array& a, const Array& b, std::string_view function);

// From 0 on, each once; throws ArgumentError for axes out of range and repeated ones.
std::vector<int> checked_axes(std::span<const int> axes, int rank, std::string_view function);

// NumPy takes axis 0, and -1, of an array without axes for one of one element: the array of that
// one, and no axes.
Array with_axis_of_scalar(const Array& array, std::optional<int> axis);
std::optional<std::vector<int>> without_axis_of_scalar(const Array& array,
                                                       const std::optional<std::vector<int>>& axes);

// Of the kind, the array itself where it has it.
Array converted(const Array& array, Kind kind);
// One op on operands whose shapes and kinds need no check; results are new arrays.
Array compute(ir::Op op, std::initializer_list<Operand> operands);
// The constant `value` of `kind` with this shape.
Array constant(const Scalar& value, Kind kind, const Shape& shape, runtime::Context& context);
// The coordinate along `axis`; int64.
Array coordinate(const Shape& shape, int axis, runtime::Context& context);
// Memory in C order with undefined contents, on the device of `array`.
Array empty_beside(const Array& array, const Shape& shape, const DType& dtype);
// target[...] = value, without the checks of Array::assign.
void write_into(const Array& target, const Array& value, const Array* where = nullptr);

// Whether an array of shape `from` can be repeated to one of shape `to`.
bool broadcasts_to(const Shape& from, const Shape& to) noexcept;

}  // namespace warpwise::array
