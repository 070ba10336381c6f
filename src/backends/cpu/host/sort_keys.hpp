// Sorts of unsigned numbers by the host's widest vectors: what kernels of the library's own call
// for keys without places.
//
// Threading: any thread; `scratch` is the caller's.
#pragma once

#include <cstdint>

namespace warpwise::cpu {

// Ascending, in place. `scratch`: room for as many. Only where kernels are compiled for
// kSortKeysLevel: other processors do not have the instructions.
inline constexpr const char* kSortKeysLevel = "x86-64-v4";
void sort_keys(std::uint32_t* keys, std::uint32_t* scratch, std::uint64_t count) noexcept;
void sort_keys(std::uint64_t* keys, std::uint64_t* scratch, std::uint64_t count) noexcept;

}  // namespace warpwise::cpu
