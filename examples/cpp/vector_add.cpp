// The first program: add two vectors.
//
// The kernel is text, compiled when the program runs. Arguments are checked against its signature.
#include <cstdio>
#include <vector>

#include "warpwise/warpwise.hpp"

namespace ww = warpwise;

constexpr const char* kSource = R"(
__global__ void add(const float *x, const float *y, float *z, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = x[i] + y[i];
}
)";

int main() {
    constexpr int kCount = 1'000'000;
    std::vector<float> x(kCount), y(kCount), z(kCount);
    for (int i = 0; i < kCount; ++i) {
        x[i] = static_cast<float>(i);
        y[i] = 2.0f * static_cast<float>(i);
    }
    const std::size_t bytes = kCount * sizeof(float);

    const ww::SourceModule module(kSource, {.name = "vector_add.cu"});
    const ww::Kernel add = module.get_function("add");

    ww::Buffer a = ww::mem_alloc(bytes), b = ww::mem_alloc(bytes), c = ww::mem_alloc(bytes);
    a.copy_from(x.data(), bytes);
    b.copy_from(y.data(), bytes);
    add(add.cover(kCount), a, b, c, kCount);
    c.copy_to(z.data(), bytes);

    for (int i = 0; i < kCount; ++i) {
        if (z[i] != x[i] + y[i]) {
            std::printf("element %d is %f, not %f\n", i, z[i], x[i] + y[i]);
            return 1;
        }
    }
    std::printf("%d sums on %s are right\n", kCount, ww::Device().name().c_str());
    return 0;
}
