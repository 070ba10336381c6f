// From the name a user writes to a kernel or variable of a module. Pure functions; every failure is
// an ArgumentError that lists what there is.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/compiler/program.hpp"

namespace warpwise::runtime {

// Blanks gone but for those between two words: "k< float > (float *)" is "k<float>(float*)".
std::string normalised_name(std::string_view name);

struct KernelMatch {
    const compiler::KernelInfo* kernel = nullptr;
    // Without a kernel: the template instance to compile, qualified: "ns::scale<float>".
    std::string expression;
};

// By qualified name, by name without namespaces if that is unique, by overload text, by symbol or
// as an instance of a template. `globals`: so that the error for one of their names refers to
// get_global().
KernelMatch match_kernel(std::string_view name,
                         std::span<const compiler::KernelInfo* const> kernels,
                         std::span<const std::string> templates,
                         std::span<const compiler::GlobalInfo* const> globals);

// `what` the variables are, for the message.
const compiler::GlobalInfo& match_global(std::string_view name,
                                         std::span<const compiler::GlobalInfo* const> globals,
                                         const char* what = "__device__ or __constant__ variable");

// The names that get_function() takes for what is there: overloads with their types, templates as
// "scale<...>".
std::vector<std::string> function_names(std::span<const compiler::KernelInfo* const> kernels,
                                        std::span<const std::string> templates);

}  // namespace warpwise::runtime
