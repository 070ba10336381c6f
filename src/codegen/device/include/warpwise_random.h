// cuRAND's device API as <curand_kernel.h> provides it on the CPU device, on every device: on a GPU
// that name is NVIDIA's own header, which may not be installed. The two exclude each other.
#pragma once

extern "C++" {
#ifdef __clang__  // the CPU device
#include "../random/poisson.cuh"
#else
#pragma nv_diagnostic push
#pragma nv_diag_suppress 1444  // double4, which cuRAND's names give, is deprecated in CUDA 13
#include "../random/gpu_functions.cuh"
#include "../random/poisson.cuh"
#pragma nv_diagnostic pop
#endif
}  // extern "C++"
