// What every source that NVRTC compiles sees before its own first line: what nvcc's own headers
// include implicitly and NVRTC does not know by itself. The rest of the language is NVRTC's own.
#pragma once

// Each header builds on those above it.
// clang-format off
#include "nvrtc/predefined.cuh"
#include "core/types.cuh"
#include "core/uninitialised.cuh"
#include "include/limits.h"
#include "include/math.h"
#include "nvrtc/functions.cuh"
#include "core/strings.cuh"
#include "math/old_names.cuh"
#include <warpwise_printf.h>  // of the CUDA back end
// clang-format on
