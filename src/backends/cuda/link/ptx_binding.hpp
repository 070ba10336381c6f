// Makes the variables of a PTX text those of a module that is loaded: a driver cannot link to the
// variables of another module, but an address is an address.
//
// A bound variable's definition is taken out, and its name is replaced by its address wherever code
// uses it. Constant variables are read as global memory then, which they are: all of them in the
// text, since a register does not show which one it points to.
//
// Threading: pure functions.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace warpwise::cuda {

using VariableAddresses = std::map<std::string, std::uint64_t, std::less<>>;

// `ptx` as NVRTC writes it. Throws DeviceError at an operand that it does not understand, naming
// it.
std::string bind_variables(std::string_view ptx, const VariableAddresses& addresses);

}  // namespace warpwise::cuda
