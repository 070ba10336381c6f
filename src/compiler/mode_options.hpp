// The options of a user that describe the mode: --warpwise-executor, -tier, -block, -kernel,
// -skip-pass, --allow-beyond-gpu, and -fmad of nvcc. They are read here, where a request is made,
// and nowhere else; what a back end is given holds a CompileMode and the other options.
//
// Threading: pure functions.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/compiler/compiler.hpp"
#include "warpwise/export.hpp"

namespace warpwise::compiler {

// Removes them from `options` and returns their values; of several of one kind the last decides.
// Throws ArgumentError naming a malformed value or an unknown --warpwise- option.
WARPWISE_API CompileMode take_mode(std::vector<std::string>& options);

// Their spellings, for suggestions.
WARPWISE_API std::span<const std::string_view> mode_option_names() noexcept;

// The request's options for a compiler of NVIDIA's: with what of the mode these have an option for.
std::vector<std::string> nvidia_options(const CompileRequest& request);

}  // namespace warpwise::compiler
