// Fatbins, which hold one program for several processors: the part for one of them.
//
// Threading: pure functions, but for the linker that unpacks what is compressed.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "src/compiler/program.hpp"

namespace warpwise::cuda {

// The cubin in `image` that is made for `target` ("sm_90"), else PTX that it can run. Compressed
// parts go through nvJitLink. Throws ArgumentError where no part fits, naming those there are;
// `name` is for messages.
compiler::Program read_fatbin(std::span<const std::byte> image, std::string_view name,
                              std::string_view target);

}  // namespace warpwise::cuda
