// Filters of images: constant filters, halos in shared memory, order statistics.

#define RADIUS 8
#define ROW_TILES 8
#define HALO_TILES 1
__constant__ float filter[2 * RADIUS + 1] = {
    0.0041f, 0.0105f, 0.0228f, 0.0424f, 0.0676f, 0.0923f, 0.1081f, 0.1081f, 0.0882f,
    0.1081f, 0.1081f, 0.0923f, 0.0676f, 0.0424f, 0.0228f, 0.0105f, 0.0041f};

// Blocks of 16 x 4 threads, eight tiles a row and one on either side.
__global__ void convolve_rows(float *out, const float *in, int width, int height)
{
    __shared__ float s[4][(ROW_TILES + 2 * HALO_TILES) * 16];
    const int x0 = (blockIdx.x * ROW_TILES - HALO_TILES) * 16 + threadIdx.x;
    const int y = blockIdx.y * 4 + threadIdx.y;
    in += y * width + x0;
    out += y * width + x0;
    #pragma unroll
    for (int i = HALO_TILES; i < HALO_TILES + ROW_TILES; i++)
        s[threadIdx.y][threadIdx.x + i * 16] = in[i * 16];
    #pragma unroll
    for (int i = 0; i < HALO_TILES; i++)
        s[threadIdx.y][threadIdx.x + i * 16] = x0 + i * 16 >= 0 ? in[i * 16] : 0;
    #pragma unroll
    for (int i = HALO_TILES + ROW_TILES; i < 2 * HALO_TILES + ROW_TILES; i++)
        s[threadIdx.y][threadIdx.x + i * 16] = x0 + i * 16 < width ? in[i * 16] : 0;
    __syncthreads();
    #pragma unroll
    for (int i = HALO_TILES; i < HALO_TILES + ROW_TILES; i++) {
        float sum = 0;
        #pragma unroll
        for (int j = -RADIUS; j <= RADIUS; j++)
            sum += filter[RADIUS - j] * s[threadIdx.y][threadIdx.x + i * 16 + j];
        out[i * 16] = sum;
    }
}

// Blocks of 16 x 8 threads, eight tiles a column; the tile is kept transposed and padded.
__global__ void convolve_columns(float *out, const float *in, int width, int height)
{
    __shared__ float s[16][(8 + 2) * 8 + 1];
    const int x = blockIdx.x * 16 + threadIdx.x;
    const int y0 = (blockIdx.y * 8 - 1) * 8 + threadIdx.y;
    in += y0 * width + x;
    out += y0 * width + x;
    for (int i = 1; i < 9; i++)
        s[threadIdx.x][threadIdx.y + i * 8] = in[i * 8 * width];
    s[threadIdx.x][threadIdx.y] = y0 >= 0 ? in[0] : 0;
    s[threadIdx.x][threadIdx.y + 72] = y0 + 72 < height ? in[72 * width] : 0;
    __syncthreads();
    for (int i = 1; i < 9; i++) {
        float sum = 0;
        #pragma unroll
        for (int j = -RADIUS; j <= RADIUS; j++)
            sum += filter[RADIUS - j] * s[threadIdx.x][threadIdx.y + i * 8 + j];
        out[i * 8 * width] = sum;
    }
}

__device__ void order(unsigned char &a, unsigned char &b)
{
    unsigned char low = min(a, b);
    b = max(a, b);
    a = low;
}

__global__ void median3x3(const unsigned char *in, unsigned char *out, unsigned width,
                          unsigned height)
{
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1)
        return;
    unsigned char v[9];
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            v[3 * (dy + 1) + dx + 1] = in[(y + dy) * width + x + dx];
    order(v[1], v[2]); order(v[4], v[5]); order(v[7], v[8]);
    order(v[0], v[1]); order(v[3], v[4]); order(v[6], v[7]);
    order(v[1], v[2]); order(v[4], v[5]); order(v[7], v[8]);
    order(v[0], v[3]); order(v[5], v[8]); order(v[4], v[7]);
    order(v[3], v[6]); order(v[1], v[4]); order(v[2], v[5]);
    order(v[4], v[7]); order(v[4], v[2]); order(v[6], v[4]);
    order(v[4], v[2]);
    out[y * width + x] = v[4];
}

__global__ void sobel(const unsigned char *in, unsigned char *out, int width, int height)
{
    size_t x = blockIdx.x * blockDim.x + threadIdx.x;
    size_t y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x == 0 || y == 0 || x >= width - 1 || y >= height - 1)
        return;
    size_t i = y * width + x;
    int a = in[i - width - 1], b = in[i - width], c = in[i - width + 1];
    int d = in[i - 1], f = in[i + 1];
    int g = in[i + width - 1], h = in[i + width], k = in[i + width + 1];
    int across = c + 2 * f + k - a - 2 * d - g, down = g + 2 * h + k - a - 2 * b - c;
    int total = (abs(across) + abs(down)) / 2;
    out[i] = total > 255 ? 255 : total;
}

__global__ void bilateral(const float *in, float *out, int width, int height, float space,
                          float range)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    float centre = in[y * width + x], total = 0, weights = 0;
    for (int dy = -2; dy <= 2; dy++)
        for (int dx = -2; dx <= 2; dx++) {
            int u = min(max(x + dx, 0), width - 1), v = min(max(y + dy, 0), height - 1);
            float value = in[v * width + u], d = value - centre;
            float w = expf(-(dx * dx + dy * dy) * space - d * d * range);
            total += w * value;
            weights += w;
        }
    out[y * width + x] = total / weights;
}
