// The prelude (warpwise_device.cuh) as a precompiled header: 8 ms instead of 56.
//
// One image per set of language flags: from this process, else the file made with the library (the
// default flags), else from the disk cache, else built now and stored there. Images are found by
// content (a hash over flags and compiler identity), proven by a checksum, and used from memory, so
// neither file times nor other processes can spoil a compile. They count against the cache's limit,
// `warpwise cache clear` deletes them, and a folder that is full, read-only or not ours only costs
// the storing.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace warpwise::cpu_compiler {

// Lives as long as the process. Throws CompileError when the prelude does not compile.
// Threading: lock-free; threads that come at once may each build an image, one is kept.
std::string_view prelude_image(const std::vector<std::string>& language_flags);

// Writes the image for a compile without options, which the build puts beside the library. Throws
// CompileError, or DeviceError naming the file that cannot be written.
void write_default_prelude(const std::string& path);

}  // namespace warpwise::cpu_compiler
