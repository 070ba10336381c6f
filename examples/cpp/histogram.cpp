// A histogram: each block counts in shared memory, then adds to the result with atomics. Copies,
// kernel and copy back are queued on a stream of their own.
#include <cstdint>
#include <cstdio>
#include <vector>

#include "warpwise/warpwise.hpp"

namespace ww = warpwise;

constexpr const char* kSource = R"(
__global__ void histogram(const unsigned char *data, unsigned int *counts, int n)
{
    __shared__ unsigned int local[256];
    for (int bin = threadIdx.x; bin < 256; bin += blockDim.x) local[bin] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&local[data[i]], 1u);
    __syncthreads();
    for (int bin = threadIdx.x; bin < 256; bin += blockDim.x) atomicAdd(&counts[bin], local[bin]);
}
)";

int main() {
    constexpr int kCount = 1'000'003;
    constexpr std::size_t kBins = 256;
    std::vector<std::uint8_t> data(kCount);
    std::vector<std::uint32_t> expected(kBins), counts(kBins);
    std::uint32_t state = 1;
    for (auto& value : data) {
        state = state * 1664525u + 1013904223u;
        value = static_cast<std::uint8_t>((state >> 24) & (state >> 16));
        ++expected[value];
    }

    const ww::SourceModule module(kSource, {.name = "histogram.cu"});
    const ww::Stream stream;
    ww::Buffer input = ww::mem_alloc(kCount, stream);
    ww::Buffer output = ww::mem_alloc(kBins * sizeof(std::uint32_t), stream);
    const ww::Event start = stream.record();
    input.copy_from_async(data.data(), kCount, stream);
    output.fill(0, sizeof(std::uint32_t), kBins, stream);
    module.get_function("histogram")({.grid = 32, .block = 256, .stream = stream}, input, output,
                                     kCount);
    output.copy_to_async(counts.data(), output.size(), stream);
    const ww::Event end = stream.record();
    end.synchronize();

    for (std::size_t bin = 0; bin < kBins; ++bin) {
        if (counts[bin] != expected[bin]) {
            std::printf("bin %zu holds %u, not %u\n", bin, counts[bin], expected[bin]);
            return 1;
        }
    }
    std::printf("%d values counted in %.3f ms\n", kCount, start.time_till(end));
    return 0;
}
