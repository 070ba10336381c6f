// Matrix transposes of growing cleverness, in the way of the classic white paper: plain, through a
// shared tile, through a padded tile, and with diagonal block order.
#define TILE_DIM 32
#define BLOCK_ROWS 8

__global__ void transposeNaive(float *odata, const float *idata, int width, int height)
{
    int xIndex = blockIdx.x * TILE_DIM + threadIdx.x;
    int yIndex = blockIdx.y * TILE_DIM + threadIdx.y;
    int i;

    if (xIndex >= width)
        return;
    for (i = 0; i < TILE_DIM; i += BLOCK_ROWS)
        if (yIndex + i < height)
            odata[xIndex * height + yIndex + i] = idata[(yIndex + i) * width + xIndex];
}

// A tile with PAD spare columns: 0 has bank conflicts on a GPU, 1 has none.
template <int PAD>
__device__ void throughTile(float *odata, const float *idata, int width, int height, int bx, int by)
{
    __shared__ float tile[TILE_DIM][TILE_DIM + PAD];
    int x = bx * TILE_DIM + threadIdx.x;
    int y = by * TILE_DIM + threadIdx.y;

#pragma unroll
    for (int i = 0; i < TILE_DIM; i += BLOCK_ROWS)
        if (x < width && y + i < height)
            tile[threadIdx.y + i][threadIdx.x] = idata[(y + i) * width + x];

    __syncthreads();

    x = by * TILE_DIM + threadIdx.x;
    y = bx * TILE_DIM + threadIdx.y;
#pragma unroll
    for (int i = 0; i < TILE_DIM; i += BLOCK_ROWS)
        if (x < height && y + i < width)
            odata[(y + i) * height + x] = tile[threadIdx.x][threadIdx.y + i];
}

__global__ void transposeCoalesced(float *odata, const float *idata, int width, int height)
{
    throughTile<0>(odata, idata, width, height, blockIdx.x, blockIdx.y);
}

__global__ void transposeNoBankConflicts(float *odata, const float *idata, int width, int height)
{
    throughTile<1>(odata, idata, width, height, blockIdx.x, blockIdx.y);
}

__global__ void transposeDiagonal(float *odata, const float *idata, int width, int height)
{
    int blockIdx_x, blockIdx_y;

    if (gridDim.x == gridDim.y) {
        blockIdx_y = blockIdx.x;
        blockIdx_x = (blockIdx.x + blockIdx.y) % gridDim.x;
    } else {
        int bid = blockIdx.x + gridDim.x * blockIdx.y;
        blockIdx_y = bid % gridDim.y;
        blockIdx_x = ((bid / gridDim.y) + blockIdx_y) % gridDim.x;
    }
    throughTile<1>(odata, idata, width, height, blockIdx_x, blockIdx_y);
}
