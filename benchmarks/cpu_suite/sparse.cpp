// Hand-written C++ for sparse.cu: rows or systems over the cores, elements side by side.
#include <atomic>
#include <cstdint>
#include <cstring>
#include <vector>

namespace {

constexpr int kLanes = 64;

}  // namespace

extern "C" {

void spmv(const int* start, const int* column, const float* value, const float* x, float* y,
          int rows) {
#pragma omp parallel for schedule(static)
    for (int row = 0; row < rows; ++row) {
        float sum = 0;
#pragma omp simd reduction(+ : sum)
        for (int j = start[row]; j < start[row + 1]; ++j) sum += value[j] * x[column[j]];
        y[row] = sum;
    }
}

void spmv_scalar(const int* start, const int* column, const float* value, const float* x, float* y,
                 int rows) {
#pragma omp parallel for schedule(static)
    for (int row = 0; row < rows; ++row) {
        float sum = 0;
#pragma GCC novector
        for (int j = start[row]; j < start[row + 1]; ++j) sum += value[j] * x[column[j]];
        y[row] = sum;
    }
}

void gemv(const float* a, const float* x, float* y, std::int64_t columns, std::int64_t rows) {
#pragma omp parallel for schedule(static)
    for (std::int64_t row = 0; row < rows; ++row) {
        float sum = 0;
#pragma omp simd reduction(+ : sum)
        for (std::int64_t j = 0; j < columns; ++j) sum += a[row * columns + j] * x[j];
        y[row] = sum;
    }
}

// The ends of each thread's finds are kept to itself until it has a hundred.
void expand_frontier(const std::uint32_t* start, const std::uint32_t* neighbour,
                     const std::uint32_t* frontier, int size, std::uint32_t* seen,
                     std::uint32_t* next, std::uint32_t* count) {
#pragma omp parallel
    {
        std::uint32_t own[128];
        int found = 0;
        auto append = [&] {
            std::uint32_t at = std::atomic_ref(*count).fetch_add(found, std::memory_order_relaxed);
            std::memcpy(next + at, own, 4L * found);
            found = 0;
        };
#pragma omp for schedule(static)
        for (int i = 0; i < size; ++i) {
            const std::uint32_t v = frontier[i];
            for (std::uint32_t k = start[v]; k < start[v + 1]; ++k) {
                std::atomic_ref mark(seen[neighbour[k]]);
                if (mark.load(std::memory_order_relaxed) != 0) continue;
                if (mark.exchange(1, std::memory_order_relaxed) != 0) continue;
                own[found++] = neighbour[k];
                if (found == 128) append();
            }
        }
        append();
    }
}

void tridiagonal(const float* lower, const float* diagonal, const float* upper, const float* right,
                 float* scratch, float* x, int systems, int n) {
#pragma omp parallel for schedule(static)
    for (int first = 0; first < systems; first += kLanes) {
        float c[kLanes] = {}, d[kLanes] = {};
        for (int i = 0; i < n; ++i) {
            const std::int64_t at = std::int64_t{i} * systems + first;
#pragma omp simd
            for (int k = 0; k < kLanes; ++k) {
                const float low = i > 0 ? lower[at + k] : 0.0f;
                const float scale = 1.0f / (diagonal[at + k] - low * c[k]);
                scratch[at + k] = c[k] = upper[at + k] * scale;
                x[at + k] = d[k] = (right[at + k] - low * d[k]) * scale;
            }
        }
        for (int i = n - 2; i >= 0; --i) {
            const std::int64_t at = std::int64_t{i} * systems + first;
#pragma omp simd
            for (int k = 0; k < kLanes; ++k) {
                x[at + k] = d[k] = x[at + k] - scratch[at + k] * d[k];
            }
        }
    }
}

void lu_16(const float* in, float* out, std::int64_t matrices) {
#pragma omp parallel for schedule(static)
    for (std::int64_t matrix = 0; matrix < matrices; ++matrix) {
        alignas(64) float m[16][16];
        std::memcpy(m, in + matrix * 256, sizeof m);
        for (int k = 0; k < 15; ++k) {
            const float inverse = 1.0f / m[k][k];
            for (int i = k + 1; i < 16; ++i) {
                const float factor = m[i][k] * inverse;
#pragma omp simd
                for (int j = 0; j < 16; ++j) m[i][j] -= j > k ? factor * m[k][j] : 0.0f;
                m[i][k] = factor;
            }
        }
        std::memcpy(out + matrix * 256, m, sizeof m);
    }
}

void solve_triangle(const float* triangle, const float* right, float* x, int sides) {
#pragma omp parallel for schedule(static)
    for (int first = 0; first < sides; first += kLanes) {
        alignas(64) float solved[64][kLanes];
        for (int i = 0; i < 64; ++i) {
            float sum[kLanes];
            std::memcpy(sum, right + std::int64_t{i} * sides + first, sizeof sum);
            for (int j = 0; j < i; ++j) {
                const float factor = triangle[i * 64 + j];
#pragma omp simd
                for (int k = 0; k < kLanes; ++k) sum[k] -= factor * solved[j][k];
            }
            const float inverse = 1.0f / triangle[i * 64 + i];
#pragma omp simd
            for (int k = 0; k < kLanes; ++k) solved[i][k] = sum[k] * inverse;
            std::memcpy(x + std::int64_t{i} * sides + first, solved[i], sizeof solved[i]);
        }
    }
}

}  // extern "C"
