// Hand-written C++ for images.cu: rows over the cores, pixels of a row side by side.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

constexpr int kRadius = 8;
constexpr float kFilter[2 * kRadius + 1] = {0.0041f, 0.0105f, 0.0228f, 0.0424f, 0.0676f, 0.0923f,
                                            0.1081f, 0.1081f, 0.0882f, 0.1081f, 0.1081f, 0.0923f,
                                            0.0676f, 0.0424f, 0.0228f, 0.0105f, 0.0041f};

#pragma omp declare simd
inline void order(std::uint8_t& a, std::uint8_t& b) {
    const std::uint8_t low = a < b ? a : b;
    b = a < b ? b : a;
    a = low;
}

}  // namespace

extern "C" {

void convolve_rows(float* out, const float* in, int width, int height) {
#pragma omp parallel
    {
        std::vector<float> padded(width + 2 * kRadius);
#pragma omp for schedule(static)
        for (int y = 0; y < height; ++y) {
            std::memcpy(&padded[kRadius], in + std::int64_t{y} * width, 4L * width);
            const float* s = padded.data();
            float* z = out + std::int64_t{y} * width;
#pragma omp simd
            for (int x = 0; x < width; ++x) {
                float sum = 0;
#pragma GCC unroll 17
                for (int j = 0; j <= 2 * kRadius; ++j) sum += kFilter[j] * s[x + j];
                z[x] = sum;
            }
        }
    }
}

// Columns of 64 pixels stay in registers while the filter runs down the rows.
void convolve_columns(float* out, const float* in, int width, int height) {
    constexpr int kColumns = 64;
#pragma omp parallel for schedule(static)
    for (int y = 0; y < height; ++y) {
        const int first = std::max(-kRadius, -y), last = std::min(kRadius, height - 1 - y);
        for (int x = 0; x < width; x += kColumns) {
            float sum[kColumns] = {};
            for (int j = first; j <= last; ++j) {
                const float* row = in + std::int64_t{y + j} * width + x;
                const float weight = kFilter[kRadius - j];
#pragma omp simd
                for (int k = 0; k < kColumns; ++k) sum[k] += weight * row[k];
            }
            std::memcpy(out + std::int64_t{y} * width + x, sum, sizeof sum);
        }
    }
}

void median3x3(const std::uint8_t* in, std::uint8_t* out, int width, int height) {
#pragma omp parallel for schedule(static)
    for (int y = 1; y < height - 1; ++y) {
        const std::uint8_t* row = in + std::int64_t{y} * width;
        std::uint8_t* z = out + std::int64_t{y} * width;
#pragma omp simd
        for (int x = 1; x < width - 1; ++x) {
            std::uint8_t a = row[x - width - 1], b = row[x - width], c = row[x - width + 1];
            std::uint8_t d = row[x - 1], e = row[x], f = row[x + 1];
            std::uint8_t g = row[x + width - 1], h = row[x + width], k = row[x + width + 1];
            order(b, c), order(e, f), order(h, k), order(a, b), order(d, e), order(g, h);
            order(b, c), order(e, f), order(h, k), order(a, d), order(f, k), order(e, h);
            order(d, g), order(b, e), order(c, f), order(e, h), order(e, c), order(g, e);
            order(e, c);
            z[x] = e;
        }
    }
}

void sobel(const std::uint8_t* in, std::uint8_t* out, int width, int height) {
#pragma omp parallel for schedule(static)
    for (int y = 1; y < height - 1; ++y) {
        const std::uint8_t* row = in + std::int64_t{y} * width;
        std::uint8_t* z = out + std::int64_t{y} * width;
#pragma omp simd
        for (int x = 1; x < width - 1; ++x) {
            const std::int16_t a = row[x - width - 1], b = row[x - width], c = row[x - width + 1];
            const std::int16_t d = row[x - 1], f = row[x + 1];
            const std::int16_t g = row[x + width - 1], h = row[x + width], k = row[x + width + 1];
            const std::int16_t across = c + 2 * f + k - a - 2 * d - g;
            const std::int16_t down = g + 2 * h + k - a - 2 * b - c;
            const std::int16_t total = (std::abs(across) + std::abs(down)) / 2;
            z[x] = total > 255 ? 255 : total;
        }
    }
}

// The weights of one neighbour for a whole row at a time; borders are repeated in a copy.
void bilateral(const float* in, float* out, int width, int height, float space, float range) {
#pragma omp parallel
    {
        std::vector<float> total(width), weights(width), padded(width + 4);
#pragma omp for schedule(static)
        for (int y = 0; y < height; ++y) {
            const float* centre = in + std::int64_t{y} * width;
            std::fill(total.begin(), total.end(), 0.0f);
            std::fill(weights.begin(), weights.end(), 0.0f);
            for (int dy = -2; dy <= 2; ++dy) {
                const float* row = in + std::int64_t{std::clamp(y + dy, 0, height - 1)} * width;
                std::copy(row, row + width, &padded[2]);
                padded[0] = padded[1] = row[0];
                padded[width + 2] = padded[width + 3] = row[width - 1];
                for (int dx = -2; dx <= 2; ++dx) {
                    const float* value = &padded[2 + dx];
                    const float far = static_cast<float>(dx * dx + dy * dy) * space;
                    float *sum = total.data(), *of = weights.data();
#pragma omp simd
                    for (int x = 0; x < width; ++x) {
                        const float d = value[x] - centre[x];
                        const float w = expf(-far - d * d * range);
                        sum[x] += w * value[x];
                        of[x] += w;
                    }
                }
            }
            float* z = out + std::int64_t{y} * width;
            for (int x = 0; x < width; ++x) z[x] = total[x] / weights[x];
        }
    }
}

}  // extern "C"
