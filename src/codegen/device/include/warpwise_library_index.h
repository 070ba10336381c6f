// Writes through index arrays: kernels of the library.
#pragma once

#include "warpwise_array.h"

extern "C++" {
#include "../skeleton/scatter.cuh"
}  // extern "C++"
