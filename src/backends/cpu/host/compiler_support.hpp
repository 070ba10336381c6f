// The functions that LLVM's code generator for this processor calls of its own accord, beside those
// of the C library: conversions, 128-bit integers, complex products.
//
// Threading: pure.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace warpwise::cpu {

struct SupportFunction {
    std::string_view name;
    std::uint64_t address;
};

std::span<const SupportFunction> compiler_support();

}  // namespace warpwise::cpu
