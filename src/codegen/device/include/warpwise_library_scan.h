// Cumulative sums and products of arrays, and compaction: kernels of the library.
#pragma once

#include "warpwise_array.h"
#include "warpwise_scan.h"

extern "C++" {
#include "../skeleton/compaction.cuh"
#include "../skeleton/cumulative.cuh"
}  // extern "C++"
