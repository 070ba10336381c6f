// Hand-written C++ for indices.cu: one loop over the elements each.
#include <cmath>
#include <cstdint>

namespace {

float normal_cdf(float d) {
    const float k = 1.0f / (1.0f + 0.2316419f * std::fabs(d));
    const float series =
        k * (0.31938153f +
             k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
    const float c = 0.39894228f * expf(-0.5f * d * d) * series;
    return d > 0 ? 1.0f - c : c;
}

}  // namespace

extern "C" {

void saxpy(float a, const float* x, const float* y, float* z, std::int64_t n) {
#pragma omp parallel for simd schedule(static)
    for (std::int64_t i = 0; i < n; ++i) z[i] = a * x[i] + y[i];
}

void polynomial(const float* x, float* y, std::int64_t n) {
#pragma omp parallel for simd schedule(static)
    for (std::int64_t i = 0; i < n; ++i) {
        const float v = x[i];
        y[i] = 1.0f + v * (0.5f + v * (0.25f + v * 0.125f));
    }
}

void difference(const float* x, float* low, float* high, std::int64_t n) {
    constexpr int kBlock = 256;
#pragma omp parallel for schedule(static)
    for (std::int64_t start = 0; start < n; start += kBlock) {
        const float* a = x + 2 * start;
#pragma omp simd
        for (int i = 0; i < kBlock; ++i) {
            low[start + i] = a[i] + a[kBlock + i];
            high[start + i] = a[i] - a[kBlock + i];
        }
    }
}

void black_scholes(const float* price, const float* strike, const float* years, float* call,
                   float* put, float rate, float volatility, std::int64_t n) {
#pragma omp parallel for simd schedule(static)
    for (std::int64_t i = 0; i < n; ++i) {
        const float s = price[i], x = strike[i], t = years[i];
        const float root = sqrtf(t);
        const float d1 =
            (logf(s / x) + (rate + 0.5f * volatility * volatility) * t) / (volatility * root);
        const float c1 = normal_cdf(d1), c2 = normal_cdf(d1 - volatility * root);
        const float discount = expf(-rate * t);
        call[i] = s * c1 - x * discount * c2;
        put[i] = x * discount * (1.0f - c2) - s * (1.0f - c1);
    }
}

}  // extern "C"
