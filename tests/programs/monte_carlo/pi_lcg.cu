// Pi by darts: every thread runs a 48-bit linear congruential generator of its own (the one of
// drand48), jumped ahead to its place in one long sequence, so that any grid draws the same numbers.
typedef unsigned long long u64;
#define LCG_A 0x5DEECE66DULL
#define LCG_C 0xBULL
#define LCG_MASK ((1ULL << 48) - 1)

__device__ u64 lcg_next(u64 *state)
{
    *state = (*state * LCG_A + LCG_C) & LCG_MASK;
    return *state;
}

// steps applications of x -> a x + c, by squaring the map.
__device__ u64 lcg_jump(u64 state, u64 steps)
{
    u64 a = LCG_A, c = LCG_C, total_a = 1, total_c = 0;
    while (steps) {
        if (steps & 1) {
            total_a = total_a * a & LCG_MASK;
            total_c = (total_c * a + c) & LCG_MASK;
        }
        c = (a + 1) * c & LCG_MASK;
        a = a * a & LCG_MASK;
        steps >>= 1;
    }
    return (total_a * state + total_c) & LCG_MASK;
}

__global__ void count_hits(u64 seed, int darts_per_thread, int total, unsigned *hits)
{
    __shared__ unsigned block_hits;
    if (threadIdx.x == 0) block_hits = 0;
    __syncthreads();
    int first = (blockIdx.x * blockDim.x + threadIdx.x) * darts_per_thread;
    u64 state = lcg_jump(seed, 2ULL * first);
    unsigned mine = 0;
    for (int k = first; k < min(first + darts_per_thread, total); ++k) {
        double x = lcg_next(&state) * (1.0 / 281474976710656.0);
        double y = lcg_next(&state) * (1.0 / 281474976710656.0);
        mine += x * x + y * y < 1.0;
    }
    atomicAdd(&block_hits, mine);
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(hits, block_hits);
}
