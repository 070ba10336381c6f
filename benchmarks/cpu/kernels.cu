// The works of the CPU benchmark as CUDA users write them.

__global__ void saxpy(float a, const float *x, const float *y, float *z, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        z[i] = a * x[i] + y[i];
}

__global__ void chain(const float *x, const float *y, float *z, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        z[i] = 5 * x[i] + 6 * y[i] - sinf(x[i]) * sqrtf(y[i]);
}

__global__ void sum_tree(const float *x, float *out, int n)
{
    __shared__ float part[256];
    int t = threadIdx.x;
    float total = 0;
    for (int i = blockIdx.x * blockDim.x + t; i < n; i += blockDim.x * gridDim.x)
        total += x[i];
    part[t] = total;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half >>= 1) {
        if (t < half)
            part[t] += part[t + half];
        __syncthreads();
    }
    if (t == 0)
        atomicAdd(out, part[0]);
}

__global__ void sum_shuffle(const float *x, float *out, int n)
{
    __shared__ float of_warp[32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    float total = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        total += x[i];
    for (int distance = 16; distance > 0; distance /= 2)
        total += __shfl_down_sync(0xffffffffu, total, distance);
    if (lane == 0)
        of_warp[warp] = total;
    __syncthreads();
    if (warp == 0) {
        total = lane < blockDim.x / 32 ? of_warp[lane] : 0.0f;
        for (int distance = 16; distance > 0; distance /= 2)
            total += __shfl_down_sync(0xffffffffu, total, distance);
        if (lane == 0)
            atomicAdd(out, total);
    }
}

// One pass (Merrill and Garland's decoupled look-back): a tile publishes its own sum, then adds up
// what the tiles before it have published until it reaches one with its complete prefix.
// `states` has a flag in the upper word (0 nothing yet, 1 own sum, 2 prefix), the value in the lower.
constexpr int ITEMS = 8, THREADS = 256;

__global__ void scan(const float *x, float *z, volatile unsigned long long *states, int *next_tile,
                     int n)
{
    __shared__ float of_warp[THREADS / 32];
    __shared__ float before;
    __shared__ int tile;
    int t = threadIdx.x, lane = t % 32, warp = t / 32;
    if (t == 0)
        tile = atomicAdd(next_tile, 1);
    __syncthreads();
    int start = tile * THREADS * ITEMS + t * ITEMS;

    float item[ITEMS], total = 0;
    for (int k = 0; k < ITEMS; ++k) {
        total += start + k < n ? x[start + k] : 0.0f;
        item[k] = total;
    }
    float inclusive = total;
    for (int distance = 1; distance < 32; distance *= 2) {
        float left = __shfl_up_sync(0xffffffffu, inclusive, distance);
        if (lane >= distance)
            inclusive += left;
    }
    if (lane == 31)
        of_warp[warp] = inclusive;
    __syncthreads();
    float offset = inclusive - total, whole = 0;
    for (int w = 0; w < THREADS / 32; ++w) {
        if (w < warp)
            offset += of_warp[w];
        whole += of_warp[w];
    }

    if (t == 0) {
        float prefix = 0;
        if (tile > 0) {
            states[tile] = 1ull << 32 | __float_as_uint(whole);
            __threadfence();
            for (int other = tile - 1; ; --other) {
                unsigned long long state;
                do
                    state = states[other];
                while (state == 0);
                prefix += __uint_as_float((unsigned)state);
                if (state >> 32 == 2)
                    break;
            }
        }
        states[tile] = 2ull << 32 | __float_as_uint(prefix + whole);
        before = prefix;
    }
    __syncthreads();
    offset += before;
    for (int k = 0; k < ITEMS; ++k)
        if (start + k < n)
            z[start + k] = item[k] + offset;
}

__global__ void matmul(const float *a, const float *b, float *c, int n)
{
    __shared__ float left[16][16], right[16][16];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * 16 + ty, column = blockIdx.x * 16 + tx;
    float total = 0;
    for (int step = 0; step < n; step += 16) {
        left[ty][tx] = a[row * n + step + tx];
        right[ty][tx] = b[(step + ty) * n + column];
        __syncthreads();
        for (int k = 0; k < 16; ++k)
            total += left[ty][k] * right[k][tx];
        __syncthreads();
    }
    c[row * n + column] = total;
}

__global__ void stencil(const float *x, float *z, int height, int width)
{
    __shared__ float s[10][34];
    int tx = threadIdx.x, ty = threadIdx.y;
    int j = blockIdx.x * 32 + tx, i = blockIdx.y * 8 + ty;
    if (i < height && j < width) {
        s[ty + 1][tx + 1] = x[i * width + j];
        if (tx == 0 && j > 0)
            s[ty + 1][0] = x[i * width + j - 1];
        if (tx == 31 && j < width - 1)
            s[ty + 1][33] = x[i * width + j + 1];
        if (ty == 0 && i > 0)
            s[0][tx + 1] = x[(i - 1) * width + j];
        if (ty == 7 && i < height - 1)
            s[9][tx + 1] = x[(i + 1) * width + j];
    }
    __syncthreads();
    if (i > 0 && i < height - 1 && j > 0 && j < width - 1)
        z[i * width + j] = 0.2f * (s[ty + 1][tx + 1] + s[ty + 1][tx] + s[ty + 1][tx + 2] +
                                   s[ty][tx + 1] + s[ty + 2][tx + 1]);
}

__global__ void transpose(const float *x, float *z, int n)
{
    __shared__ float s[32][33];
    int tx = threadIdx.x, ty = threadIdx.y, column = blockIdx.x * 32, row = blockIdx.y * 32;
    for (int k = 0; k < 32; k += 8)
        s[ty + k][tx] = x[(row + ty + k) * n + column + tx];
    __syncthreads();
    for (int k = 0; k < 32; k += 8)
        z[(column + ty + k) * n + row + tx] = s[tx][ty + k];
}

__global__ void histogram(const unsigned char *x, int *counts, int n)
{
    __shared__ int own[256];
    own[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        atomicAdd(&own[x[i]], 1);
    __syncthreads();
    atomicAdd(&counts[threadIdx.x], own[threadIdx.x]);
}

__global__ void mandelbrot(int *out, int height, int width, int limit)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    float c_real = -2.0f + 3.0f * j / width, c_imaginary = -1.5f + 3.0f * i / height;
    float real = 0, imaginary = 0;
    int step = 0;
    while (step < limit && real * real + imaginary * imaginary < 4.0f) {
        float next = real * real - imaginary * imaginary + c_real;
        imaginary = 2 * real * imaginary + c_imaginary;
        real = next;
        ++step;
    }
    out[i * width + j] = step;
}

__global__ void nbody(const float *bodies, float *pulls, int n)
{
    __shared__ float s[4][256];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    float x = bodies[i], y = bodies[n + i], z = bodies[2 * n + i];
    float pull_x = 0, pull_y = 0, pull_z = 0;
    for (int start = 0; start < n; start += 256) {
        for (int part = 0; part < 4; ++part)
            s[part][t] = bodies[part * n + start + t];
        __syncthreads();
        for (int j = 0; j < 256; ++j) {
            float dx = s[0][j] - x, dy = s[1][j] - y, dz = s[2][j] - z;
            float inverse = 1.0f / sqrtf(dx * dx + dy * dy + dz * dz + 1e-4f);
            float strength = s[3][j] * inverse * inverse * inverse;
            pull_x += dx * strength;
            pull_y += dy * strength;
            pull_z += dz * strength;
        }
        __syncthreads();
    }
    pulls[i] = pull_x;
    pulls[n + i] = pull_y;
    pulls[2 * n + i] = pull_z;
}

__global__ void spmv(const int *starts, const int *columns, const float *values, const float *x,
                     float *y, int rows)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows) {
        float total = 0;
        for (int k = starts[row]; k < starts[row + 1]; ++k)
            total += values[k] * x[columns[k]];
        y[row] = total;
    }
}

__global__ void empty()
{
}
