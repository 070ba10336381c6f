// Streams whose index is written in every type that users take for it.

__global__ void saxpy_unsigned(float a, const float *x, const float *y, float *z, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        z[i] = a * x[i] + y[i];
}

__global__ void saxpy_size_t(float a, const float *x, const float *y, float *z, size_t n)
{
    size_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    z[i] = a * x[i] + y[i];
}

__global__ void polynomial(const float *x, float *y, size_t n)
{
    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        float v = x[i];
        y[i] = 1.0f + v * (0.5f + v * (0.25f + v * 0.125f));
    }
}

// Two elements a thread, half a tile apart, without a guard: the grid fits the data.
__global__ void difference(const float *x, float *low, float *high)
{
    unsigned i = blockIdx.x * (blockDim.x * 2) + threadIdx.x;
    unsigned o = blockIdx.x * blockDim.x + threadIdx.x;
    float a = x[i], b = x[i + blockDim.x];
    low[o] = a + b;
    high[o] = a - b;
}

__device__ float normal_cdf(float d)
{
    const float a1 = 0.31938153f, a2 = -0.356563782f, a3 = 1.781477937f, a4 = -1.821255978f,
                a5 = 1.330274429f;
    float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
    float c = 0.39894228f * expf(-0.5f * d * d) *
              (k * (a1 + k * (a2 + k * (a3 + k * (a4 + k * a5)))));
    return d > 0 ? 1.0f - c : c;
}

__global__ void black_scholes(const float *price, const float *strike, const float *years,
                              float *call, float *put, float rate, float volatility, unsigned n)
{
    const unsigned i = blockDim.x * blockIdx.x + threadIdx.x;
    if (i < n) {
        float s = price[i], x = strike[i], t = years[i];
        float root = sqrtf(t);
        float d1 = (logf(s / x) + (rate + 0.5f * volatility * volatility) * t) /
                   (volatility * root);
        float d2 = d1 - volatility * root;
        float c1 = normal_cdf(d1), c2 = normal_cdf(d2);
        float discount = expf(-rate * t);
        call[i] = s * c1 - x * discount * c2;
        put[i] = x * discount * (1.0f - c2) - s * (1.0f - c1);
    }
}
