// <cub/cub.cuh>: what kernels call of CUB. Its device-wide algorithms are host code, and not here.
#pragma once
#include "../../cub/iterators.cuh"
#include "../../cub/warp_io.cuh"
