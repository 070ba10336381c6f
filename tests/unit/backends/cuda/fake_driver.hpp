// What tests ask of the fake CUDA driver (fake_driver.cpp) beside the driver's own interface. Found
// by dlsym() in the library that WARPWISE_CUDA_DRIVER names.
#pragma once

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

// Forgets failures and counts.
using Reset = void (*)();
inline constexpr const char* kReset = "fake_cuda_reset";

}  // namespace warpwise::cuda
