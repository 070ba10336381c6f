// A dense layer: tiled product of a batch with transposed weights, bias, and an activation that is a
// template parameter (a functor with or without state).
#include <cuda_fp16.h>

struct Identity { __device__ float operator()(float x) const { return x; } };
struct Relu { __device__ float operator()(float x) const { return fmaxf(x, 0.f); } };
struct LeakyRelu { __device__ float operator()(float x) const { return x > 0 ? x : 0.01f * x; } };
struct Gelu {
    __device__ float operator()(float x) const { return 0.5f * x * (1.0f + erff(x * 0.70710678f)); }
};

template <typename Activation, int TILE = 16>
__global__ void dense_forward(const float *__restrict__ input, const float *__restrict__ weights,
                              const float *__restrict__ bias, float *__restrict__ output, int batch,
                              int in_features, int out_features)
{
    __shared__ float xs[TILE][TILE];
    __shared__ float ws[TILE][TILE + 1];
    const int row = blockIdx.y * TILE + threadIdx.y;
    const int col = blockIdx.x * TILE + threadIdx.x;
    const int wrow = blockIdx.x * TILE + threadIdx.y;
    float acc = col < out_features ? bias[col] : 0.f;

    for (int k0 = 0; k0 < in_features; k0 += TILE) {
        const int k = k0 + threadIdx.x;
        xs[threadIdx.y][threadIdx.x] =
            (row < batch && k < in_features) ? input[row * in_features + k] : 0.f;
        ws[threadIdx.y][threadIdx.x] =
            (wrow < out_features && k < in_features) ? weights[wrow * in_features + k] : 0.f;
        __syncthreads();
        #pragma unroll
        for (int i = 0; i < TILE; ++i) acc += xs[threadIdx.y][i] * ws[threadIdx.x][i];
        __syncthreads();
    }
    if (row < batch && col < out_features) output[row * out_features + col] = Activation{}(acc);
}

// The gradient of the weights, half-precision gradients in, one thread a weight.
__global__ void dense_weight_grad(const float *input, const __half *grad, float *dW, int batch,
                                  int in_features, int out_features)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int o = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= in_features || o >= out_features) return;
    float sum = 0.f;
    for (int b = 0; b < batch; ++b)
        sum += __half2float(grad[b * out_features + o]) * input[b * in_features + i];
    dW[o * in_features + i] = sum;
}
