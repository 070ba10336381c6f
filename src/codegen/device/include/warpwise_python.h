// What kernels translated from Python use: arrays with shapes, Python's arithmetic, atomic
// operations on elements.
#pragma once

extern "C++" {
#include "../script/arrays.cuh"
#include "../script/atomics.cuh"
#ifdef __WW_PY_CHARS
#include "../script/chars.cuh"
#endif
#include "../script/complex.cuh"
#ifdef __WW_PY_COMPLEX_FUNCTIONS
#include "../script/complex_functions.cuh"
#endif
#include "../script/conversions.cuh"
#include "../script/exceptions.cuh"
#include "../script/floats.cuh"
#include "../script/grid.cuh"
#include "../script/numbers.cuh"
#ifdef __WW_PY_MATRICES
#include "../script/matrices.cuh"
#endif
#ifdef __WW_PY_REDUCTIONS
#include "../script/reductions.cuh"
#endif
#ifdef __WW_PY_TIMES
#include "../script/times.cuh"
#endif
#include "../script/tuples.cuh"
#include "../script/views.cuh"
}  // extern "C++"
