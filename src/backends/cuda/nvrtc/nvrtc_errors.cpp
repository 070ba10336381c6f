// Lines of the log, and which package has which header.
#include "src/backends/cuda/nvrtc/nvrtc_errors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "warpwise/error.hpp"

namespace warpwise::cuda {
namespace {

struct Origin {
    std::string_view prefix;
    std::string_view package;
};
// The first that fits.
constexpr Origin kOrigins[] = {
    {"crt/", "nvidia-cuda-crt"},
    {"cub/", "nvidia-cuda-cccl"},
    {"thrust/", "nvidia-cuda-cccl"},
    {"cuda/", "nvidia-cuda-cccl"},
    {"nv/", "nvidia-cuda-cccl"},
    {"curand", "nvidia-curand"},
    {"cooperative_groups", "nvidia-cuda-runtime"},
    {"cuda_", "nvidia-cuda-runtime"},
    {"cuComplex.h", "nvidia-cuda-runtime"},
    {"mma.h", "nvidia-cuda-runtime"},
    {"sm_", "nvidia-cuda-runtime"},
    {"driver_types.h", "nvidia-cuda-runtime"},
    {"library_types.h", "nvidia-cuda-runtime"},
    {"cublas", "nvidia-cublas"},
    {"cusparse", "nvidia-cusparse"},
    {"cufft", "nvidia-cufft"},
};

constexpr std::string_view kStandard[] = {
    "algorithm", "array",    "atomic", "bit",      "chrono",  "complex", "functional",  "memory",
    "numeric",   "optional", "ratio",  "span",     "string",  "tuple",   "type_traits", "utility",
    "variant",   "vector",   "random", "iterator", "cassert", "map",     "set",         "iomanip"};

// The header in: could not open source file "cuda_fp16.h".
std::string_view missing_header(std::string_view line) {
    constexpr std::string_view kMark = "open source file \"";
    const std::size_t mark = line.find(kMark);
    if (mark == std::string_view::npos) return {};
    line.remove_prefix(mark + kMark.size());
    return line.substr(0, line.find('"'));
}

}  // namespace

std::string origin_of_header(std::string_view header, int version) {
    const bool is_twelve = version < 13000;
    for (const Origin& origin : kOrigins) {
        if (!header.starts_with(origin.prefix)) continue;
        // CUDA 13's headers of CRT are a package of their own.
        return fmt::format("it is part of the CUDA toolkit: install that, or `pip install {}{}`",
                           origin.package, is_twelve ? "-cu12" : "");
    }
    if (std::ranges::find(kStandard, header) != std::end(kStandard)) {
        return fmt::format(
            "NVRTC has no C++ library for the host; <cuda/std/{}> of `pip install "
            "nvidia-cuda-cccl{}` works in kernels",
            header, is_twelve ? "-cu12" : "");
    }
    return {};
}

void throw_compile_error(const std::string& log, int version) {
    constexpr std::string_view kMark = "error: ";
    std::size_t begin = 0;
    while (begin < log.size()) {
        const std::size_t end = std::min(log.find('\n', begin), log.size());
        std::string line = log.substr(begin, end - begin);
        begin = end + 1;
        const std::size_t mark = line.find(kMark);
        const std::size_t open = line.find('(');
        if (mark == std::string::npos) continue;
        std::string file;
        int number = 0;
        if (open != std::string::npos && open < mark) {
            file = line.substr(0, open);
            std::from_chars(line.data() + open + 1, line.data() + line.size(), number);
        }
        const std::string origin = origin_of_header(missing_header(line), version);
        if (!origin.empty()) line += "; " + origin;
        throw CompileError(line, log, file, number);
    }
    throw CompileError("the source does not compile for the GPU", log, {}, 0);
}

}  // namespace warpwise::cuda
