// Optional interface of back ends: programs that were compiled elsewhere, and linking.
//
// Threading: every function may be called from any thread at once.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/compiler/program.hpp"

namespace warpwise::runtime {

struct LinkPart {
    std::string name;  // what messages call it
    std::vector<std::byte> image;
};

class BinarySupport {
  public:
    virtual ~BinarySupport() = default;

    // The program that `image` is, with kernels whose parameters have sizes only. Throws
    // ArgumentError for bytes that are none, or for another processor than `target`.
    virtual compiler::Program read(std::span<const std::byte> image, std::string_view name,
                                   std::string_view target) = 0;
    // One program of all parts; `log` is the linker's. Options as users give them to compilers.
    // Throws CompileError naming symbols that no part defines, DeviceError without a linker.
    virtual compiler::Program link(std::span<const LinkPart> parts,
                                   const std::vector<std::string>& options,
                                   std::string_view target) = 0;
};

}  // namespace warpwise::runtime
