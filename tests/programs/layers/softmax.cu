// Softmax of rows, one pass: running maximum and rescaled sum are folded together over the block;
// and the cross-entropy of given labels.
#include <float.h>

// The sum of exp(x - top) over what was seen.
struct __align__(8) Seen {
    float top, sum;
};

static __device__ __forceinline__ Seen join(const Seen &a, const Seen &b)
{
    const float top = fmaxf(a.top, b.top);
    return Seen{top, a.sum * __expf(a.top - top) + b.sum * __expf(b.top - top)};
}

template <int Threads>
__launch_bounds__(Threads)
__global__ void softmax_rows(const float * __restrict x, float * __restrict y, int width)
{
    __shared__ Seen seen[Threads];
    const float *from = x + blockIdx.x * width;
    float *to = y + blockIdx.x * width;

    Seen own = {-FLT_MAX, 0.0F};
    for (int i = threadIdx.x; i < width; i += Threads) own = join(own, Seen{from[i], 1.0F});
    seen[threadIdx.x] = own;
    for (int half = Threads >> 1; half; half >>= 1) {
        __syncthreads();
        if (threadIdx.x < half) seen[threadIdx.x] = join(seen[threadIdx.x], seen[threadIdx.x + half]);
    }
    __syncthreads();
    own = seen[0];
    const float scale = __fdividef(1.0F, own.sum);
    for (int i = threadIdx.x; i < width; i += Threads) to[i] = __expf(from[i] - own.top) * scale;
}

__global__ void cross_entropy(const float *p, const int *label, double *loss, int rows, int V)
{
    double sum = 0;
    for (int r = threadIdx.x; r < rows; r += blockDim.x)
        sum -= log((double)p[r * V + label[r]]);
    for (int d = 16; d; d >>= 1) sum += __shfl_down_sync(0xffffffff, sum, d);
    if (threadIdx.x % 32 == 0) atomicAdd(loss, sum / rows);
}
