// What a thread raises, for the host: the first one of a launch is kept.
#pragma once

#include "arrays.cuh"

// Nine words, zero before the launch: the number of what is raised, the block and the thread, the
// index and the extent where it is about one.
__WW_PY void __ww_py_raise(__ww_py_array<long long, 0> record, int number, long long index = 0,
                           long long extent = 0) {
    long long* const words = record.data;
    if (atomicCAS((unsigned long long*)words, 0ULL, (unsigned long long)number) != 0) return;
    words[1] = blockIdx.x;
    words[2] = blockIdx.y;
    words[3] = blockIdx.z;
    words[4] = threadIdx.x;
    words[5] = threadIdx.y;
    words[6] = threadIdx.z;
    words[7] = index;
    words[8] = extent;
}
