// Producer and consumer blocks: even blocks fill slots of a ring and raise a flag, odd ones wait for
// the flag, sum the slot and give it back; volatile flags and fences, as before there were atomics
// with an order.
#define SLOTS 2

struct Ring {
    volatile int *flags;  // 0: free, 1: full
    int *slots;
    int width;
};

__device__ void wait_for(volatile int *flag, int value)
{
    if (threadIdx.x == 0)
        while (*flag != value) {
#if __CUDA_ARCH__ >= 700
            __nanosleep(20);
#endif
        }
    __syncthreads();
}

__device__ void hand_over(volatile int *flag, int value)
{
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) *flag = value;
}

__global__ void pipeline(const int *input, int batches, Ring ring, long long *sums)
{
    const int pair = blockIdx.x / 2;
    volatile int *flags = ring.flags + pair * SLOTS;
    int *slots = ring.slots + pair * SLOTS * ring.width;
    for (int b = 0; b < batches; b++) {
        const int slot = b % SLOTS;
        int *mine = slots + slot * ring.width;
        if (blockIdx.x % 2 == 0) {
            wait_for(flags + slot, 0);
            for (int i = threadIdx.x; i < ring.width; i += blockDim.x)
                mine[i] = 3 * input[(pair * batches + b) * ring.width + i] + 1;
            hand_over(flags + slot, 1);
        } else {
            wait_for(flags + slot, 1);
            __shared__ unsigned long long sum;
            if (threadIdx.x == 0) sum = 0;
            __syncthreads();
            for (int i = threadIdx.x; i < ring.width; i += blockDim.x)
                atomicAdd(&sum, (unsigned long long)(long long)((volatile int *)mine)[i]);
            __syncthreads();
            if (threadIdx.x == 0) sums[pair * batches + b] = sum;
            hand_over(flags + slot, 0);
        }
    }
}
