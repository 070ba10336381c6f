// Arithmetic at both ends of precision: axpy in halves (pairs at once), Kahan's compensated sum in
// double, double-double dot products, and modular powers by 128-bit products.
#include <cuda_fp16.h>
#include <stdint.h>

__global__ void haxpy(int n, half a, const half *x, half *y)
{
    const int start = threadIdx.x + blockDim.x * blockIdx.x;
    const int stride = blockDim.x * gridDim.x;
    const half2 *x2 = (const half2 *)x;
    half2 *y2 = (half2 *)y;
    for (int i = start; i < n / 2; i += stride) y2[i] = __hfma2(__half2half2(a), x2[i], y2[i]);
    if (start == 0 && (n & 1)) y[n - 1] = __hfma(a, x[n - 1], y[n - 1]);
}

__global__ void kahan(const double *x, int n, double *sums)
{
    double sum = 0.0, lost = 0.0;
    const int stride = blockDim.x * gridDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        const double y = __dsub_rn(x[i], lost);
        const double t = __dadd_rn(sum, y);
        lost = __dsub_rn(__dsub_rn(t, sum), y);
        sum = t;
    }
    sums[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

struct dd { double hi, lo; };

__device__ dd two_sum(double a, double b)
{
    const double s = __dadd_rn(a, b), v = __dsub_rn(s, a);
    return dd{s, __dadd_rn(__dsub_rn(a, __dsub_rn(s, v)), __dsub_rn(b, v))};
}

__device__ dd operator+(dd a, dd b)
{
    dd s = two_sum(a.hi, b.hi);
    s.lo = __dadd_rn(s.lo, __dadd_rn(a.lo, b.lo));
    return two_sum(s.hi, s.lo);
}

__device__ dd product(double a, double b)
{
    const double p = __dmul_rn(a, b);
    return dd{p, __fma_rn(a, b, -p)};
}

__global__ void exact_dot(const double *x, const double *y, int n, dd *out)
{
    __shared__ dd part[64];
    dd sum = {0, 0};
    for (int i = threadIdx.x; i < n; i += blockDim.x) sum = sum + product(x[i], y[i]);
    part[threadIdx.x] = sum;
    for (int h = 32; h; h >>= 1) {
        __syncthreads();
        if (threadIdx.x < h) part[threadIdx.x] = part[threadIdx.x] + part[threadIdx.x + h];
    }
    if (threadIdx.x == 0) *out = part[0];
}

// a * b modulo m, through the high and low halves of the product and one subtraction a bit.
__device__ uint64_t multiply_mod(uint64_t a, uint64_t b, uint64_t m)
{
    uint64_t high = __umul64hi(a, b), low = a * b;
    high %= m;
    for (int i = 0; i < 64; i++) {
        const bool over = high >> 63;
        high = (high << 1) | (low >> 63);
        low <<= 1;
        if (over || high >= m) high -= m;
    }
    return high;
}

__global__ void power_mod(const uint64_t *base, const uint64_t *exponent, const uint64_t *modulus,
                          uint64_t *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    uint64_t result = 1 % modulus[i], square = base[i] % modulus[i];
    for (uint64_t e = exponent[i]; e; e >>= 1) {
        if (e & 1) result = multiply_mod(result, square, modulus[i]);
        square = multiply_mod(square, square, modulus[i]);
    }
    out[i] = result;
}
