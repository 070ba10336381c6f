// Hand-written C++ for items.cu: loops over elements that the compiler vectorises.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace {

// `Real` is float or double; a charge is a place and an amount.
template <class Real>
void potential_of(const Real* charge, const Real* x, const Real* y, const Real* z, Real* out,
                  int charges, std::int64_t n) {
    constexpr int kLanes = 64;
#pragma omp parallel for schedule(static)
    for (std::int64_t first = 0; first < n; first += kLanes) {
        Real sum[kLanes] = {};
        for (int j = 0; j < charges; ++j) {
            const Real* q = charge + 4 * j;
#pragma omp simd
            for (int l = 0; l < kLanes; ++l) {
                const Real dx = q[0] - x[first + l], dy = q[1] - y[first + l],
                           dz = q[2] - z[first + l];
                sum[l] += q[3] / std::sqrt(dx * dx + dy * dy + dz * dz + Real(1e-6));
            }
        }
        for (int l = 0; l < kLanes; ++l) out[first + l] = sum[l];
    }
}

}  // namespace

extern "C" {

void gelu(const float* x, float* y, std::int64_t n) {
#pragma omp parallel for simd schedule(static)
    for (std::int64_t i = 0; i < n; ++i) {
        const float v = x[i];
        y[i] = 0.5F * v * (1 + std::tanh(0.7978846F * (v + 0.044715F * v * v * v)));
    }
}

void grey(const std::uint8_t* rgb, std::uint8_t* out, std::int64_t n) {
#pragma omp parallel for simd schedule(static)
    for (std::int64_t i = 0; i < n; ++i) {
        out[i] = static_cast<std::uint8_t>(
            (77 * rgb[3 * i] + 150 * rgb[3 * i + 1] + 29 * rgb[3 * i + 2]) >> 8);
    }
}

void axpy_pairs(const double* x, double* y, double a, std::int64_t n) {
#pragma omp parallel for simd schedule(static)
    for (std::int64_t i = 0; i < n; ++i) y[i] += a * x[i];
}

void row_products(const float* a, const float* b, float* out, std::int64_t width,
                  std::int64_t rows) {
#pragma omp parallel for schedule(static)
    for (std::int64_t row = 0; row < rows; ++row) {
        float sum = 0;
#pragma omp simd reduction(+ : sum)
        for (std::int64_t k = 0; k < width; ++k) sum += a[row * width + k] * b[row * width + k];
        out[row] = sum;
    }
}

// What `blocks` blocks of 256 threads find: each takes every `blocks`-th run of 256 elements.
void maxima(const float* a, float* out, std::int64_t n, std::int64_t blocks) {
#pragma omp parallel for schedule(static)
    for (std::int64_t block = 0; block < blocks; ++block) {
        float greatest = -std::numeric_limits<float>::max();
        for (std::int64_t first = block * 256; first < n; first += blocks * 256) {
#pragma omp simd reduction(max : greatest)
            for (std::int64_t i = first; i < first + 256; ++i) {
                greatest = a[i] > greatest ? a[i] : greatest;
            }
        }
        out[block] = greatest;
    }
}

void potential(const float* charge, const float* x, const float* y, const float* z, float* out,
               int charges, std::int64_t n) {
    potential_of(charge, x, y, z, out, charges, n);
}

void potential_double(const double* charge, const double* x, const double* y, const double* z,
                      double* out, int charges, std::int64_t n) {
    potential_of(charge, x, y, z, out, charges, n);
}

}  // extern "C"
