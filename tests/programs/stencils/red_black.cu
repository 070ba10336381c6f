// Successive over-relaxation in red-black order: half of the points in each launch, in place.
enum Colour { RED = 0, BLACK = 1 };

template <Colour colour, class Real>
__global__ void sor(Real *u, const Real *f, int n, Real h2, Real omega)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y + 1;
    int half = blockIdx.x * blockDim.x + threadIdx.x;
    int col = 1 + 2 * half + ((row + colour + 1) & 1);
    if (row > n || col > n) return;
    int pitch = n + 2;
    Real *p = u + row * pitch + col;
    Real gs = (p[-1] + p[1] + p[-pitch] + p[pitch] - h2 * f[row * pitch + col]) / Real(4);
    *p += omega * (gs - *p);
}

template __global__ void sor<RED, double>(double *, const double *, int, double, double);
template __global__ void sor<BLACK, double>(double *, const double *, int, double, double);
