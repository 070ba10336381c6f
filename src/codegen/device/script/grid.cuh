// Places of threads, memory of a block, and the votes of a warp that CUDA has no function for.
#pragma once

#include "arrays.cuh"
#include "tuples.cuh"

#define __WW_PY_ALONG(axis)                                                          \
    __WW_PY long long __ww_py_grid_##axis() {                                        \
        return (long long)blockIdx.axis * (long long)blockDim.axis + threadIdx.axis; \
    }                                                                                \
    __WW_PY long long __ww_py_gridsize_##axis() {                                    \
        return (long long)gridDim.axis * (long long)blockDim.axis;                   \
    }                                                                                \
    __WW_PY int __ww_py_small_grid_##axis() {                                        \
        const int place = (int)(blockIdx.axis * blockDim.axis + threadIdx.axis);     \
        __builtin_assume(place >= 0);                                                \
        return place;                                                                \
    }                                                                                \
    __WW_PY int __ww_py_small_gridsize_##axis() {                                    \
        return (int)(gridDim.axis * blockDim.axis);                                  \
    }
__WW_PY_ALONG(x)
__WW_PY_ALONG(y)
__WW_PY_ALONG(z)
#undef __WW_PY_ALONG

__WW_PY int __ww_py_lane() {
    const unsigned int thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    return (int)(thread & 31u);
}
__WW_PY unsigned int __ww_py_lanes_below() {
    return (1u << __ww_py_lane()) - 1u;
}
__WW_PY bool __ww_py_equal_votes(unsigned int mask, bool vote) {
    const unsigned int votes = __ballot_sync(mask, vote);
    return votes == 0 || votes == (__ballot_sync(mask, true));
}
template <class T>
__WW_PY __ww_py_tuple<int, bool> __ww_py_match_all(unsigned int mask, T value) {
    int all = 0;
    const unsigned int found = __match_all_sync(mask, value, &all);
    return {(int)found, {all != 0, {}}};
}

// Numba's votes and shuffles by mode: all, any, equal, ballot; by index, up, down, by XOR.
__WW_PY __ww_py_tuple<int, bool> __ww_py_vote(unsigned int mask, int mode, bool vote) {
    const unsigned int votes = __ballot_sync(mask, vote);
    const unsigned int lanes = __ballot_sync(mask, true);
    const bool is_any = mode == 1 && votes != 0;
    const bool is_equal = mode == 2 && (votes == 0 || votes == lanes);
    return {(int)votes, {is_any || is_equal || (mode == 0 && votes == lanes), {}}};
}
// `clamp` is that of PTX's shfl: the last lane of a segment, and above it the mask of segments.
template <class T>
__WW_PY __ww_py_tuple<T, bool> __ww_py_shuffle(unsigned int mask, int mode, T value, int offset,
                                               int clamp) {
    const int lane = __ww_py_lane();
    const int segments = (clamp >> 8) & 31;
    const int first = lane & segments;
    const int last = first | (clamp & 31 & ~segments);
    const int wanted = mode == 1   ? lane - offset
                       : mode == 2 ? lane + offset
                       : mode == 3 ? lane ^ offset
                                   : first | (offset & 31 & ~segments);
    const bool is_in_range = mode == 1 ? wanted >= last : wanted <= last;
    return {__shfl_sync(mask, value, is_in_range ? wanted : lane), {is_in_range, {}}};
}

// The memory of a block whose size the launch gives, whole.
extern __shared__ __align__(16) unsigned char __ww_py_dynamic_bytes[];
template <class T>
__WW_PY __ww_py_array<T, 1> __ww_py_dynamic_shared(long long bytes) {
    return {(T*)__ww_py_dynamic_bytes, {bytes / (long long)sizeof(T)}};
}
