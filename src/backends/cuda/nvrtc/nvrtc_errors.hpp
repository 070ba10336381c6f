// NVRTC's words for a mistake in the source, as ours.
//
// Threading: pure functions.
#pragma once

#include <string>
#include <string_view>

namespace warpwise::cuda {

// NVRTC's log with the column of each message, which its caret shows: "k.cu(3): error: ..." becomes
// "k.cu:3:8: error: ...". Messages without a caret stay as they are.
std::string with_columns(std::string_view log);

// Throws CompileError with the first error of `log` (of with_columns()), its place, and what to
// install where a header is missing. `version` of NVRTC: 13000.
[[noreturn]] void throw_compile_error(const std::string& log, int version);

// What brings the header "cuda_fp16.h", in words; empty for an unknown one.
std::string origin_of_header(std::string_view header, int version);

}  // namespace warpwise::cuda
