// Walks on a grid with absorbing walls, each walker with its own generator (PCG, seeded by index);
// crossings are counted, steps taken are recorded.
#include <stdint.h>

typedef struct pcg_state {
    uint64_t state, inc;
} pcg_t;

__device__ uint32_t pcg_next(pcg_t *rng)
{
    const uint64_t old = rng->state;
    rng->state = old * 6364136223846793005ULL + (rng->inc | 1);
    const uint32_t word = (uint32_t)(((old >> 18u) ^ old) >> 27u);
    const uint32_t turn = old >> 59u;
    return (word >> turn) | (word << ((-turn) & 31));
}

__global__ void walk(int walkers, int side, int limit, uint64_t seed, int *visits, int *steps, int2 *last)
{
    const int w = blockIdx.x * blockDim.x + threadIdx.x;
    if (w >= walkers) return;
    pcg_t rng = {0, ((uint64_t)w << 1) | 1};
    pcg_next(&rng);
    rng.state += seed;
    pcg_next(&rng);

    int2 at = {side / 2, side / 2};
    int step = 0;
    while (step < limit) {
        switch (pcg_next(&rng) >> 30) {
        case 0: at.x++; break;
        case 1: at.x--; break;
        case 2: at.y++; break;
        default: at.y--;
        }
        step++;
        if (at.x < 0 || at.y < 0 || at.x >= side || at.y >= side) break;
        atomicAdd(&visits[at.y * side + at.x], 1);
    }
    steps[w] = step;
    last[w] = at;
}
