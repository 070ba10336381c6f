// Numbers into a kernel's parameters: only values that fit are converted.
//
// Whole numbers and bool take a number that has exactly one of their values; floating-point types
// take the nearest, unless a finite value would become infinite.
#pragma once

#include <cstddef>

#include "warpwise/dtype.hpp"
#include "warpwise/kernel.hpp"

namespace warpwise::runtime {

// Writes `number` (of form Bool, Int, UInt, Float or Complex) as a value of `dtype`; false, with
// nothing written, when it does not fit.
bool write_number(const Argument& number, const DType& dtype, std::byte* destination) noexcept;

}  // namespace warpwise::runtime
