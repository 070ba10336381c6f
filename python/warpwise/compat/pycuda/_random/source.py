"""The CUDA C++ behind pycuda.curandom: a loop over curand_kernel.h for each kind of numbers.

Each thread has one state of its own and takes every (number of threads)-th element.
"""

from __future__ import annotations

import functools

import warpwise as ww

_FILL = """
#include <warpwise_random.h>
typedef {state} State;

__global__ void size_of_state(unsigned long long *size) {{ *size = sizeof(State); }}

template <class T> __device__ T uniform_of(State *s);
template <> __device__ float uniform_of<float>(State *s) {{ return curand_uniform(s); }}
template <> __device__ double uniform_of<double>(State *s) {{ return curand_uniform_double(s); }}
template <> __device__ {word} uniform_of<{word}>(State *s) {{ return curand(s); }}

template <class T> __device__ T normal_of(State *s);
template <> __device__ float normal_of<float>(State *s) {{ return curand_normal(s); }}
template <> __device__ double normal_of<double>(State *s) {{ return curand_normal_double(s); }}

__device__ float log_normal_of(State *s, float mean, float stddev)
{{ return curand_log_normal(s, mean, stddev); }}
__device__ double log_normal_of(State *s, double mean, double stddev)
{{ return curand_log_normal_double(s, mean, stddev); }}

#define EACH \\
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x; \\
  const unsigned threads = blockDim.x * gridDim.x; \\
  State state = states[thread]; \\
  for (size_t i = thread; i < n; i += threads)

template <class T> __global__ void fill_uniform(State *states, T *d, size_t n)
{{ EACH d[i] = uniform_of<T>(&state); states[thread] = state; }}
template <class T> __global__ void fill_normal(State *states, T *d, size_t n)
{{ EACH d[i] = normal_of<T>(&state); states[thread] = state; }}
template <class T> __global__ void fill_log_normal(State *states, T *d, size_t n, T mean, T stddev)
{{ EACH d[i] = log_normal_of(&state, mean, stddev); states[thread] = state; }}
template <class T> __global__ void fill_poisson(State *states, T *d, size_t n, double lambda)
{{ EACH d[i] = (T)curand_poisson(&state, lambda); states[thread] = state; }}
template <class T> __global__ void fill_poisson_in_place(State *states, T *d, size_t n)
{{ EACH d[i] = (T)curand_poisson(&state, (double)d[i]); states[thread] = state; }}

#define ONE const unsigned i = blockIdx.x * blockDim.x + threadIdx.x
__global__ void skip_ahead(State *states, unsigned long long by)
{{ ONE; skipahead(by, &states[i]); }}
template <class N> __global__ void skip_ahead_array(State *states, const N *by)
{{ ONE; skipahead(by[i], &states[i]); }}
"""

_NARROW_WORDS = """
template <> __device__ unsigned int uniform_of<unsigned int>(State *s)
{ return (unsigned int)(curand(s) >> 32); }  // the low half of a Sobol number is 0 at first
"""

_SEQUENCES = """
__global__ void skip_ahead_sequence(State *states, unsigned long long by)
{ ONE; skipahead_sequence(by, &states[i]); }
template <class N> __global__ void skip_ahead_sequence_array(State *states, const N *by)
{ ONE; skipahead_sequence(by[i], &states[i]); }
__global__ void seed(State *states, const unsigned *seeds, unsigned long long offset)
{ ONE; curand_init(seeds[i], i, offset, &states[i]); }
"""

_SUBSEQUENCES = """
__global__ void skip_ahead_subsequence(State *states, unsigned long long by)
{ ONE; skipahead_subsequence(by, &states[i]); }
template <class N> __global__ void skip_ahead_subsequence_array(State *states, const N *by)
{ ONE; skipahead_subsequence(by[i], &states[i]); }
"""

_SOBOL = """
__global__ void start(State *states, {vectors} *vectors, unsigned long long offset)
{{ ONE; curand_init(vectors[i], ({word})offset, &states[i]); }}
"""

_SCRAMBLED = """
__global__ void start(State *states, {vectors} *vectors, const {word} *constants,
                      unsigned long long offset)
{{ ONE; curand_init(vectors[i], constants[i], ({word})offset, &states[i]); }}
"""


def source_of(state: str) -> str:
    """The text for one kind of generator; `state` is cuRAND's type."""
    is_wide = "64_t" in state
    word = "unsigned long long" if is_wide else "unsigned int"
    text = _FILL.format(state=state, word=word) + (_NARROW_WORDS if is_wide else "")
    if "Sobol" not in state:
        return text + _SEQUENCES + (_SUBSEQUENCES if "MRG" in state else "")
    vectors = "curandDirectionVectors64_t" if is_wide else "curandDirectionVectors32_t"
    start = _SCRAMBLED if "Scrambled" in state else _SOBOL
    return text + start.format(vectors=vectors, word=word)


@functools.lru_cache(maxsize=64)
def module_of(device: ww.Device, state: str) -> ww.SourceModule:
    """The module of one kind of generator on a device."""
    with device:
        return ww.SourceModule(source_of(state), name=f"{state}.cu")
