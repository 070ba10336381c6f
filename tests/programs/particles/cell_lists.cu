// Molecular dynamics: particles go into the cells of a periodic box (chains through a next array), and
// each sums Lennard-Jones forces over the 27 cells around its own.
#include <math_constants.h>

struct Box {
    float side;
    int cells;  // along one edge
    float cutoff2;
};

__device__ int3 cell_of(float3 p, const Box &box)
{
    const float scale = box.cells / box.side;
    return make_int3(min((int)floorf(p.x * scale), box.cells - 1),
                     min(__float2int_rd(p.y * scale), box.cells - 1),
                     min(__float2int_rd(p.z * scale), box.cells - 1));
}

__device__ int flat(int3 c, int cells)
{
    const int x = (c.x + cells) % cells, y = (c.y + cells) % cells, z = (c.z + cells) % cells;
    return (z * cells + y) * cells + x;
}

__global__ void fill_cells(const float3 *pos, int n, Box box, int *head, int *next)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        next[i] = atomicExch(&head[flat(cell_of(pos[i], box), box.cells)], i);
}

__device__ float nearest_image(float d, float side) { return d - side * rintf(d / side); }

__global__ void forces(const float3 *pos, int n, Box box, const int *head, const int *next, float3 *force,
                       float *energy)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float potential = 0.f;
    if (i < n) {
        const float3 me = pos[i];
        const int3 home = cell_of(me, box);
        float3 f = make_float3(0.f, 0.f, 0.f);
        for (int k = 0; k < 27; k++) {
            const int3 c = make_int3(home.x + k % 3 - 1, home.y + k / 3 % 3 - 1, home.z + k / 9 - 1);
            for (int j = head[flat(c, box.cells)]; j >= 0; j = next[j]) {
                if (j == i) continue;
                const float dx = nearest_image(me.x - pos[j].x, box.side);
                const float dy = nearest_image(me.y - pos[j].y, box.side);
                const float dz = nearest_image(me.z - pos[j].z, box.side);
                const float r2 = dx * dx + dy * dy + dz * dz;
                if (r2 >= box.cutoff2) continue;
                const float i2 = 1.f / r2, i6 = i2 * i2 * i2;
                const float s = 24.f * i2 * i6 * (2.f * i6 - 1.f);
                f.x += s * dx, f.y += s * dy, f.z += s * dz;
                potential += 2.f * i6 * (i6 - 1.f);
            }
        }
        force[i] = f;
    }
    for (int offset = 16; offset > 0; offset /= 2)
        potential += __shfl_down_sync(0xffffffffu, potential, offset);
    if ((threadIdx.x & 31) == 0) atomicAdd(energy, potential);
}
