// The parts of the binding of arrays, a file each.
#pragma once

#include <nanobind/nanobind.h>

#include <optional>
#include <string>
#include <vector>

#include "warpwise/array.hpp"
#include "warpwise/array_functions.hpp"

namespace warpwise::python {

void bind_array_methods(nanobind::class_<Array>& array);
void bind_array_numpy_methods(nanobind::class_<Array>& array);
void bind_array_flags(nanobind::module_& module, nanobind::class_<Array>& array);
void bind_array_reductions(nanobind::module_& module, nanobind::class_<Array>& array);
void bind_array_scans(nanobind::module_& module, nanobind::class_<Array>& array);
void bind_array_sorting(nanobind::module_& module, nanobind::class_<Array>& array);
void bind_array_interop(nanobind::module_& module, nanobind::class_<Array>& array);
void bind_array_creation(nanobind::module_& module);
void bind_array_functions(nanobind::module_& module);
void bind_array_histograms(nanobind::module_& module);
void bind_array_gather(nanobind::module_& module);
void bind_array_movement(nanobind::module_& module);
void bind_array_nan(nanobind::module_& module);
void bind_array_numeric(nanobind::module_& module);
void bind_array_quantiles(nanobind::module_& module);
void bind_array_shapes(nanobind::module_& module);
void bind_array_spacing(nanobind::module_& module);

// What reductions take, each as it was given; None, and where=True, are not set. The result refers
// to the arrays.
Reduction reduction_of(nanobind::handle axis, bool keepdims, nanobind::handle dtype,
                       nanobind::handle out, nanobind::handle initial, nanobind::handle where);

// --- Functions of the module that are methods too.

// Neither below `min` nor above `max`; empty for no limit.
Array clipped(const Operand& value, const std::optional<Operand>& min,
              const std::optional<Operand>& max, const Elementwise& options);
nanobind::object taken(const Array& array, nanobind::handle indices, std::optional<int> axis,
                       nanobind::handle out, const std::string& mode);
// `role` is the parameter with the indices.
void put_values(Array& array, nanobind::handle indices, nanobind::handle values,
                const std::string& mode, const char* role);
nanobind::object chosen(const Array& index, nanobind::handle choices, nanobind::handle out,
                        const std::string& mode);
Array repeated(const Array& array, nanobind::handle repeats, nanobind::handle axis);
Array partitioned(const Array& array, nanobind::handle kth, std::optional<int> axis);
Array partitioning(const Array& array, nanobind::handle kth, std::optional<int> axis);
nanobind::tuple places_of(const Array& condition);  // nonzero()

// A view; zeros of real types.
Array imaginary_parts(const Array& array);

// Counts elements in an order: 'C', 'F', or for 'A' that of an array in F order.
Array reshaped(const Array& array, const Shape& shape, nanobind::handle order,
               std::optional<bool> copy);
// 'K' is the order of memory.
Array raveled(const Array& array, nanobind::handle order);

}  // namespace warpwise::python
