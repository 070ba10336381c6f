// The prelude (warpwise_device.cuh) as a precompiled header: 8 ms instead of 56.
//
// One image per set of language flags: from this process, else from the cache folder, else built
// now and stored there. Images are found by content (a hash over flags and compiler identity),
// proven by a checksum, and used from memory, so neither file times nor other processes can spoil a
// compile. A folder that is full, read-only or not ours only costs the storing.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace warpwise::cpu_compiler {

// Lives as long as the process. Throws CompileError when the prelude does not compile.
// Threading: lock-free; threads that come at once may each build an image, one is kept.
std::string_view prelude_image(const std::vector<std::string>& language_flags);

}  // namespace warpwise::cpu_compiler
