// What device code may call at run time: the table of abi.hpp, filled in.
//
// Threading: constant.
#pragma once

#include "src/backends/cpu/abi.hpp"

namespace warpwise::cpu {

const RuntimeTable& runtime_table() noexcept;

}  // namespace warpwise::cpu
