// Hand-written C++ for each work of the CPU benchmark: OpenMP over the
// cores, `omp simd` within, blocks that fit registers or cache. Compiled with
// -O3 -march=native -ffast-math: the reference may do what a kernel under CUDA's rules may not.
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include <omp.h>

namespace {

constexpr int kTile = 16;

struct alignas(64) Counts {
    int of[4][256];  // four tables: equal neighbours do not wait for each other's store
};

}  // namespace

extern "C" {

void saxpy(float a, const float* x, const float* y, float* z, std::int64_t n) {
#pragma omp parallel for simd schedule(static)
    for (std::int64_t i = 0; i < n; ++i) z[i] = a * x[i] + y[i];
}

void chain(const float* x, const float* y, float* z, std::int64_t n) {
#pragma omp parallel for simd schedule(static)
    for (std::int64_t i = 0; i < n; ++i) {
        z[i] = 5.0f * x[i] + 6.0f * y[i] - sinf(x[i]) * sqrtf(y[i]);
    }
}

void sum(const float* x, float* result, std::int64_t n) {
    float total = 0;
#pragma omp parallel for simd reduction(+ : total) schedule(static)
    for (std::int64_t i = 0; i < n; ++i) total += x[i];
    *result = total;
}

// Two sweeps: the sum of each thread's part, then every part from the sum of the preceding ones.
void scan(const float* x, float* z, std::int64_t n) {
    std::vector<float> part(static_cast<std::size_t>(omp_get_max_threads()) + 1, 0.0f);
#pragma omp parallel
    {
        const int threads = omp_get_num_threads();
        const int own = omp_get_thread_num();
        const std::int64_t begin = n * own / threads;
        const std::int64_t end = n * (own + 1) / threads;
        float total = 0;
#pragma omp simd reduction(+ : total)
        for (std::int64_t i = begin; i < end; ++i) total += x[i];
        part[own + 1] = total;
#pragma omp barrier
        float running = 0;
        for (int before = 0; before <= own; ++before) running += part[before];
        for (std::int64_t i = begin; i < end; ++i) {
            running += x[i];
            z[i] = running;
        }
    }
}

// The loops of the tiled kernel: tiles of a and b staged next to each other, one tile of c a time.
void matmul(const float* a, const float* b, float* c, int n) {
#pragma omp parallel for collapse(2) schedule(static)
    for (int row = 0; row < n; row += kTile) {
        for (int column = 0; column < n; column += kTile) {
            alignas(64) float left[kTile][kTile];
            alignas(64) float right[kTile][kTile];
            alignas(64) float total[kTile][kTile] = {};
            for (int step = 0; step < n; step += kTile) {
                for (int i = 0; i < kTile; ++i) {
                    std::memcpy(left[i], a + std::int64_t{row + i} * n + step, sizeof left[i]);
                    std::memcpy(right[i], b + std::int64_t{step + i} * n + column, sizeof right[i]);
                }
                for (int k = 0; k < kTile; ++k) {
                    for (int i = 0; i < kTile; ++i) {
                        const float factor = left[i][k];
#pragma omp simd
                        for (int j = 0; j < kTile; ++j) total[i][j] += factor * right[k][j];
                    }
                }
            }
            for (int i = 0; i < kTile; ++i) {
                std::memcpy(c + std::int64_t{row + i} * n + column, total[i], sizeof total[i]);
            }
        }
    }
}

void stencil(const float* x, float* z, int height, int width) {
#pragma omp parallel for schedule(static)
    for (int i = 1; i < height - 1; ++i) {
        const float* above = x + std::int64_t{i - 1} * width;
        const float* here = above + width;
        const float* below = here + width;
        float* out = z + std::int64_t{i} * width;
#pragma omp simd
        for (int j = 1; j < width - 1; ++j) {
            out[j] = 0.2f * (here[j] + here[j - 1] + here[j + 1] + above[j] + below[j]);
        }
    }
}

void transpose(const float* x, float* z, int n) {
    constexpr int kBlock = 32;
#pragma omp parallel for collapse(2) schedule(static)
    for (int row = 0; row < n; row += kBlock) {
        for (int column = 0; column < n; column += kBlock) {
            for (int i = row; i < row + kBlock; ++i) {
                for (int j = column; j < column + kBlock; ++j) {
                    z[std::int64_t{j} * n + i] = x[std::int64_t{i} * n + j];
                }
            }
        }
    }
}

void histogram(const std::uint8_t* x, int* counts, std::int64_t n) {
#pragma omp parallel
    {
        Counts own{};
#pragma omp for schedule(static)
        for (std::int64_t i = 0; i < n; i += 4) {
            for (int table = 0; table < 4; ++table) ++own.of[table][x[i + table]];
        }
#pragma omp critical
        for (int k = 0; k < 256; ++k) {
            counts[k] += own.of[0][k] + own.of[1][k] + own.of[2][k] + own.of[3][k];
        }
    }
}

// Sixteen points at a time until none of them is active.
void mandelbrot(int* out, int height, int width, int limit) {
    constexpr int kLanes = 16;
#pragma omp parallel for schedule(dynamic, 4)
    for (int i = 0; i < height; ++i) {
        const float c_imaginary = -1.5f + 3.0f * static_cast<float>(i) / static_cast<float>(height);
        for (int start = 0; start < width; start += kLanes) {
            float real[kLanes] = {};
            float imaginary[kLanes] = {};
            float c_real[kLanes];
            int steps[kLanes] = {};
            for (int j = 0; j < kLanes; ++j) {
                c_real[j] =
                    -2.0f + 3.0f * static_cast<float>(start + j) / static_cast<float>(width);
            }
            for (int step = 0; step < limit; ++step) {
                int alive = 0;
#pragma omp simd reduction(+ : alive)
                for (int j = 0; j < kLanes; ++j) {
                    const float r = real[j];
                    const float m = imaginary[j];
                    const int goes_on = r * r + m * m < 4.0f;
                    real[j] = goes_on ? r * r - m * m + c_real[j] : r;
                    imaginary[j] = goes_on ? 2.0f * r * m + c_imaginary : m;
                    steps[j] += goes_on;
                    alive += goes_on;
                }
                if (alive == 0) break;
            }
            std::memcpy(out + std::int64_t{i} * width + start, steps, sizeof steps);
        }
    }
}

// `bodies` holds n times x, then y, z and mass; `pulls` the three components likewise.
void nbody(const float* bodies, float* pulls, int n) {
    const float* x = bodies;
    const float* y = bodies + n;
    const float* z = bodies + 2 * n;
    const float* mass = bodies + 3 * n;
#pragma omp parallel for schedule(static)
    for (int i = 0; i < n; ++i) {
        float pull_x = 0;
        float pull_y = 0;
        float pull_z = 0;
#pragma omp simd reduction(+ : pull_x, pull_y, pull_z)
        for (int j = 0; j < n; ++j) {
            const float dx = x[j] - x[i];
            const float dy = y[j] - y[i];
            const float dz = z[j] - z[i];
            const float inverse = 1.0f / sqrtf(dx * dx + dy * dy + dz * dz + 1e-4f);
            const float strength = mass[j] * inverse * inverse * inverse;
            pull_x += dx * strength;
            pull_y += dy * strength;
            pull_z += dz * strength;
        }
        pulls[i] = pull_x;
        pulls[n + i] = pull_y;
        pulls[2 * n + i] = pull_z;
    }
}

void spmv(const int* starts, const int* columns, const float* values, const float* x, float* y,
          int rows) {
#pragma omp parallel for schedule(static)
    for (int row = 0; row < rows; ++row) {
        float total = 0;
        for (int k = starts[row]; k < starts[row + 1]; ++k) total += values[k] * x[columns[k]];
        y[row] = total;
    }
}

}  // extern "C"
