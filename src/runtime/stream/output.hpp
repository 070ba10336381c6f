// How the library hands out what kernels print.
//
// Threading: any thread; call only where a user's code may run (inside a wait, no lock held).
#pragma once

#include <string_view>

#include "warpwise/output.hpp"

namespace warpwise::runtime {

// Hands kernel output to the handler, else to stdout. What the handler throws passes through.
void write_output(std::string_view text);

}  // namespace warpwise::runtime
