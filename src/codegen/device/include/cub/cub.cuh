// <cub/cub.cuh>: what kernels call of CUB. Its device-wide algorithms are host code, and not here.
#pragma once
#include "../../cub/warp_io.cuh"
#include "../../cub/iterators.cuh"
