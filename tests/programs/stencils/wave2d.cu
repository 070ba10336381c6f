// The wave equation by leap-frog: second order in time, fourth in space, with a sponge at the rim.
// Old style: everything is a macro, and the tile is one flat array.
#include "cuda.h"

typedef float real;
#define BS   16
#define HALO 2
#define TW   (BS + 2 * HALO)
#define S(dy, dx) tile[(ty + HALO + (dy)) * TW + tx + HALO + (dx)]
#define CLAMP(v, lo, hi) ((v) < (lo) ? (lo) : ((v) > (hi) ? (hi) : (v)))
#define LAP4(m2, m1, c, p1, p2) \
    (-(m2) + 16.f * (m1) - 30.f * (c) + 16.f * (p1) - (p2)) * (1.f / 12.f)

extern "C" __global__ void wave_step(real *prev, real *cur, real *next, real *damp, int w, int h,
                                     real c2)
{
    __shared__ real tile[TW * TW];
    int tx = threadIdx.x, ty = threadIdx.y;
    int x0 = __mul24(blockIdx.x, BS), y0 = __mul24(blockIdx.y, BS);
    int k, x, y;

    for (k = ty * BS + tx; k < TW * TW; k += BS * BS) {
        x = CLAMP(x0 + k % TW - HALO, 0, w - 1);
        y = CLAMP(y0 + k / TW - HALO, 0, h - 1);
        tile[k] = cur[y * w + x];
    }
    __syncthreads();
    x = x0 + tx;
    y = y0 + ty;
    if (x < w && y < h) {
        real lap = LAP4(S(0, -2), S(0, -1), S(0, 0), S(0, 1), S(0, 2)) +
                   LAP4(S(-2, 0), S(-1, 0), S(0, 0), S(1, 0), S(2, 0));
        k = y * w + x;
        next[k] = damp[k] * (2.f * S(0, 0) - prev[k] + c2 * lap);
    }
}
