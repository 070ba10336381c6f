// Calls of the library whose kernels users should not wait for. On small arrays, whose kernels are
// those of large ones; where a size chooses the kernel, on each side of it. Each result is
// evaluated by itself: several at once are one kernel, on a GPU, that nobody else asks for.
//
// Errors: as the functions'. Threading: one thread.
#pragma once

#include "warpwise/array.hpp"

namespace warpwise::prebuild {

// Element types that most programs use.
inline constexpr Kind kKinds[] = {Kind::Int32, Kind::Int64, Kind::Float32, Kind::Float64};

// 0, 1, ..., count - 1 as numbers of this kind, computed.
Array numbers(std::int64_t count, Kind kind);

void call_random();
void call_order(Kind kind);
void call_indexing(Kind kind);
void call_sparse(Kind kind);  // of floating-point numbers

}  // namespace warpwise::prebuild
