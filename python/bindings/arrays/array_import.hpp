// Arrays made of Python objects: numbers, sequences, NumPy arrays, arrays of other libraries.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "warpwise/array.hpp"

namespace warpwise::python {

// `copy` unset: where needed. False throws ArgumentError where a copy is needed, true always
// copies. Needs the GIL.
Array import_array(nanobind::handle object, const std::optional<DType>& dtype,
                   const std::optional<Device>& device, std::optional<bool> copy);

// An argument beside the array `beside`: an Array, or a number, list or tuple, which is made one on
// its device as asarray makes them. Throws ArgumentError for anything else, a NumPy array too.
Array array_beside(nanobind::handle object, const Array& beside, const char* role);
// An operand beside it. A list or tuple is an array, which `holder` keeps for the operand.
Operand operand_beside(nanobind::handle object, const Array& beside, std::optional<Array>& holder);

// Of an object with __dlpack__ and __dlpack_device__, without a copy; ordered before the work of
// the current stream.
Array import_dlpack(nanobind::handle object);
// The capsule of `array`; `stream`, `max_version`, `copy` as the protocol's.
nanobind::object export_dlpack(const Array& array, nanobind::handle stream,
                               nanobind::handle max_version, std::optional<bool> copy);
// (type, ordinal)
nanobind::tuple dlpack_device(const Array& array);

// Numbers of an array, which is fetched, or of nested sequences, in C order; `extents` gets their
// shape.
std::vector<double> doubles_of(nanobind::handle object, const char* role,
                               std::vector<std::int64_t>& extents);

}  // namespace warpwise::python
