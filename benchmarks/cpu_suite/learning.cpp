// Hand-written C++ for learning.cu: rows or runs of points over the cores.
#include <cmath>
#include <cstdint>

#include <immintrin.h>

extern "C" {

void softmax(const float* x, float* y, int columns, int rows) {
#pragma omp parallel for schedule(static)
    for (int i = 0; i < rows; ++i) {
        const float* row = x + std::int64_t{i} * columns;
        float* out = y + std::int64_t{i} * columns;
        float highest = row[0], sum = 0;
#pragma omp simd reduction(max : highest)
        for (int j = 0; j < columns; ++j) highest = row[j] > highest ? row[j] : highest;
#pragma omp simd reduction(+ : sum)
        for (int j = 0; j < columns; ++j) {
            out[j] = expf(row[j] - highest);
            sum += out[j];
        }
        const float scale = 1.0f / sum;
#pragma omp simd
        for (int j = 0; j < columns; ++j) out[j] *= scale;
    }
}

// Halves by the conversion instructions, eight at a time.
void layer_norm(const __m128i* x, const __m128i* gain, const __m128i* bias, __m128i* y, int columns,
                float epsilon, int rows) {
    const int runs = columns / 8;
#pragma omp parallel for schedule(static)
    for (int i = 0; i < rows; ++i) {
        const __m128i* row = x + std::int64_t{i} * runs;
        __m256 sums = _mm256_setzero_ps(), squares = sums;
        for (int j = 0; j < runs; ++j) {
            const __m256 v = _mm256_cvtph_ps(row[j]);
            sums = _mm256_add_ps(sums, v);
            squares = _mm256_fmadd_ps(v, v, squares);
        }
        float sum = 0, square = 0;
        for (int k = 0; k < 8; ++k) sum += sums[k], square += squares[k];
        const float mean = sum / columns;
        const float scale = 1.0f / sqrtf(square / columns - mean * mean + epsilon);
        for (int j = 0; j < runs; ++j) {
            const __m256 v = (_mm256_cvtph_ps(row[j]) - mean) * scale;
            const __m256 z = _mm256_fmadd_ps(v, _mm256_cvtph_ps(gain[j]), _mm256_cvtph_ps(bias[j]));
            y[std::int64_t{i} * runs + j] = _mm256_cvtps_ph(z, _MM_FROUND_TO_NEAREST_INT);
        }
    }
}

// Sixteen points at a time, turned to structs of arrays in registers.
void nearest_centre(const float* points, const float* centres, int* nearest, std::int64_t n) {
    constexpr int kLanes = 32, kCentres = 32;
#pragma omp parallel for schedule(static)
    for (std::int64_t first = 0; first < n; first += kLanes) {
        float x[4][kLanes], best[kLanes];
        int which[kLanes];
        for (int k = 0; k < kLanes; ++k) {
            for (int d = 0; d < 4; ++d) x[d][k] = points[(first + k) * 4 + d];
            best[k] = 1e30f;
            which[k] = 0;
        }
        for (int c = 0; c < kCentres; ++c) {
            const float* centre = centres + 4 * c;
#pragma omp simd
            for (int k = 0; k < kLanes; ++k) {
                const float a = x[0][k] - centre[0], b = x[1][k] - centre[1];
                const float e = x[2][k] - centre[2], f = x[3][k] - centre[3];
                const float distance = a * a + b * b + e * e + f * f;
                which[k] = distance < best[k] ? c : which[k];
                best[k] = distance < best[k] ? distance : best[k];
            }
        }
        for (int k = 0; k < kLanes; ++k) nearest[first + k] = which[k];
    }
}

}  // extern "C"
