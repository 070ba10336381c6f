// Programs that are installed with the library (src/compiler/prebuilt.hpp): for which GPUs, and
// which driver loads them.
//
// A cubin runs on every GPU of its major compute capability whose minor one is not lower, and is
// loaded by every driver whose CUDA has its format.
//
// Threading: pure functions.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace warpwise::cuda {

// "sm_80" for "sm_86". The target itself where there are no programs for it: "sm_70", "compute_80",
// "sm_90a".
std::string kind_of_gpu(const std::string& target);

// `version`: of CUDA, that the driver supports, as CUDA counts.
bool loads_cubin(int version, std::span<const std::byte> cubin);

}  // namespace warpwise::cuda
