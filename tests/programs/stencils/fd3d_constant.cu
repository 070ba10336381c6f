// A high-order finite difference in three dimensions: weights in constant memory, the z column in a
// register queue that shifts by one plane a step.
#include <stdint.h>
#ifndef RADIUS
#define RADIUS 4
#endif

__constant__ float c_weight[RADIUS + 1];

__global__ void fd3d(float *__restrict__ out, const float *__restrict__ in, int dimx, int dimy,
                     int dimz)
{
    const int ix = blockIdx.x * blockDim.x + threadIdx.x;
    const int iy = blockIdx.y * blockDim.y + threadIdx.y;
    const bool valid = ix >= RADIUS && ix < dimx - RADIUS && iy >= RADIUS && iy < dimy - RADIUS;
    const uint32_t stride = dimx * dimy;
    uint32_t at = iy * dimx + ix;
    float queue[2 * RADIUS + 1];

    if (!valid) return;
#pragma unroll
    for (int i = 0; i < 2 * RADIUS; i++) {
        queue[i + 1] = in[at];
        at += stride;
    }
    uint32_t centre = iy * dimx + ix + RADIUS * stride;
    for (int iz = RADIUS; iz < dimz - RADIUS; iz++) {
#pragma unroll
        for (int i = 0; i < 2 * RADIUS; i++) queue[i] = queue[i + 1];
        queue[2 * RADIUS] = in[at];
        float value = c_weight[0] * queue[RADIUS];
#pragma unroll
        for (int r = 1; r <= RADIUS; r++)
            value += c_weight[r] * (queue[RADIUS - r] + queue[RADIUS + r] + in[centre - r] +
                                    in[centre + r] + in[centre - r * dimx] + in[centre + r * dimx]);
        out[centre] = value;
        centre += stride;
        at += stride;
    }
}
