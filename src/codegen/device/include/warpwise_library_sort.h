// Sorting and searching: kernels of the library.
#pragma once

extern "C++" {
#include "../skeleton/sort_keys.cuh"
#include "../skeleton/search.cuh"
#include "../skeleton/sort_blocks.cuh"
#include "../skeleton/sort_serial.cuh"
#include "../skeleton/histogram.cuh"
}  // extern "C++"
