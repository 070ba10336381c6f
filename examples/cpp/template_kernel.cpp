// Kernel templates: instances are named as in C++ and compiled on request. The module's
// variables are shared by all of them. The end shows how a mistake is reported.
#include <cstdio>
#include <vector>

#include "warpwise/warpwise.hpp"

namespace ww = warpwise;

constexpr const char* kSource = R"(
__constant__ int offset;

template <class T> __global__ void scale(T *x, T factor, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = x[i] * factor + T(offset);
}
)";

constexpr int kCount = 1000;

template <class T>
static bool run(const ww::SourceModule& module, const char* instance) {
    std::vector<T> values(kCount);
    for (int i = 0; i < kCount; ++i) values[i] = static_cast<T>(i);
    ww::Buffer x = ww::mem_alloc(kCount * sizeof(T));
    x.copy_from(values.data(), x.size());
    const ww::Kernel scale = module.get_function(instance);
    scale(scale.cover(kCount), x, 3, kCount);  // 3 becomes a T: the signature is known
    x.copy_to(values.data(), x.size());
    for (int i = 0; i < kCount; ++i) {
        if (values[i] != static_cast<T>(3 * i + 7)) return false;
    }
    std::printf("%s is right\n", scale.signature().declaration().c_str());
    return true;
}

int main() {
    const ww::SourceModule module(kSource, {.name = "scale.cu"});
    const int offset = 7;
    module.get_global("offset").copy_from(&offset, sizeof offset);
    if (!run<float>(module, "scale<float>") || !run<double>(module, "scale<double>") ||
        !run<long long>(module, "scale<long long>")) {
        std::puts("a result is wrong");
        return 1;
    }
    try {
        module.get_function("scale<float>")({}, ww::mem_alloc(4), 1.0f, 2.7);
    } catch (const ww::ArgumentError& error) {
        std::printf("refused, as it should be: %s\n", error.what());
        return 0;
    }
    std::puts("2.7 was taken for an int");
    return 1;
}
