// The words of a launch, beside its arguments: grid, block, shared memory, stream.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>

#include "warpwise/kernel.hpp"

namespace warpwise::python {

namespace nb = nanobind;

// Each throws ArgumentError that names `role` when `value` is not what it must be.
std::int64_t extent(nb::handle value, const char* role, const char* wants = "an int");
Dim3 dimensions(nb::handle value, const char* role);
// None leaves the current stream.
void set_stream(LaunchConfig& config, nb::handle stream);

}  // namespace warpwise::python
