// Names of kernels as users write them, from those that compilers make.
#pragma once

#include <string>

namespace warpwise::cuda {

// "_Z5scaleIfEvPfT_i" is "scale<float>": without return type and parameters. What is not mangled
// stays as it is.
std::string kernel_name(const std::string& symbol);

}  // namespace warpwise::cuda
