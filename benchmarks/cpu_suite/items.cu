// Several elements a thread, guarded one by one; and one result of a warp or a block.

__global__ void gelu(const float *x, float *y, unsigned n)
{
    unsigned start = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
#pragma unroll
    for (unsigned k = 0; k < 4; ++k)
        if (start + k < n) {
            float v = x[start + k];
            y[start + k] = 0.5f * v * (1 + tanhf(0.7978846f * (v + 0.044715f * v * v * v)));
        }
}

// Three bytes a pixel to one.
__global__ void grey(const unsigned char *rgb, unsigned char *out, int n)
{
    int start = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
    for (int k = 0; k < 4; ++k)
        if (start + k < n) {
            const unsigned char *pixel = rgb + 3 * (start + k);
            out[start + k] = (77 * pixel[0] + 150 * pixel[1] + 29 * pixel[2]) >> 8;
        }
}

__global__ void axpy_pairs(const double *x, double *y, double a, size_t n)
{
    size_t start = (blockIdx.x * (size_t)blockDim.x + threadIdx.x) * 2;
    if (start < n)
        y[start] += a * x[start];
    if (start + 1 < n)
        y[start + 1] += a * x[start + 1];
}

// One warp a row.
__global__ void row_products(const float *a, const float *b, float *out, unsigned width,
                             unsigned rows)
{
    unsigned row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    float sum = 0;
    for (unsigned k = lane; k < width; k += 32)
        sum += a[row * width + k] * b[row * width + k];
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, d);
    if (lane == 0)
        out[row] = sum;
}

__global__ void maxima(const float *a, float *out, size_t n)
{
    __shared__ float part[256];
    unsigned t = threadIdx.x;
    float greatest = -INFINITY;
    for (size_t i = blockIdx.x * 256 + t; i < n; i += gridDim.x * 256)
        greatest = fmaxf(greatest, a[i]);
    part[t] = greatest;
    __syncthreads();
    for (unsigned d = 128; d > 0; d /= 2) {
        if (t < d)
            part[t] = fmaxf(part[t], part[t + d]);
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = part[0];
}

// Charges and the places where their potential is asked for.
__global__ void potential(const float4 *charge, const float *x, const float *y, const float *z,
                          float *out, int charges, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float at_x = x[i], at_y = y[i], at_z = z[i], sum = 0;
    for (int j = 0; j < charges; ++j) {
        float4 q = charge[j];
        float dx = q.x - at_x, dy = q.y - at_y, dz = q.z - at_z;
        sum += q.w * rsqrtf(dx * dx + dy * dy + dz * dz + 1e-6f);
    }
    out[i] = sum;
}

__global__ void potential_double(const double4 *charge, const double *x, const double *y,
                                 const double *z, double *out, int charges, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double at_x = x[i], at_y = y[i], at_z = z[i], sum = 0;
    for (int j = 0; j < charges; ++j) {
        double4 q = charge[j];
        double dx = q.x - at_x, dy = q.y - at_y, dz = q.z - at_z;
        sum += q.w * rsqrt(dx * dx + dy * dy + dz * dz + 1e-6);
    }
    out[i] = sum;
}
