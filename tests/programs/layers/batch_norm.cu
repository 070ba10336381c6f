// Batch normalisation in training: statistics of a channel by one block with shuffles, running
// averages, the normalised output, and the gradient of the input.

// Two sums that travel together.
template <class T> struct Pair {
    T first = T(), second = T();
    __device__ friend Pair operator+(Pair a, Pair b) { return {a.first + b.first, a.second + b.second}; }
    __device__ Pair from_lane(int mask) const
    {
        return {__shfl_xor_sync(~0u, first, mask), __shfl_xor_sync(~0u, second, mask)};
    }
};

template <class T> __device__ __forceinline__ Pair<T> sum_of_warp(Pair<T> p)
{
    for (int mask = warpSize / 2; mask; mask /= 2) p = p + p.from_lane(mask);
    return p;
}

// The sum of `term` over the elements of one channel, returned to all threads.
template <class T, class Term>
__device__ Pair<T> sum_of_channel(Term term, int N, int C, int S, int channel)
{
    __shared__ T per_warp[2][32];
    const int rank = threadIdx.y * blockDim.x + threadIdx.x;
    const int warps = (blockDim.x * blockDim.y) / warpSize;

    Pair<T> sum;
    for (int n = threadIdx.y; n < N; n += blockDim.y)
        for (int s = threadIdx.x; s < S; s += blockDim.x) sum = sum + term((n * C + channel) * S + s);
    sum = sum_of_warp(sum);
    __syncthreads();
    if (rank % warpSize == 0) {
        per_warp[0][rank / warpSize] = sum.first;
        per_warp[1][rank / warpSize] = sum.second;
    }
    __syncthreads();
    const int lane = rank % warpSize;
    Pair<T> all;
    if (lane < warps) all = {per_warp[0][lane], per_warp[1][lane]};
    return sum_of_warp(all);
}

__global__ void forward(const float *in, float *out, const float *weight, const float *bias,
                        float *running_mean, float *running_var, float *kept_mean, float *kept_inverse,
                        int N, int C, int S, float momentum, float eps)
{
    const int channel = blockIdx.x;
    const int count = N * S;
    auto first = sum_of_channel<float>([in](int i) { return Pair<float>{in[i], 0.f}; }, N, C, S, channel);
    const float mean = first.first / count;
    auto second = sum_of_channel<float>([&](int i) {
        float d = in[i] - mean;
        return Pair<float>{d * d, d};
    }, N, C, S, channel);
    const float var = second.first / count;
    const float invstd = 1.0f / sqrtf(var + eps);
    if (threadIdx.x == 0 && threadIdx.y == 0) {
        kept_mean[channel] = mean;
        kept_inverse[channel] = invstd;
        running_mean[channel] += momentum * (mean - running_mean[channel]);
        running_var[channel] += momentum * (second.first / (count - 1) - running_var[channel]);
    }
    for (int b = threadIdx.y; b < N; b += blockDim.y)
        for (int x = threadIdx.x; x < S; x += blockDim.x) {
            const int i = (b * C + channel) * S + x;
            out[i] = weight[channel] * (in[i] - mean) * invstd + bias[channel];
        }
}

__global__ void backward(const float *in, const float *grad, float *to, const float *weight,
                         const float *kept_mean, const float *kept_inverse, int N, int C, int S)
{
    const int channel = blockIdx.x;
    const float mean = kept_mean[channel], invstd = kept_inverse[channel];
    struct Op {
        const float *in, *grad;
        float mean;
        __device__ Pair<float> operator()(int i) const
        {
            return {grad[i], grad[i] * (in[i] - mean)};
        }
    } op = {in, grad, mean};
    const Pair<float> sums = sum_of_channel<float>(op, N, C, S, channel);
    const float norm = 1.0f / (N * S);
    for (int b = threadIdx.y; b < N; b += blockDim.y)
        for (int x = threadIdx.x; x < S; x += blockDim.x) {
            const int i = (b * C + channel) * S + x;
            const float proj = (in[i] - mean) * sums.second * norm * invstd * invstd;
            to[i] = (grad[i] - proj - sums.first * norm) * invstd * weight[channel];
        }
}
