// libFuzzer on the rest of a request: each line is an option, `name WORDS` a name expression,
// `format WORD` the output format. The program is always the same.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "tests/fuzz/compile_target.hpp"

namespace {

constexpr const char* kProgram = R"(
#ifndef N
#define N 4
#endif
template <class T, int kCount> __global__ void fill(T *x, T value) {
    for (int i = 0; i < kCount; ++i) x[threadIdx.x * kCount + i] = value;
}
template <class T> struct Box { T value; };
__constant__ float table[N];
__global__ void scale(float *x, Box<int> box) {
    __shared__ float tile[256];
    tile[threadIdx.x & 255] = x[threadIdx.x] / table[threadIdx.x % N];
    __syncthreads();
    x[threadIdx.x] = sqrtf(tile[(threadIdx.x + 1) & 255]) * box.value + blockDim.x;
}
)";

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    constexpr std::string_view kName = "name ";
    constexpr std::string_view kFormat = "format ";
    warpwise::compiler::CompileRequest request;
    request.source = kProgram;
    request.source.append(size % 3, '\n');  // for another level of the instruction set
    std::string_view rest(reinterpret_cast<const char*>(data), size);
    while (!rest.empty()) {
        const std::string_view line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(std::min(rest.size(), line.size() + 1));
        if (line.starts_with(kName)) {
            request.name_expressions.emplace_back(line.substr(kName.size()));
        } else if (line.starts_with(kFormat)) {
            request.format = line.substr(kFormat.size());
        } else {
            request.options.emplace_back(line);
        }
    }
    warpwise::fuzz::compile(std::move(request));
    return 0;
}
