// What was requested for a described GPU, compiled by NVRTC for one kind of GPUs.
//
// Errors: without NVRTC, or with one that does not know the GPU, there are no programs, and a
// warning is printed: the library works without. What NVRTC refuses is thrown, for it is our own
// text. Threading: one thread, which starts others.
#pragma once

#include <deque>
#include <string_view>

#include "src/compiler/compiler.hpp"
#include "src/compiler/prebuilt.hpp"

namespace warpwise::prebuild {

using Requests = std::deque<compiler::CompileRequest>;

// `gpu`: "sm_80".
compiler::PrebuiltWriter compiled_for_gpu(const Requests& requests, std::string_view gpu);

}  // namespace warpwise::prebuild
