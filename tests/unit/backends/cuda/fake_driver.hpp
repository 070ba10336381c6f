// How tests control the fake CUDA driver (fake_driver.cpp), besides the driver's own interface.
// Found by dlsym() in the library that WARPWISE_CUDA_DRIVER names.
#pragma once

#include <cstdint>

namespace warpwise::cuda {

// The next call but `after` of the driver's function `name` ("cuMemAlloc") returns `status`, and
// does nothing. After one of a kernel's faults every call returns it, as in a context that is lost.
using FailCall = void (*)(const char* name, int after, int status);
inline constexpr const char* kFailCall = "fake_cuda_fail";

// How often the function has been called since the last reset.
using CountCalls = int (*)(const char* name);
inline constexpr const char* kCountCalls = "fake_cuda_calls";

// The extent in x of the grid of the kernel in a graph that ran last.
using LastGrid = unsigned (*)();
inline constexpr const char* kLastGrid = "fake_cuda_last_grid";

// The nodes of the graph that was instantiated last, each with those it comes behind:
// "1:fill 2:kernel<1 3:copy<1 4:host<2,3". Valid until the next call.
using LastGraph = const char* (*)();
inline constexpr const char* kLastGraph = "fake_cuda_last_graph";

// CUDA_TEXTURE_DESC of the texture that was made last.
struct TextureDescriptor;
using LastTexture = TextureDescriptor (*)();
inline constexpr const char* kLastTexture = "fake_cuda_last_texture";
// Whether the device may use the memory behind this reserved address.
using HasAccess = int (*)(std::uint64_t address, int device);
inline constexpr const char* kHasAccess = "fake_cuda_has_access";

// Reserved ranges, chunks and mappings that are there now.
using LeftOver = int (*)();
inline constexpr const char* kLeftOver = "fake_cuda_left_over";

// Forgets failures and counts.
using Reset = void (*)();
inline constexpr const char* kReset = "fake_cuda_reset";

}  // namespace warpwise::cuda
