// CUDA C++ source, compiled at run time and loaded on a device.
//
//   ww::SourceModule mod(source, {.options = {"-DN=4"}, .name = "scale.cu"});
//   ww::Kernel k = mod.get_function("scale<float>");   // templates by name
//   ww::Buffer table = mod.get_global("table");        // __constant__ and __device__ variables
//
// Compiled programs are cached on disk; see settings.hpp. Warnings of the compiler are in log().
//
// Ownership: kernels and globals keep the loaded module alive.
// Errors: CompileError; ArgumentError for names the module does not have (the message lists what it
// has). Threading: safe from any thread; nothing is compiled under a lock.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "warpwise/buffer.hpp"
#include "warpwise/device.hpp"
#include "warpwise/export.hpp"
#include "warpwise/kernel.hpp"
#include "warpwise/texture_reference.hpp"

namespace warpwise {

namespace runtime {
class SourceModuleState;
}

struct CompileOptions {
    std::vector<std::string> options;       // "-DN=4", "-std=c++20", "--use_fast_math", "-I..." ...
    std::vector<std::string> include_dirs;  // searched for #include, before the built-in headers
    std::vector<std::pair<std::string, std::string>> headers;  // name and text of headers in memory
    std::string name = "kernel.cu";                            // what diagnostics call the source
};

class WARPWISE_API SourceModule {
  public:
    explicit SourceModule(std::string source, CompileOptions options = {});  // current device
    SourceModule(std::string source, CompileOptions options, const Device& device);

    // By name ("k", "ns::k"), by template instance ("scale<float>"), by overload ("k(float *,
    // int)") or by mangled symbol. A template instance not seen before is compiled now and shares
    // the module's globals.
    Kernel get_function(std::string_view name) const;
    Buffer get_global(std::string_view name) const;
    // A texture or surface reference of the source: texture<float, 2> t.
    TextureReference get_texref(std::string_view name) const;
    SurfaceReference get_surfref(std::string_view name) const;
    std::vector<std::string> functions() const;  // kernels so far, and templates as "scale<...>"
    std::vector<std::string> globals() const;
    const std::string& log() const noexcept;  // warnings; empty when there were none
    Device device() const;

  private:
    std::shared_ptr<runtime::SourceModuleState> state_;
};

// Compiles without loading. `target`: "cpu" or an x86-64 level ("x86-64-v3"), or a GPU ("sm_90");
// `format`: "llvm", "asm" or "object" for the CPU, "ptx" or "cubin" (which takes NVRTC) for a GPU.
// Returns the text or bytes. Needs no such device.
WARPWISE_API std::string compile(const std::string& source, const CompileOptions& options,
                                 std::string_view target, std::string_view format);

}  // namespace warpwise
