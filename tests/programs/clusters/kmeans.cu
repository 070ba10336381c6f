// Lloyd's k-means: nearest centre by squared distance with centres in constant memory, sums and
// counts by shared atomics flushed once a block, and the centres moved by the last block to finish.

#define MAX_CENTRES 64
#define DIM 3

__constant__ float3 centres_c[MAX_CENTRES];
__device__ unsigned int blocks_done = 0;

__device__ __forceinline__ float3 operator-(const float3 &a, const float3 &b)
{
    return make_float3(a.x - b.x, a.y - b.y, a.z - b.z);
}
__device__ __forceinline__ float dot(float3 a, float3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

__global__ void assign_and_update(const float3 *points, int n, int k, int *membership, float *sums,
                                  int *counts, float3 *new_centres, int *moved)
{
    __shared__ float s_sum[MAX_CENTRES * DIM];
    __shared__ int s_count[MAX_CENTRES];
    __shared__ bool s_last;
    for (int i = threadIdx.x; i < k * DIM; i += blockDim.x) s_sum[i] = 0;
    for (int i = threadIdx.x; i < k; i += blockDim.x) s_count[i] = 0;
    __syncthreads();

    int i = blockIdx.x * blockDim.x + threadIdx.x, changed = 0;
    if (i < n) {
        const float3 p = points[i];
        float best = 3.402823466e+38f;
        int index = -1;
        for (int c = 0; c < k; c++) {
            const float3 d = p - centres_c[c];
            const float dist = dot(d, d);
            if (dist < best) { best = dist; index = c; }
        }
        changed = membership[i] != index;
        membership[i] = index;
        atomicAdd(&s_sum[index * DIM + 0], p.x);
        atomicAdd(&s_sum[index * DIM + 1], p.y);
        atomicAdd(&s_sum[index * DIM + 2], p.z);
        atomicAdd(&s_count[index], 1);
    }
    int total = __syncthreads_count(changed);
    if (threadIdx.x == 0 && total) atomicAdd(moved, total);
    for (int j = threadIdx.x; j < k * DIM; j += blockDim.x) atomicAdd(&sums[j], s_sum[j]);
    for (int j = threadIdx.x; j < k; j += blockDim.x) atomicAdd(&counts[j], s_count[j]);

    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) s_last = atomicInc(&blocks_done, gridDim.x - 1) == gridDim.x - 1;
    __syncthreads();
    if (!s_last) return;
    volatile float *vs = sums;
    volatile int *vc = counts;
    for (int c = threadIdx.x; c < k; c += blockDim.x) {
        const float inv = 1.0f / max(vc[c], 1);
        new_centres[c] = vc[c] ? make_float3(vs[c * DIM] * inv, vs[c * DIM + 1] * inv,
                                             vs[c * DIM + 2] * inv)
                               : centres_c[c];
    }
}
