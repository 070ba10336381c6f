// Places of threads, memory of a block, and the votes of a warp that CUDA has no function for.
#pragma once

#include "arrays.cuh"

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

// The memory of a block whose size the launch gives, whole.
extern __shared__ __align__(16) unsigned char __ww_py_dynamic_bytes[];
template <class T>
__WW_PY __ww_py_array<T, 1> __ww_py_dynamic_shared(long long bytes) {
    return {(T*)__ww_py_dynamic_bytes, {bytes / (long long)sizeof(T)}};
}
