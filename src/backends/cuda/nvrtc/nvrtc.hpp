// NVRTC, NVIDIA's run-time compiler: opened at the first compile for a GPU, never closed.
//
// Where it lies: WARPWISE_NVRTC, else as the dynamic linker finds libnvrtc.so.13 or .12, else in
// CUDA_HOME, CUDA_PATH, CONDA_PREFIX or /usr/local/cuda, else in NVIDIA's Python packages. Of two,
// the one of the driver's CUDA.
//
// Threading: every function may be called from any thread; NVRTC compiles several programs at once,
// for most of the time one after the other: see nvrtc_pool.hpp.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpwise::cuda {

// Name and text, each of a whole string with its final zero.
using HeaderView = std::pair<std::string_view, std::string_view>;

struct NvrtcRequest {
    std::string source;
    std::string name;
    std::vector<std::string> options;
    std::vector<HeaderView> headers;       // of texts that outlive the request
    std::vector<std::string> expressions;  // kernels and addresses to keep
    bool is_for_ptx = false;               // else cubin
    bool is_for_lto = false;               // LTO IR instead of either
};

struct NvrtcResult {
    bool is_good = false;
    std::string log;
    std::vector<std::byte> binary;                     // PTX without the final zero
    std::map<std::string, std::string> lowered_names;  // of the expressions
};

class Nvrtc {
  public:
    // Throws DeviceError listing where it was looked for.
    static const Nvrtc& instance();
    // The file instance() has opened or would open; empty when there is none. Opens nothing.
    static std::string path();
    // Opens the library in `file`, and before it the second one that NVRTC opens by
    // its name alone and that the linker does not know in NVIDIA's Python packages. Null with
    // dlerror() where that fails.
    static void* open(const std::string& file);
    // Of a library that is open, from `path`. Throws DeviceError saying what it lacks.
    Nvrtc(void* library, const std::string& path);

    // major * 1000 + minor * 10, as CUDA counts.
    int version() const noexcept { return version_; }
    // What it can compile for: 75, 80, 90 ...; ascending.
    const std::vector<int>& architectures() const noexcept { return architectures_; }
    // Throws DeviceError when NVRTC itself fails; an error in the source is a result.
    NvrtcResult compile(const NvrtcRequest& request) const;

  private:
    class Compilation;
    struct Functions;

    const Functions* functions_ = nullptr;  // never freed, as the library is never closed
    int version_ = 0;
    std::vector<int> architectures_;
};

}  // namespace warpwise::cuda
