// The works of arrays.py by hand, for the CPU: one loop each, vectorised by the compiler, shared by
// OpenMP's threads. Built by arrays_cpu.py.
#include <cmath>
#include <cstddef>

namespace {

// As ww.sum adds: in blocks, so that large sums stay right.
constexpr std::ptrdiff_t kBlock = 4096;

template <class At>
double sum_of(std::ptrdiff_t n, At&& at) {
    double total = 0;
    const std::ptrdiff_t blocks = (n + kBlock - 1) / kBlock;
#pragma omp parallel for reduction(+ : total) schedule(static)
    for (std::ptrdiff_t block = 0; block < blocks; ++block) {
        const std::ptrdiff_t end = (block + 1) * kBlock < n ? (block + 1) * kBlock : n;
        float part = 0;
#pragma omp simd reduction(+ : part)
        for (std::ptrdiff_t i = block * kBlock; i < end; ++i) part += at(i);
        total += part;
    }
    return total;
}

}  // namespace

extern "C" {

void chain(const float* x, const float* y, float* z, std::ptrdiff_t n) {
#pragma omp parallel for simd schedule(static)
    for (std::ptrdiff_t i = 0; i < n; ++i) {
        z[i] = 5 * x[i] + 6 * y[i] - std::sin(x[i]) * std::sqrt(y[i]);
    }
}

void chain_sum(const float* x, const float* y, float* result, std::ptrdiff_t n) {
    *result = static_cast<float>(sum_of(n, [&](std::ptrdiff_t i) {
        return 5 * x[i] + 6 * y[i] - std::sin(x[i]) * std::sqrt(y[i]);
    }));
}

void sum(const float* x, const float*, float* result, std::ptrdiff_t n) {
    *result = static_cast<float>(sum_of(n, [&](std::ptrdiff_t i) { return x[i]; }));
}

void dot(const float* x, const float* y, float* result, std::ptrdiff_t n) {
    *result = static_cast<float>(sum_of(n, [&](std::ptrdiff_t i) { return x[i] * y[i]; }));
}

// Two passes: the mean, then the squares of what is apart from it.
void variance(const float* x, const float*, float* result, std::ptrdiff_t n) {
    const double mean = sum_of(n, [&](std::ptrdiff_t i) { return x[i]; }) / static_cast<double>(n);
    const auto at = static_cast<float>(mean);
    const double squares = sum_of(n, [&](std::ptrdiff_t i) { return (x[i] - at) * (x[i] - at); });
    *result = static_cast<float>(squares / static_cast<double>(n));
}

void row_sums(const float* x, float* result, std::ptrdiff_t rows, std::ptrdiff_t columns) {
#pragma omp parallel for schedule(static)
    for (std::ptrdiff_t i = 0; i < rows; ++i) {
        float part = 0;
#pragma omp simd reduction(+ : part)
        for (std::ptrdiff_t j = 0; j < columns; ++j) part += x[i * columns + j];
        result[i] = part;
    }
}

// A strip of columns at a time: its sums stay in the first level of the cache.
void column_sums(const float* x, float* result, std::ptrdiff_t rows, std::ptrdiff_t columns) {
    constexpr std::ptrdiff_t kStrip = 1024;
#pragma omp parallel for schedule(static)
    for (std::ptrdiff_t first = 0; first < columns; first += kStrip) {
        const std::ptrdiff_t end = first + kStrip < columns ? first + kStrip : columns;
        for (std::ptrdiff_t j = first; j < end; ++j) result[j] = 0;
        for (std::ptrdiff_t i = 0; i < rows; ++i) {
#pragma omp simd
            for (std::ptrdiff_t j = first; j < end; ++j) result[j] += x[i * columns + j];
        }
    }
}

void minus_row_means(const float* x, float* z, std::ptrdiff_t rows, std::ptrdiff_t columns) {
#pragma omp parallel for schedule(static)
    for (std::ptrdiff_t i = 0; i < rows; ++i) {
        float part = 0;
#pragma omp simd reduction(+ : part)
        for (std::ptrdiff_t j = 0; j < columns; ++j) part += x[i * columns + j];
        const float mean = part / static_cast<float>(columns);
#pragma omp simd
        for (std::ptrdiff_t j = 0; j < columns; ++j) z[i * columns + j] = x[i * columns + j] - mean;
    }
}

void every_second(const float* x, const float* y, float* z, std::ptrdiff_t n) {
#pragma omp parallel for simd schedule(static)
    for (std::ptrdiff_t i = 0; i < n / 2; ++i) z[i] = x[2 * i] + y[2 * i];
}
}
