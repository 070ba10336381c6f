// Python's names as names in CUDA C++.
//
// Threading: pure functions.
#pragma once

#include <string>
#include <string_view>

namespace warpwise::script {

// The name itself where C++ and CUDA leave it free, else one near it: "double_", "u3b1_x".
std::string identifier(std::string_view name);
// The same for a name at the outermost level, where functions of the device library are too.
std::string global_identifier(std::string_view name);

}  // namespace warpwise::script
