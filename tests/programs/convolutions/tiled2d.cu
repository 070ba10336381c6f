// A convolution in two dimensions over pixels of several channels: the block covers the input tile,
// and its rim of threads only loads.
#define MASK_WIDTH 5
#define MASK_RADIUS (MASK_WIDTH / 2)
#define O_TILE 12
#define I_TILE (O_TILE + MASK_WIDTH - 1)
#define clamp(x) (min(max((x), 0.0f), 1.0f))

__global__ void convolution(const float *__restrict__ in, const float *__restrict__ mask, float *out,
                            int channels, int width, int height)
{
    __shared__ float tile[I_TILE][I_TILE];
    int row_o = blockIdx.y * O_TILE + threadIdx.y, row_i = row_o - MASK_RADIUS;
    int col_o = blockIdx.x * O_TILE + threadIdx.x, col_i = col_o - MASK_RADIUS;

    for (int k = 0; k < channels; k++) {
        if (row_i >= 0 && row_i < height && col_i >= 0 && col_i < width)
            tile[threadIdx.y][threadIdx.x] = in[(row_i * width + col_i) * channels + k];
        else
            tile[threadIdx.y][threadIdx.x] = 0.0f;
        __syncthreads();
        if (threadIdx.y < O_TILE && threadIdx.x < O_TILE) {
            float acc = 0.0f;
            for (int y = 0; y < MASK_WIDTH; y++)
                for (int x = 0; x < MASK_WIDTH; x++)
                    acc += mask[y * MASK_WIDTH + x] * tile[threadIdx.y + y][threadIdx.x + x];
            if (row_o < height && col_o < width)
                out[(row_o * width + col_o) * channels + k] = clamp(acc);
        }
        __syncthreads();
    }
}
