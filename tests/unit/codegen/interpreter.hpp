// The meaning of a Group, point by point in plain C++: the oracle of generated kernels.
#pragma once

#include <string>

#include "tests/unit/codegen/sample_groups.hpp"

namespace warpwise::codegen {

// Whether the memory of `sample`, after its kernel has run, holds what the group means.
// Empty when it does: integers, bools, limits and places
// exactly, sums and deviations of floating-point numbers within the bound of their error. Bytes
// beside the stores must be untouched.
std::string difference(const Case& sample);

}  // namespace warpwise::codegen
