// The configuration of a launch: grid, block, shared memory, stream.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>

#include "warpwise/kernel.hpp"

namespace warpwise::python {

namespace nb = nanobind;

// Each throws an ArgumentError that names `role` when `value` is invalid.
std::int64_t extent(nb::handle value, const char* role, const char* expects = "an int");
Dim3 dimensions(nb::handle value, const char* role);
// None leaves the current stream.
void set_stream(LaunchConfig& config, nb::handle stream);

}  // namespace warpwise::python
