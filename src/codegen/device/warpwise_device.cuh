// What every CUDA source sees before its own first line, as under nvcc: the language's macros,
// built-in variables, vector types and the functions that need no #include. Nothing else is
// implicit. Standard: C++11 and newer.
#pragma once

// Each header builds on those above it.
// clang-format off
#include "core/attributes.cuh"
#include "core/types.cuh"
#include "core/uninitialised.cuh"
#include "core/services.cuh"
#include "core/vector_types.cuh"
#include "core/builtin_variables.cuh"
#include "core/bits.cuh"
#include "core/packed.cuh"
#include "core/dpx.cuh"
#include "core/synchronisation.cuh"
#include "core/warp.cuh"
#include "core/atomics.cuh"
#include "core/ordered_atomics.cuh"
#include "core/memory.cuh"
#include "core/strings.cuh"
#include "core/heap.cuh"
#include "core/diagnostics.cuh"
#include "core/time.cuh"
#include "core/minmax.cuh"
#include "math/intrinsics.cuh"
#include "math/old_names.cuh"
#include "core/host_api.cuh"
#include "core/nested_launch.cuh"
#include "image/types.cuh"
#ifdef __WARPWISE_CPU__
#include "image/value.cuh"
#include "image/image.cuh"
#include "image/sample.cuh"
#include "image/levels.cuh"
#include "image/references.cuh"
#include "image/textures.cuh"
#include "image/surfaces.cuh"
#endif
#include "include/math.h"
#include "include/limits.h"
#include "include/cmath"
#include "include/cstdlib"
#include "include/cstring"
// clang-format on
