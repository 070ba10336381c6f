// Places where clang refuses what nvcc accepts as written. Invariant: ranges are sorted by path,
// the last of a file first, without duplicates, and none lies in a built-in header.
#pragma once

#include <vector>

#include "src/backends/cpu/compiler/frontend/fallback/edits.hpp"
#include "src/backends/cpu/compiler/frontend/parse/failed_parse.hpp"

namespace warpwise::cpu_compiler {

// Each '%' of inline PTX that nvcc reads as itself.
std::vector<TextRange> find_bare_percents(const FailedParse& failed);

// Lines of `#pragma unroll` that mean nothing to nvcc: no loop follows, or the factor is 0.
std::vector<TextRange> find_idle_pragmas(const FailedParse& failed);

// Attributes in [[...]] and alignas(...) after an attribute that clang requires to be last, as
// __shared__ and __forceinline__ are: what to write instead.
std::vector<Replacement> find_late_attributes(const FailedParse& failed);

}  // namespace warpwise::cpu_compiler
