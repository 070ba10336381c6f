// The slots of ww.Array, for the class in bind_array.cpp.
#pragma once

#include <nanobind/nanobind.h>

#include <span>

namespace warpwise::python {

// Operators, comparisons, conversions, len().
std::span<const PyType_Slot> array_operator_slots();
// x[...] and x[...] = value.
std::span<const PyType_Slot> array_index_slots();
// memoryview(x), on devices that share the host's memory.
std::span<const PyType_Slot> array_buffer_slots();

}  // namespace warpwise::python
