// Hand-written C++ for tensors.cu: loops over rows, so that no index is divided.
#include <algorithm>
#include <cstdint>

extern "C" {

void blur(float* out, const float* in, int w, int h) {
#pragma omp parallel for schedule(static)
    for (int y = 0; y < h; ++y) {
        const float* rows[3];
        for (int d = 0; d < 3; ++d)
            rows[d] = in + std::clamp(y + d - 1, 0, h - 1) * std::int64_t{w};
        float* const row = out + y * std::int64_t{w};
        const auto border = [&](int x) {
            float sum = 0;
            for (const float* one : rows) {
                for (int d = -1; d <= 1; ++d) sum += one[std::clamp(x + d, 0, w - 1)];
            }
            row[x] = sum / 9.0f;
        };
        border(0);
#pragma omp simd
        for (int x = 1; x < w - 1; ++x) {
            float sum = 0;
            for (const float* one : rows) sum += one[x - 1] + one[x] + one[x + 1];
            row[x] = sum / 9.0f;
        }
        border(w - 1);
    }
}

void laplacian(float* out, const float* in, int w, int h) {
#pragma omp parallel for schedule(static)
    for (int y = 0; y < h; ++y) {
        float* const row = out + y * std::int64_t{w};
        const float* const from = in + y * std::int64_t{w};
        if (y == 0 || y == h - 1) {
            std::fill_n(row, w, 0.0f);
            continue;
        }
        row[0] = row[w - 1] = 0;
#pragma omp simd
        for (int x = 1; x < w - 1; ++x) {
            row[x] = from[x - 1] + from[x + 1] + from[x - w] + from[x + w] - 4 * from[x];
        }
    }
}

void channels(float* out, const float* in, const float* scale, const float* shift, int c, int hw,
              int n) {
#pragma omp parallel for schedule(static)
    for (int plane = 0; plane < n / hw; ++plane) {
        const float a = scale[plane % c], b = shift[plane % c];
        const std::int64_t first = plane * std::int64_t{hw};
#pragma omp simd
        for (int p = 0; p < hw; ++p) out[first + p] = in[first + p] * a + b;
    }
}

// Writes neighbours, reads planes.
void nchw_to_nhwc(float* out, const float* in, int c, int hw, int n) {
#pragma omp parallel for schedule(static)
    for (int b = 0; b < n / (c * hw); ++b) {
        const std::int64_t first = b * std::int64_t{c} * hw;
        for (int p = 0; p < hw; ++p) {
            for (int k = 0; k < c; ++k) {
                out[first + p * std::int64_t{c} + k] = in[first + k * std::int64_t{hw} + p];
            }
        }
    }
}

// Reads neighbours, writes pixels.
void nchw_to_nhwc_by_planes(float* out, const float* in, int c, int hw, int n) {
#pragma omp parallel for schedule(static)
    for (int b = 0; b < n / (c * hw); ++b) {
        const std::int64_t first = b * std::int64_t{c} * hw;
        for (int k = 0; k < c; ++k) {
            for (int p = 0; p < hw; ++p) {
                out[first + p * std::int64_t{c} + k] = in[first + k * std::int64_t{hw} + p];
            }
        }
    }
}

void upsample(float* out, const float* in, int w, int h) {
#pragma omp parallel for schedule(static)
    for (int y = 0; y < 2 * h; ++y) {
        float* const row = out + y * std::int64_t{2} * w;
        const float* const from = in + y / 2 * std::int64_t{w};
#pragma omp simd
        for (int x = 0; x < w; ++x) row[2 * x] = row[2 * x + 1] = from[x];
    }
}

void im2col(float* out, const float* in, int w, int ow, int oh) {
#pragma omp parallel for collapse(2) schedule(static)
    for (int k = 0; k < 9; ++k) {
        for (int y = 0; y < oh; ++y) {
            float* const row = out + (k * std::int64_t{oh} + y) * ow;
            const float* const from = in + (y + k / 3) * std::int64_t{w} + k % 3;
            std::copy_n(from, ow, row);
        }
    }
}

void softmax_gradient(float* out, const float* y, const float* g, const float* dot, int columns,
                      int n) {
#pragma omp parallel for schedule(static)
    for (int row = 0; row < n / columns; ++row) {
        const float d = dot[row];
        const std::int64_t first = row * std::int64_t{columns};
#pragma omp simd
        for (int x = 0; x < columns; ++x) out[first + x] = y[first + x] * (g[first + x] - d);
    }
}
}
