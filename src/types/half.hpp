// float16 and bfloat16 as bits: conversions, to nearest even. As NumPy and ml_dtypes have it,
// float16 is rounded from a double at once, bfloat16 from a float. Their arithmetic is that of
// devices; hosts only store and print them.
//
// Threading: pure functions.
#pragma once

#include <cstdint>

namespace warpwise::types {

std::uint16_t float16_bits(double value) noexcept;
std::uint16_t bfloat16_bits(float value) noexcept;
double float16_value(std::uint16_t bits) noexcept;
double bfloat16_value(std::uint16_t bits) noexcept;

}  // namespace warpwise::types
