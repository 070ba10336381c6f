// A thread for each element, as written by hand: the counterparts of elementwise.py.

extern "C" __global__ void saxpy(float a, const float* x, const float* y, float* out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a * x[i] + y[i];
}

__device__ double normal_distribution(double d)
{
    double k = 1.0 / (1.0 + 0.2316419 * fabs(d));
    double poly =
        k * (0.31938153 +
             k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))));
    double value = 0.39894228040143267794 * exp(-0.5 * d * d) * poly;
    return d > 0 ? 1.0 - value : value;
}

extern "C" __global__ void black_scholes(const double* price, const double* strike,
                                         const double* years, double rate, double volatility,
                                         double* call, double* put, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double s = price[i], k = strike[i], t = years[i];
    double root = sqrt(t);
    double d1 = (log(s / k) + (rate + 0.5 * volatility * volatility) * t) / (volatility * root);
    double d2 = d1 - volatility * root;
    double n1 = normal_distribution(d1), n2 = normal_distribution(d2);
    double discount = exp(-rate * t);
    call[i] = s * n1 - k * discount * n2;
    put[i] = k * discount * (1.0 - n2) - s * (1.0 - n1);
}

extern "C" __global__ void gather(const float* x, const int* index, float* out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = x[index[i]];
}

extern "C" __global__ void shifted(const float* x, int offset, float* out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = 2 * x[i + offset] + x[i];
}

extern "C" __global__ void grey(const unsigned char* image, unsigned char* out, int width,
                                int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) {
        const unsigned char* p = image + 3 * (y * width + x);
        out[y * width + x] = (77 * p[0] + 150 * p[1] + 29 * p[2]) >> 8;
    }
}

__device__ int escape(double cx, double cy, int limit)
{
    double x = 0, y = 0;
    for (int i = 0; i < limit; i++) {
        double next = x * x - y * y + cx;
        y = 2 * x * y + cy;
        x = next;
        if (x * x + y * y >= 4) return i;
    }
    return limit;
}

extern "C" __global__ void mandelbrot(double left, double right, double low, double high,
                                      int limit, unsigned char* image, int columns, int rows)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < columns && y < rows) {
        double real = left + x * (right - left) / columns;
        double imag = low + y * (high - low) / rows;
        image[y * columns + x] = escape(real, imag, limit);
    }
}

extern "C" __global__ void asian_option(const unsigned long long* seeds, int steps, double drift,
                                        double sigma, double* out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        unsigned long long state = seeds[i];
        double price = 100, total = 0;
        for (int s = 0; s < steps; s++) {
            state = state * 6364136223846793005ull + 1442695040888963407ull;
            double u = (double)(state >> 11) / 9007199254740992.0;
            price *= exp(drift + sigma * (2 * u - 1));
            total += price;
        }
        out[i] = fmax(total / steps - 100, 0.0);
    }
}

extern "C" __global__ void gelu(const float* x, float* out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float v = x[i];
        float inner = 0.7978845608f * (v + 0.044715f * v * v * v);
        out[i] = 0.5f * v * (1 + tanhf(inner));
    }
}
