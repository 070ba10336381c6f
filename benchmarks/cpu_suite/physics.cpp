// Hand-written C++ for physics.cu: rows, bodies or walkers over the cores.
#include <cmath>
#include <cstdint>
#include <vector>

#include <omp.h>

namespace {

struct Body {
    float x, y, z, mass, u, v, w, unused;
};

struct Three {
    float x, y, z;
};

struct Four {
    float x, y, z, w;
};

constexpr float kWeight[9] = {4 / 9.f,  1 / 9.f,  1 / 9.f,  1 / 9.f, 1 / 9.f,
                              1 / 36.f, 1 / 36.f, 1 / 36.f, 1 / 36.f};
constexpr int kX[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
constexpr int kY[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};

// One cell, whose neighbours to the left and right are given.
inline void collide(const float* const from[9], float* const to[9], int x, int left, int right,
                    float omega) {
    float f[9], density = 0, ux = 0, uy = 0;
#pragma GCC unroll 9
    for (int k = 0; k < 9; ++k) {
        f[k] = from[k][kX[k] > 0 ? left : kX[k] < 0 ? right : x];
        density += f[k];
        ux += kX[k] * f[k];
        uy += kY[k] * f[k];
    }
    const float inverse = 1.0f / density;
    ux *= inverse;
    uy *= inverse;
    const float square = 1.5f * (ux * ux + uy * uy);
#pragma GCC unroll 9
    for (int k = 0; k < 9; ++k) {
        const float along = 3.0f * (kX[k] * ux + kY[k] * uy);
        const float rest = kWeight[k] * density * (1.0f + along + 0.5f * along * along - square);
        to[k][x] = f[k] + omega * (rest - f[k]);
    }
}

}  // namespace

extern "C" {

void move_bodies(const Body* in, Body* out, const Three* force, float step, std::int64_t n) {
#pragma omp parallel for simd schedule(static)
    for (std::int64_t i = 0; i < n; ++i) {
        Body b = in[i];
        const float scale = step / b.mass;
        b.u += force[i].x * scale;
        b.v += force[i].y * scale;
        b.w += force[i].z * scale;
        b.x += b.u * step;
        b.y += b.v * step;
        b.z += b.w * step;
        out[i] = b;
    }
}

void lattice_step(const float* in, float* out, int width, int height, float omega) {
    const std::int64_t cells = std::int64_t{width} * height;
#pragma omp parallel for schedule(static)
    for (int y = 0; y < height; ++y) {
        const float* from[9];
        float* to[9];
        for (int k = 0; k < 9; ++k) {
            const int row = (y + height - kY[k]) % height;
            from[k] = in + k * cells + std::int64_t{row} * width;
            to[k] = out + k * cells + std::int64_t{y} * width;
        }
        collide(from, to, 0, width - 1, 1, omega);
#pragma omp simd
        for (int x = 1; x < width - 1; ++x) collide(from, to, x, x - 1, x + 1, omega);
        collide(from, to, width - 1, width - 2, 0, omega);
    }
}

void heat(const float* in, float* out, int nx, int ny, int nz, float k) {
    const std::int64_t row = nx, plane = row * ny;
#pragma omp parallel for collapse(2) schedule(static)
    for (int z = 1; z < nz - 1; ++z) {
        for (int y = 1; y < ny - 1; ++y) {
            const float* c = in + z * plane + y * row;
            float* o = out + z * plane + y * row;
#pragma omp simd
            for (int x = 1; x < nx - 1; ++x) {
                const float sides =
                    c[x - 1] + c[x + 1] + c[x - row] + c[x + row] + c[x - plane] + c[x + plane];
                o[x] = c[x] + k * (sides - 6.0f * c[x]);
            }
        }
    }
}

void electric_step(float* ex, float* ey, const float* hz, const float* ca, const float* cb,
                   int width, int height) {
#pragma omp parallel for schedule(static)
    for (int y = 0; y < height; ++y) {
        const std::int64_t i = std::int64_t{y} * width;
        if (y > 0) {
#pragma omp simd
            for (int x = 0; x < width; ++x) {
                ex[i + x] = ca[i + x] * ex[i + x] + cb[i + x] * (hz[i + x] - hz[i + x - width]);
            }
        }
#pragma omp simd
        for (int x = 1; x < width; ++x) {
            ey[i + x] = ca[i + x] * ey[i + x] - cb[i + x] * (hz[i + x] - hz[i + x - 1]);
        }
    }
}

void rays(const Four* scene, int* hit, int width, int height) {
#pragma omp parallel for schedule(dynamic, 8)
    for (int y = 0; y < height; ++y) {
        const float py = (y + 0.5f) / height;
#pragma omp simd
        for (int x = 0; x < width; ++x) {
            const float px = (x + 0.5f) / width;
            float rx = 0.1f * (px - 0.5f), ry = 0.1f * (py - 0.5f);
            const float rz = 1.0f / sqrtf(rx * rx + ry * ry + 1.0f);
            rx *= rz;
            ry *= rz;
            float nearest = 1e30f;
            int which = -1;
            for (int k = 0; k < 32; ++k) {
                const Four s = scene[k];
                const float dx = s.x - px, dy = s.y - py;
                const float along = dx * rx + dy * ry + s.z * rz;
                const float inside = along * along - (dx * dx + dy * dy + s.z * s.z) + s.w * s.w;
                const float t = along - sqrtf(inside > 0 ? inside : 0);
                const bool is_nearer = inside > 0 && t > 0 && t < nearest;
                which = is_nearer ? k : which;
                nearest = is_nearer ? t : nearest;
            }
            hit[std::int64_t{y} * width + x] = which;
        }
    }
}

// A grid for each thread, added up at the end.
void deposit(const float* place, float* grid, int width, std::int64_t n, int height) {
    const int threads = omp_get_max_threads();
    const std::int64_t cells = std::int64_t{width} * height;
    std::vector<float> all(cells * threads);
#pragma omp parallel
    {
        float* own = &all[cells * omp_get_thread_num()];
#pragma omp for schedule(static)
        for (std::int64_t i = 0; i < n; ++i) {
            const float px = place[2 * i], py = place[2 * i + 1];
            const int x = static_cast<int>(px), y = static_cast<int>(py);
            const float fx = px - x, fy = py - y;
            float* corner = own + std::int64_t{y} * width + x;
            corner[0] += (1 - fx) * (1 - fy);
            corner[1] += fx * (1 - fy);
            corner[width] += (1 - fx) * fy;
            corner[width + 1] += fx * fy;
        }
#pragma omp for simd schedule(static)
        for (std::int64_t i = 0; i < cells; ++i) {
            float total = 0;
            for (int t = 0; t < threads; ++t) total += all[t * cells + i];
            grid[i] = total;
        }
    }
}

void walk(std::uint32_t* returns, int steps, std::uint32_t seed, int walkers) {
    constexpr int kLanes = 32;
#pragma omp parallel for schedule(static)
    for (int first = 0; first < walkers; first += kLanes) {
        std::uint32_t state[kLanes], x[kLanes], y[kLanes], count[kLanes];
        for (int k = 0; k < kLanes; ++k) {
            state[k] = (static_cast<std::uint32_t>(first + k) + 1) * 2654435761u ^ seed;
            x[k] = y[k] = count[k] = 0;
        }
        for (int step = 0; step < steps; ++step) {
#pragma omp simd
            for (int k = 0; k < kLanes; ++k) {
                std::uint32_t s = state[k];
                s ^= s << 13;
                s ^= s >> 17;
                s ^= s << 5;
                state[k] = s;
                const std::uint32_t move = s >> 30 & 1 ? ~0u : 1u;
                x[k] += s >> 31 ? 0 : move;
                y[k] += s >> 31 ? move : 0;
                count[k] += ((x[k] | y[k]) & 255) == 0;
            }
        }
        for (int k = 0; k < kLanes; ++k) returns[first + k] = count[k];
    }
}

}  // extern "C"
