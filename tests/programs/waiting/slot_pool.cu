// A pool with fewer slots than threads: each takes the first free one it finds, going round, works in
// the slot's scratch memory, and releases it, so that lanes of one warp wait for each other.

struct Pool {
    int *taken;
    float *scratch;
    int slots, width;

    __device__ int acquire(int wish) const
    {
        int slot = wish % slots;
        while (atomicCAS(&taken[slot], 0, 1) != 0) slot = slot + 1 == slots ? 0 : slot + 1;
        __threadfence();
        return slot;
    }
    __device__ void release(int slot) const
    {
        __threadfence();
        atomicExch(&taken[slot], 0);
    }
};

// The median of every row, by insertion into a slot's scratch.
__global__ void medians(const float *rows, int n, Pool pool, float *out)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n) return;
    const int slot = pool.acquire(row);
    volatile float *sorted = pool.scratch + slot * pool.width;
    for (int i = 0; i < pool.width; i++) {
        const float v = rows[row * pool.width + i];
        int at = i;
        for (; at > 0 && sorted[at - 1] > v; at--) sorted[at] = sorted[at - 1];
        sorted[at] = v;
    }
    out[row] = sorted[pool.width / 2];
    pool.release(slot);
}
