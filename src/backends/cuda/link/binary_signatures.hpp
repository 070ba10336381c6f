// What machine code contains about its kernels and variables: their symbols, the sizes of
// parameters, and as much of their types as mangled names hold.
//
// Threading: pure functions.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "src/compiler/program.hpp"

namespace warpwise::cuda {

enum class ImageKind : std::uint8_t { Unknown, Ptx, Cubin, Fatbin, LtoIr, Object, Library };

ImageKind kind_of_image(std::span<const std::byte> image) noexcept;
bool is_ptx(std::string_view text) noexcept;

// The number of the processor that a cubin is for, 90 for sm_90; 0 when it is no cubin.
int architecture_of_cubin(std::span<const std::byte> cubin) noexcept;

// Kernels, variables, format and binary of a program; nothing is refused for its processor. Throws
// ArgumentError where `image` ends too early or is invalid; `name` is for messages.
enum class Relocatable : bool { Refused, Allowed };  // code that must be linked first
compiler::Program read_cubin(std::span<const std::byte> cubin, std::string_view name,
                             Relocatable relocatable = Relocatable::Refused);
compiler::Program read_ptx(std::string_view ptx, std::string_view name);

// The functions and variables that no other part of a linked program may define.
std::vector<std::string> definitions_in_cubin(std::span<const std::byte> cubin,
                                              std::string_view name);
std::vector<std::string> definitions_in_ptx(std::string_view ptx);

// Names a kernel by its symbol, and gives its parameters the types that a mangled symbol contains.
void name_kernel(compiler::KernelInfo& kernel);

// Whether NVIDIA's compilers or our prelude put the variable or kernel there,
// unasked.
bool is_of_a_compiler(std::string_view name) noexcept;

// "f(int)" of "_Z1fi"; a name that is not mangled as it is.
std::string demangled(const std::string& symbol);

}  // namespace warpwise::cuda
