// The functions on array elements, by the names that src/ir/ops.def spells. Compiling them takes
// longer than most kernels: a source that defines __WW_ARRAY_PARTS gets arithmetic of integers and
// reals, and what it asks for besides by __WW_ARRAY_FUNCTIONS, __WW_ARRAY_SIXTEEN_BITS,
// __WW_ARRAY_COMPLEX, __WW_ARRAY_DRAWS and __WW_ARRAY_RARE_DRAWS; any other source gets everything
// but random numbers.
#pragma once

#ifndef __WW_ARRAY_PARTS
#define __WW_ARRAY_FUNCTIONS
#define __WW_ARRAY_SIXTEEN_BITS
#define __WW_ARRAY_COMPLEX
#endif

extern "C++" {

#include "../array/casts.cuh"
#include "../array/comparisons.cuh"
#include "../array/integers.cuh"
#include "../array/reals.cuh"
#ifdef __WW_ARRAY_FUNCTIONS
#include "../array/real_functions.cuh"
#endif
#ifdef __WW_ARRAY_SIXTEEN_BITS
#include "../array/sixteen_bits.cuh"
#ifdef __WW_ARRAY_FUNCTIONS
#include "../array/sixteen_bits_functions.cuh"
#endif
#endif
#ifdef __WW_ARRAY_COMPLEX
#include "../array/complex.cuh"
#ifdef __WW_ARRAY_FUNCTIONS
#include "../array/complex_functions.cuh"
#endif
#endif
#ifdef __WW_ARRAY_RARE_DRAWS
#include "../array/rare_samplers.cuh"
#elif defined(__WW_ARRAY_DRAWS)
#include "../array/samplers.cuh"
#endif

}  // extern "C++"
