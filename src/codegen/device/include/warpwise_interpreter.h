// Kernels that run any group of array operations over bool, int32, int64, float32 and float64 step
// by step. What a source that includes it gets: ww_interpreted and ww_interpreted_reduction.
#pragma once

#define __WW_ARRAY_PARTS
#define __WW_ARRAY_FUNCTIONS
#include "warpwise_reduction.h"

extern "C++" {
#include "../interpreter/kernels.cuh"
}  // extern "C++"
