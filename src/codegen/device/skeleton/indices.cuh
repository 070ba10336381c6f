// Indices into axes: checked, clipped, and reported where they were out of range.
#pragma once

// What src/graph/report/index_report.hpp reads: the first report stays until the host has taken it.
struct __ww_index_report {
    unsigned int state;  // 0: none; 1: being written; 2: complete
    unsigned int unused;
    long long site;
    long long value;
};

__device__ inline void __ww_report_index(long long index, long long site, void* report) {
    volatile __ww_index_report* place = (volatile __ww_index_report*)report;
    if (atomicCAS((unsigned int*)report, 0u, 1u) != 0u) return;
    place->site = site;
    place->value = index;
    __threadfence_system();
    place->state = 2;
}

// From 0 on; a negative index counts from the end.
__device__ __forceinline__ long long __ww_bounded(long long index, long long extent, long long site,
                                                  void* report) {
    const long long place = index < 0 ? index + extent : index;
    if ((unsigned long long)place >= (unsigned long long)extent) {
        __ww_report_index(index, site, report);
        return place < 0 ? 0 : extent - 1;
    }
    return place;
}

#ifdef __WARPWISE_CPU__
// Asks for what lies at `place`, wherever that is, so that it is in the cache later: the first
// elements of a row, behind which the processor asks for more by itself.
template <class T>
__device__ __forceinline__ void __ww_ask_for(const T* place, unsigned int elements) {
    enum { kLine = 64, kMost = 512 };
    const unsigned int all = elements * (unsigned int)sizeof(T);
    const unsigned int bytes = all < kMost ? all : (unsigned int)kMost;
    for (unsigned int at = 0; at < bytes; at += kLine) __builtin_prefetch((const char*)place + at);
}
#endif
