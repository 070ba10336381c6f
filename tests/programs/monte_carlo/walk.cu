// Random walkers on a grid with absorbing walls, moved by a hash of walker and step: the integer
// generator of many ray tracers. A switch chooses the direction.
__host__ __device__ inline unsigned wang_hash(unsigned seed)
{
    seed = (seed ^ 61) ^ (seed >> 16);
    seed *= 9;
    seed = seed ^ (seed >> 4);
    seed *= 0x27d4eb2d;
    seed = seed ^ (seed >> 15);
    return seed;
}

__device__ inline unsigned xorshift32(unsigned &s)
{
    s ^= s << 13;
    s ^= s >> 17;
    s ^= s << 5;
    return s;
}

struct Walker { short x, y; int age; };

__global__ void walk(Walker *walkers, int n, int size, int max_steps, unsigned seed,
                     unsigned *visits)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Walker w = walkers[i];
    unsigned state = wang_hash(seed + i) | 1u;
    while (w.age < max_steps) {
        switch (xorshift32(state) >> 30) {
            case 0: w.x++; break;
            case 1: w.x--; break;
            case 2: w.y++; break;
            default: w.y--;
        }
        w.age++;
        if (w.x < 0 || w.y < 0 || w.x >= size || w.y >= size) break;
        atomicAdd(&visits[w.y * size + w.x], 1u);
    }
    walkers[i] = w;
}
