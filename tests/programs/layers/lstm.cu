// One step of an LSTM: gates in the order i, f, g, o, a block per group of hidden units, products with
// input and former state summed by a warp per gate row, pointwise part by the first lane.
#include <stdio.h>

__device__ static inline float sigmoidf(float x) { return 1.f / (1.f + expf(-x)); }

enum Gate { INPUT, FORGET, CELL, OUTPUT, GATES };

__device__ float warp_dot(const float *a, const float *b, int n)
{
    float s = 0.f;
    for (int i = threadIdx.x; i < n; i += 32) s += a[i] * b[i];
    for (int m = 16; m >= 1; m >>= 1) s += __shfl_xor_sync(0xffffffffu, s, m);
    return s;
}

__global__ void lstm_step(const float *x, const float *h, const float *c, const float *Wx,
                          const float *Wh, const float *bias, float *h_out, float *c_out, int inputs,
                          int hidden)
{
    const int unit = blockIdx.x * blockDim.y + threadIdx.y;
    const int sample = blockIdx.y;
    if (unit >= hidden) return;
    x += sample * inputs;
    h += sample * hidden;

    float pre[GATES];
#pragma unroll
    for (int g = INPUT; g < GATES; g++) {
        const int row = g * hidden + unit;
        pre[g] = warp_dot(x, Wx + row * inputs, inputs) + warp_dot(h, Wh + row * hidden, hidden) +
                 bias[row];
    }
    if (threadIdx.x == 0) {
        const int at = sample * hidden + unit;
        float cell = sigmoidf(pre[FORGET]) * c[at] + sigmoidf(pre[INPUT]) * tanhf(pre[CELL]);
        c_out[at] = cell;
        h_out[at] = sigmoidf(pre[OUTPUT]) * tanhf(cell);
    }
}
