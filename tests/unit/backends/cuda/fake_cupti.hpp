// How tests control the fake CUPTI (fake_cupti.cpp), besides CUPTI's own interface. Found by
// dlsym() in the library that WARPWISE_CUPTI names.
#pragma once

#include <cstddef>

namespace warpwise::cuda {

// The next call of CUPTI's function `name` ("cuptiSubscribe") returns `result`, and does nothing.
using FailCupti = void (*)(const char* name, int result);
inline constexpr const char* kFailCupti = "fake_cupti_fail";

// So many records are said to be dropped.
using DropRecords = void (*)(std::size_t count);
inline constexpr const char* kDropRecords = "fake_cupti_drop";

// Whether a subscriber exists, or a kind of record is enabled.
using IsInUse = bool (*)();
inline constexpr const char* kIsInUse = "fake_cupti_is_in_use";

// A kernel of another library on that device, and one that has no end yet.
using AddKernel = void (*)(const char* symbol, unsigned device, bool has_ended);
inline constexpr const char* kAddKernel = "fake_cupti_add_kernel";

}  // namespace warpwise::cuda
