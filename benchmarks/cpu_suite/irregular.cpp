// Hand-written C++ for irregular.cu: vectors of elements until the last of them is done; sparse
// rows one after the other.
#include <cmath>
#include <cstdint>

namespace {

constexpr int kLanes = 16;

}  // namespace

extern "C" {

void julia(const float* start, int* steps, float c_re, float c_im, int limit, std::int64_t n) {
#pragma omp parallel for schedule(dynamic, 256)
    for (std::int64_t first = 0; first < n; first += kLanes) {
        float x[kLanes], y[kLanes];
        int count[kLanes] = {};
        for (int l = 0; l < kLanes; ++l) {
            x[l] = start[2 * (first + l)];
            y[l] = start[2 * (first + l) + 1];
        }
        for (int k = 0; k < limit; ++k) {
            int active = 0;
#pragma omp simd reduction(+ : active)
            for (int l = 0; l < kLanes; ++l) {
                const bool stays = x[l] * x[l] + y[l] * y[l] < 4;
                const float re = x[l] * x[l] - y[l] * y[l] + c_re;
                y[l] = stays ? 2 * x[l] * y[l] + c_im : y[l];
                x[l] = stays ? re : x[l];
                count[l] += stays;
                active += stays;
            }
            if (active == 0) break;
        }
        for (int l = 0; l < kLanes; ++l) steps[first + l] = count[l];
    }
}

void kepler(const float* mean, const float* eccentricity, float* anomaly, std::int64_t n) {
#pragma omp parallel for schedule(static)
    for (std::int64_t first = 0; first < n; first += kLanes) {
        const float *m = mean + first, *e = eccentricity + first;
        float *x = anomaly + first, step[kLanes];
#pragma omp simd
        for (int l = 0; l < kLanes; ++l) {
            x[l] = m[l] + e[l] * std::sin(m[l]);
            step[l] = 1;
        }
        for (int k = 0; k < 30; ++k) {
            int active = 0;
#pragma omp simd reduction(+ : active)
            for (int l = 0; l < kLanes; ++l) {
                const bool goes_on = std::fabs(step[l]) > 1e-6F;
                const float next =
                    (x[l] - e[l] * std::sin(x[l]) - m[l]) / (1 - e[l] * std::cos(x[l]));
                step[l] = goes_on ? next : step[l];
                x[l] -= goes_on ? next : 0;
                active += goes_on;
            }
            if (active == 0) break;
        }
    }
}

void pagerank(const int* start, const int* from, const float* rank, const float* share, float* out,
              float damping, std::int64_t n) {
#pragma omp parallel for schedule(static)
    for (std::int64_t page = 0; page < n; ++page) {
        float sum = 0;
#pragma GCC novector
        for (int k = start[page]; k < start[page + 1]; ++k) sum += rank[from[k]] * share[from[k]];
        out[page] = (1 - damping) / static_cast<float>(n) + damping * sum;
    }
}

void jacobi(const int* start, const int* column, const float* value, const float* diagonal,
            const float* b, const float* x, float* out, std::int64_t n) {
#pragma omp parallel for schedule(static)
    for (std::int64_t row = 0; row < n; ++row) {
        float rest = b[row];
#pragma GCC novector
        for (int k = start[row]; k < start[row + 1]; ++k) rest -= value[k] * x[column[k]];
        out[row] = rest / diagonal[row];
    }
}

void relax(const int* start, const int* from, const float* length, const float* distance,
           float* out, std::int64_t n) {
#pragma omp parallel for schedule(static)
    for (std::int64_t vertex = 0; vertex < n; ++vertex) {
        float best = distance[vertex];
#pragma GCC novector
        for (int k = start[vertex]; k < start[vertex + 1]; ++k) {
            const float through = distance[from[k]] + length[k];
            best = through < best ? through : best;
        }
        out[vertex] = best;
    }
}

}  // extern "C"
