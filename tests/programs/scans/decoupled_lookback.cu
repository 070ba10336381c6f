// A scan in one pass: a block takes its tile by a ticket, publishes its sum, and looks back over its
// predecessors until one has published a prefix. State and value share one 64-bit word.
#include <cuda_runtime.h>

enum : unsigned { kEmpty = 0, kAggregate = 1, kPrefix = 2 };

__device__ unsigned next_ticket;

__device__ __forceinline__ void publish(unsigned long long* slot, unsigned state, unsigned value) {
    atomicExch(slot, (static_cast<unsigned long long>(state) << 32) | value);
}

__device__ unsigned look_back(volatile unsigned long long* tiles, int tile) {
    unsigned sum = 0;
    for (int before = tile - 1; before >= 0;) {
        const unsigned long long word = tiles[before];
        const unsigned state = static_cast<unsigned>(word >> 32);
        if (state == kEmpty) continue;
        sum += static_cast<unsigned>(word);
        if (state == kPrefix) break;
        --before;
    }
    return sum;
}

template <int THREADS, int ITEMS>
__global__ void __launch_bounds__(THREADS)
inclusive_scan(const unsigned* in, unsigned* out, unsigned long long* tiles, int n) {
    __shared__ unsigned sums[THREADS], ticket, exclusive;
    if (threadIdx.x == 0) ticket = atomicAdd(&next_ticket, 1u);
    __syncthreads();
    const int tile = ticket, first = (tile * THREADS + threadIdx.x) * ITEMS;

    unsigned item[ITEMS], sum = 0;
#pragma unroll
    for (int k = 0; k < ITEMS; ++k) item[k] = sum += first + k < n ? in[first + k] : 0u;
    sums[threadIdx.x] = sum;
    __syncthreads();
    for (int d = 1; d < THREADS; d *= 2) {
        const unsigned other = threadIdx.x >= d ? sums[threadIdx.x - d] : 0u;
        __syncthreads();
        sums[threadIdx.x] += other;
        __syncthreads();
    }
    if (threadIdx.x == THREADS - 1) {
        const unsigned total = sums[THREADS - 1];
        publish(&tiles[tile], tile == 0 ? kPrefix : kAggregate, total);
        exclusive = look_back(tiles, tile);
        if (tile > 0) publish(&tiles[tile], kPrefix, exclusive + total);
    }
    __syncthreads();
    const unsigned offset = exclusive + sums[threadIdx.x] - sum;
#pragma unroll
    for (int k = 0; k < ITEMS; ++k)
        if (first + k < n) out[first + k] = offset + item[k];
}
