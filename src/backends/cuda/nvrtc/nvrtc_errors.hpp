// NVRTC's words for a mistake in the source, as ours.
//
// Threading: pure functions.
#pragma once

#include <string>
#include <string_view>

namespace warpwise::cuda {

// Throws CompileError with the first error of `log` ("k.cu(3): error: ..."), its place, and what to
// install where a header is missing. `version` of NVRTC: 13000.
[[noreturn]] void throw_compile_error(const std::string& log, int version);

// What brings the header "cuda_fp16.h", in words; empty for an unknown one.
std::string origin_of_header(std::string_view header, int version);

}  // namespace warpwise::cuda
