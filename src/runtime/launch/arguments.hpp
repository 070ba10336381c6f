// Checking launch arguments against a kernel's signature, and packing them.
//
// The path of a launch without mistakes allocates nothing and takes no lock; everything that makes
// messages is kept out of line.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "src/runtime/module/kernel_state.hpp"

namespace warpwise::runtime {

struct PackedArguments {
    std::size_t host_arrays = 0;
    bool has_images = false;
    bool are_plain = true;  // numbers, and buffers with nothing pending, alone
};

// Checks all of `arguments` and writes their values to `packed` (argument_bytes of the signature).
// Host arrays are checked but not written: memory for them is found later. Throws ArgumentError.
PackedArguments pack_arguments(const KernelState& kernel, std::span<const Argument> arguments,
                               std::byte* packed);

// The same for arguments of which are_plain holds, without a word where it does not: false then,
// for pack_arguments() to tell why.
bool pack_plain_arguments(const KernelState& kernel, std::span<const Argument> arguments,
                          std::byte* packed) noexcept;

// Parts of it, for calls that check pointers elsewhere. A number or a struct by value,
// as pack_arguments() takes it; `packed` has room for the parameter. Throws ArgumentError.
void pack_value(const KernelSignature& signature, std::size_t number, const Argument& argument,
                std::byte* packed);
[[noreturn]] void refuse_count(const KernelSignature& signature, std::size_t given);
// What an argument is, for messages: "a buffer of 8 bytes", "2.5".
std::string described(const Argument& argument);

}  // namespace warpwise::runtime
