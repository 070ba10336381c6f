// The 8x8 discrete cosine transform of an image, forward and back: a block holds several tiles and
// multiplies by the cosine matrix from constant memory; quantisation by a table in between.

#define TILE 8

__constant__ float cosines[TILE * TILE];
__constant__ short steps[TILE * TILE] = {
    16, 11, 10, 16, 24, 40, 51, 61, 12, 12, 14, 19, 26, 58, 60, 55,
    14, 13, 16, 24, 40, 57, 69, 56, 14, 17, 22, 29, 51, 87, 80, 62,
    18, 22, 37, 56, 68, 109, 103, 77, 24, 35, 55, 64, 81, 104, 113, 92,
    49, 64, 78, 87, 103, 121, 120, 101, 72, 92, 95, 98, 112, 100, 103, 99,
};

enum direction { DCT, IDCT };

template <direction d>
__device__ float multiply(const float *left, const float *right, int lx, int ly, int rx, int ry)
{
    float acc = 0;
#pragma unroll
    for (int i = 0; i < TILE; i++) acc += left[lx + i * ly] * right[rx + i * ry];
    return acc;
}

template <direction d>
__global__ void transform(float *to, const float *from, int width)
{
    __shared__ float block[4][TILE * TILE], half[4][(TILE * TILE)];
    const int tx = threadIdx.x, ty = threadIdx.y, tz = threadIdx.z;
    const int bx = blockIdx.x * blockDim.z + tz, by = blockIdx.y;
    const bool inside = bx * TILE < width;
    const int at = (by * TILE + ty) * width + bx * TILE + tx;
    const int own = ty * TILE + tx;
    const float *A = cosines;

    if (inside) block[tz][own] = from[at];
    __syncthreads();
    if (inside)
        half[tz][own] = d == DCT ? multiply<d>(A, block[tz], ty * TILE, 1, tx, TILE)
                                 : multiply<d>(A, block[tz], ty, TILE, tx, TILE);
    __syncthreads();
    if (inside)
        to[at] = d == DCT ? multiply<d>(half[tz], A, ty * TILE, 1, tx * TILE, 1)
                           : multiply<d>(half[tz], A, ty * TILE, 1, tx, TILE);
}

__global__ void quantise(float *image, int width)
{
    int k = (blockIdx.y * TILE + threadIdx.y) * width + blockIdx.x * TILE + threadIdx.x;
    short q = steps[threadIdx.y * TILE + threadIdx.x];
    image[k] = rintf(__fdividef(image[k], q)) * q;
}
