// Sparse matrices: kernels of the library.
#pragma once

#include "warpwise_array.h"

extern "C++" {
#include "../skeleton/sparse.cuh"
#include "../skeleton/sparse_packets.cuh"
}  // extern "C++"
