// Sorting and searching: kernels of the library.
#pragma once

extern "C++" {
#include "../skeleton/histogram.cuh"
#include "../skeleton/search.cuh"
#include "../skeleton/sort_blocks.cuh"
#include "../skeleton/sort_keys.cuh"
#include "../skeleton/sort_pass.cuh"
#include "../skeleton/sort_samples.cuh"
#include "../skeleton/sort_serial.cuh"
}  // extern "C++"
