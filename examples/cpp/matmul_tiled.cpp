// A matrix product by tiles in shared memory, checked against the plain triple loop.
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "warpwise/warpwise.hpp"

namespace ww = warpwise;

constexpr const char* kSource = R"(
__global__ void multiply(const float *a, const float *b, float *c, int rows, int inner, int columns)
{
    __shared__ float tile_a[TILE][TILE], tile_b[TILE][TILE];
    int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
    float sum = 0;
    for (int start = 0; start < inner; start += TILE) {
        int ka = start + threadIdx.x, kb = start + threadIdx.y;
        tile_a[threadIdx.y][threadIdx.x] = row < rows && ka < inner ? a[row * inner + ka] : 0;
        tile_b[threadIdx.y][threadIdx.x] = kb < inner && column < columns ? b[kb * columns + column] : 0;
        __syncthreads();
        for (int k = 0; k < TILE; ++k) sum += tile_a[threadIdx.y][k] * tile_b[k][threadIdx.x];
        __syncthreads();
    }
    if (row < rows && column < columns) c[row * columns + column] = sum;
}
)";

constexpr int kTile = 16;

// Host memory that the launch copies: the results are there when it returns.
static ww::HostArray array(std::vector<float>& values, bool is_result) {
    return {.data = values.data(),
            .bytes = values.size() * sizeof(float),
            .dtype = ww::float32,
            .copies_in = !is_result,
            .copies_out = is_result};
}

int main() {
    constexpr int kRows = 150, kInner = 100, kColumns = 170;  // no multiples of the tile
    std::vector<float> a(kRows * kInner), b(kInner * kColumns), c(kRows * kColumns);
    for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>(i % 7) - 3.0f;
    for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<float>(i % 5) - 2.0f;

    const ww::SourceModule module(
        kSource, {.options = {"-DTILE=" + std::to_string(kTile)}, .name = "matmul.cu"});
    const ww::LaunchConfig config{
        .grid = {(kColumns + kTile - 1) / kTile, (kRows + kTile - 1) / kTile},
        .block = {kTile, kTile}};
    module.get_function("multiply")(config, array(a, false), array(b, false), array(c, true), kRows,
                                    kInner, kColumns);

    for (int row = 0; row < kRows; ++row) {
        for (int column = 0; column < kColumns; ++column) {
            float sum = 0;
            for (int k = 0; k < kInner; ++k) sum += a[row * kInner + k] * b[k * kColumns + column];
            const float seen = c[row * kColumns + column];
            if (std::fabs(seen - sum) > 1e-3f) {
                std::printf("element (%d, %d) is %f, not %f\n", row, column, seen, sum);
                return 1;
            }
        }
    }
    std::printf("the product of %dx%d and %dx%d is right\n", kRows, kInner, kInner, kColumns);
    return 0;
}
