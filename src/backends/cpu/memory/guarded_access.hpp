// What WARPWISE_POOL=guard knows of an access that should not have been, in words: which buffer it
// missed, and by how much.
//
// Threading: every function may be called from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "warpwise/signature.hpp"

namespace warpwise::cpu {

// "0x7f10, 4 bytes past the end of the buffer of 4000 bytes at 0x6170 (parameter 'x')"; empty where
// no buffer with guards is near the address. `arguments` are packed as in the signature.
std::string describe_guarded(std::uint64_t address, const KernelSignature& kernel,
                             const std::byte* arguments);

// "write past the end of the buffer ...", where the few bytes behind one that no guard covers were
// written since the last call; empty where none were.
std::string take_guarded_overrun(const KernelSignature& kernel, const std::byte* arguments);

}  // namespace warpwise::cpu
