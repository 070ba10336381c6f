// Sobel edges of an 8-bit image: a tile with a border of one in shared memory, saturating store.
typedef unsigned char Pixel;

// Both gradients of the 3x3 patch around a pixel, their sizes added and scaled.
static __device__ __inline__ Pixel edge_strength(const Pixel *centre, int pitch, float scale)
{
    const Pixel *above = centre - pitch, *below = centre + pitch;
    short across = (above[1] - above[-1]) + 2 * (centre[1] - centre[-1]) + (below[1] - below[-1]);
    short down = (below[-1] - above[-1]) + 2 * (below[0] - above[0]) + (below[1] - above[1]);
    int strength = __float2int_rz(scale * __sad(across, 0, abs((int)down)));
    return (Pixel)min(max(strength, 0), 0xff);
}

extern __shared__ Pixel tile[];
#define CLAMP(v, n) ((v) < 0 ? 0 : (v) >= (n) ? (n) - 1 : (v))

__global__ void sobel_tile(Pixel *to, const Pixel *from, int w, int h, float scale)
{
    const int pitch = blockDim.x + 2;
    const int x0 = blockIdx.x * blockDim.x - 1, y0 = blockIdx.y * blockDim.y - 1;
    for (int y = threadIdx.y; y < blockDim.y + 2; y += blockDim.y)
        for (int x = threadIdx.x; x < pitch; x += blockDim.x)
            tile[y * pitch + x] = from[CLAMP(y0 + y, h) * w + CLAMP(x0 + x, w)];
    __syncthreads();

    const int x = x0 + 1 + threadIdx.x, y = y0 + 1 + threadIdx.y;
    if (x >= w || y >= h) return;
    const Pixel *centre = tile + (threadIdx.y + 1) * pitch + threadIdx.x + 1;
    to[y * w + x] = edge_strength(centre, pitch, scale);
}
