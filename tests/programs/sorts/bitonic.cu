// Bitonic sorting networks: small arrays in shared memory, larger ones by merge steps over global
// memory. Keys carry values; either direction.
#define SHARED_SIZE_LIMIT 256U
typedef unsigned int uint;

__device__ inline void Comparator(uint &keyA, uint &valA, uint &keyB, uint &valB, uint dir)
{
    uint t;
    if ((keyA > keyB) == dir) {
        t = keyA; keyA = keyB; keyB = t;
        t = valA; valA = valB; valB = t;
    }
}

__global__ void bitonicSortShared(uint *d_Key, uint *d_Val, uint dir)
{
    __shared__ uint s_key[SHARED_SIZE_LIMIT];
    __shared__ uint s_val[SHARED_SIZE_LIMIT];
    const uint half = SHARED_SIZE_LIMIT / 2, t = threadIdx.x;

    d_Key += blockIdx.x * SHARED_SIZE_LIMIT + t;
    d_Val += blockIdx.x * SHARED_SIZE_LIMIT + t;
    s_key[t] = d_Key[0];
    s_val[t] = d_Val[0];
    s_key[t + half] = d_Key[half];
    s_val[t + half] = d_Val[half];

    for (uint size = 2; size <= SHARED_SIZE_LIMIT; size <<= 1) {
        // The last merge of every second block is reversed: the blocks form bitonic pairs.
        uint ddd = size < SHARED_SIZE_LIMIT ? dir ^ ((t & (size / 2)) != 0) : dir ^ (blockIdx.x & 1);
        for (uint stride = size / 2; stride > 0; stride >>= 1) {
            __syncthreads();
            uint pos = 2 * t - (t & (stride - 1));
            Comparator(s_key[pos], s_val[pos], s_key[pos + stride], s_val[pos + stride], ddd);
        }
    }
    __syncthreads();
    d_Key[0] = s_key[t];
    d_Val[0] = s_val[t];
    d_Key[half] = s_key[t + half];
    d_Val[half] = s_val[t + half];
}

__global__ void bitonicMergeGlobal(uint *d_Key, uint *d_Val, uint arrayLength, uint size, uint stride,
                                   uint dir)
{
    uint comparatorI = blockIdx.x * blockDim.x + threadIdx.x;
    if (comparatorI >= arrayLength / 2) return;
    uint ddd = size < arrayLength ? dir ^ ((comparatorI & (size / 2)) != 0) : dir;
    uint pos = 2 * comparatorI - (comparatorI & (stride - 1));
    Comparator(d_Key[pos], d_Val[pos], d_Key[pos + stride], d_Val[pos + stride], ddd);
}
