// Layers and steps of learning: softmax, normalisation in half precision, nearest centres.
#include <cuda_fp16.h>

// One block a row.
__global__ void softmax(const float *x, float *y, int columns)
{
    __shared__ float part[128];
    const float *row = x + (size_t)blockIdx.x * columns;
    float *out = y + (size_t)blockIdx.x * columns;
    int t = threadIdx.x;
    float highest = -INFINITY;
    for (int j = t; j < columns; j += blockDim.x)
        highest = fmaxf(highest, row[j]);
    part[t] = highest;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (t < half)
            part[t] = fmaxf(part[t], part[t + half]);
        __syncthreads();
    }
    highest = part[0];
    __syncthreads();
    float sum = 0;
    for (int j = t; j < columns; j += blockDim.x)
        sum += expf(row[j] - highest);
    part[t] = sum;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (t < half)
            part[t] += part[t + half];
        __syncthreads();
    }
    float scale = 1.0f / part[0];
    for (int j = t; j < columns; j += blockDim.x)
        out[j] = expf(row[j] - highest) * scale;
}

__device__ float sum_of_block(float value, float *part)
{
    for (int o = 16; o > 0; o >>= 1)
        value += __shfl_xor_sync(0xffffffff, value, o);
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = value;
    __syncthreads();
    float total = 0;
    for (int w = 0; w < blockDim.x / 32; ++w)
        total += part[w];
    __syncthreads();
    return total;
}

__global__ void layer_norm(const __half *x, const __half *gain, const __half *bias, __half *y,
                           unsigned columns, float epsilon)
{
    __shared__ float part[32];
    const __half *row = x + blockIdx.x * columns;
    float sum = 0, squares = 0;
    for (unsigned j = threadIdx.x; j < columns; j += blockDim.x) {
        float v = __half2float(row[j]);
        sum += v;
        squares += v * v;
    }
    float mean = sum_of_block(sum, part) / columns;
    float variance = sum_of_block(squares, part) / columns - mean * mean;
    float scale = rsqrtf(variance + epsilon);
    for (unsigned j = threadIdx.x; j < columns; j += blockDim.x) {
        float v = (__half2float(row[j]) - mean) * scale;
        y[blockIdx.x * columns + j] =
            __float2half(v * __half2float(gain[j]) + __half2float(bias[j]));
    }
}

#define DIMENSIONS 4
#define CENTRES 32

// Points and centres are arrays of structs of four floats.
__global__ void nearest_centre(const float *points, const float *centres, int *nearest, unsigned n)
{
    __shared__ float c[CENTRES][DIMENSIONS];
    if (threadIdx.x < CENTRES * DIMENSIONS)
        c[threadIdx.x / DIMENSIONS][threadIdx.x % DIMENSIONS] = centres[threadIdx.x];
    __syncthreads();
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float best = 1e30f;
    int which = 0;
    for (int k = 0; k < CENTRES; ++k) {
        float distance = 0;
        for (int d = 0; d < DIMENSIONS; ++d) {
            float e = points[i * DIMENSIONS + d] - c[k][d];
            distance += e * e;
        }
        if (distance < best) {
            best = distance;
            which = k;
        }
    }
    nearest[i] = which;
}
