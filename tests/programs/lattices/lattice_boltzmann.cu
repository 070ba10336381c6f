// Lattice-Boltzmann D2Q9 with a driving force, periodic along x and walls that bounce back at top and
// bottom; values pulled from the neighbours, populations in planes.

#define Q 9
static __constant__ int cx[Q] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
static __constant__ int cy[Q] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
static __constant__ int opposite[Q] = {0, 3, 4, 1, 2, 7, 8, 5, 6};

template <typename real> struct weights {
    static __device__ constexpr real of(int q)
    {
        return q == 0 ? real(4) / 9 : q < 5 ? real(1) / 9 : real(1) / 36;
    }
};

template <typename real>
__global__ void stream_and_collide(const real *__restrict__ f, real *__restrict__ out, int nx, int ny,
                                   real omega, real force)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= nx || y >= ny) return;
    const int cells = nx * ny, here = y * nx + x;

    real g[Q], rho = 0, ux = 0, uy = 0;
#pragma unroll
    for (int q = 0; q < Q; q++) {
        const int sx = (x - cx[q] + nx) % nx, sy = y - cy[q];
        const bool wall = sy < 0 || sy >= ny;
        g[q] = wall ? f[opposite[q] * cells + here] : f[q * cells + sy * nx + sx];
        rho += g[q];
        ux += cx[q] * g[q];
        uy += cy[q] * g[q];
    }
    ux = ux / rho + force / omega;
    uy /= rho;
    const real square = real(1.5) * (ux * ux + uy * uy);
#pragma unroll
    for (int q = 0; q < Q; q++) {
        const real cu = 3 * (cx[q] * ux + cy[q] * uy);
        const real equilibrium = weights<real>::of(q) * rho * (1 + cu + real(0.5) * cu * cu - square);
        out[q * cells + here] = g[q] + omega * (equilibrium - g[q]);
    }
}
