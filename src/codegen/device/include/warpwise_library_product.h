// Products of matrices of kinds that no library multiplies: kernels of the library.
#pragma once

#include "warpwise_array.h"

extern "C++" {
#include "../skeleton/product.cuh"
}  // extern "C++"
