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
class ModuleState;
class SourceModuleState;
}  // namespace runtime

struct CompileOptions {
    std::vector<std::string> options = {};  // "-DN=4", "-std=c++20", "--use_fast_math", "-I..." ...
    std::vector<std::string> include_dirs = {};  // searched for #include, before built-in headers
    // Name and text of headers in memory.
    std::vector<std::pair<std::string, std::string>> headers = {};
    std::string name = "kernel.cu";  // what diagnostics call the source
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

// Machine code for GPUs that was made elsewhere: PTX, a cubin or a fatbin.
//
//   ww::Module mod = ww::Module::from_file("solver.cubin");
//   ww::Module two = ww::link({ww::LinkInput::source(main), ww::LinkInput::file("lib.ptx")});
//
// Such code has sizes of parameters, not their types: an argument must have the parameter's size,
// and that is all that is checked. Kernels go by their symbols ("_Z4axpyfPf"), or by their plain
// names where those are unique ("axpy"); parameters that came from a source are known in full.
//
// Ownership, threading: as SourceModule. Errors: UnsupportedError on the CPU device; ArgumentError
// for bytes that are no such code, or code for another GPU; DeviceError when the driver refuses it.
class WARPWISE_API Module {
  public:
    static Module from_bytes(std::string_view image, const std::string& name = "image");
    static Module from_bytes(std::string_view image, const std::string& name, const Device& device);
    static Module from_file(const std::string& path);
    static Module from_file(const std::string& path, const Device& device);

    Kernel get_function(std::string_view name) const;
    Buffer get_global(std::string_view name) const;
    std::vector<std::string> functions() const;
    std::vector<std::string> globals() const;
    const std::string& log() const noexcept;  // of the linker
    Device device() const;

    Module(std::shared_ptr<runtime::ModuleState> module, std::string log) noexcept;

  private:
    std::shared_ptr<runtime::ModuleState> module_;
    std::string log_;
};

// One part of a linked program.
struct WARPWISE_API LinkInput {
    std::string data;  // CUDA C++, or bytes: PTX, cubin, LTO IR, fatbin, object, library
    std::string name;  // what messages call it
    bool is_source = false;

    static LinkInput source(std::string text, std::string name = "kernel.cu");
    static LinkInput bytes(std::string image, std::string name = "image");
    // A source where the name ends in .cu, else bytes. Throws DeviceError when it cannot be read.
    static LinkInput file(const std::string& path);
};

// Compiles the sources as relocatable code and links all parts with nvJitLink, which is opened at
// run time. With "-dlto" among the options they are optimised together; "-lcudadevrt" adds a
// library of the toolkit or of a folder given by -L. A symbol that no part defines raises
// CompileError, which names it. The CPU device takes sources only, as one program: what is static
// in one part is seen by those behind it.
WARPWISE_API Module link(const std::vector<LinkInput>& inputs, CompileOptions options = {});
WARPWISE_API Module link(const std::vector<LinkInput>& inputs, CompileOptions options,
                         const Device& device);

// Compiles without loading. `target`: "cpu" or an x86-64 level ("x86-64-v3"), or a GPU ("sm_90");
// `format`: "llvm", "asm" or "object" for the CPU, "ptx" or "cubin" (which takes NVRTC) for a GPU.
// Returns the text or bytes. Needs no such device.
WARPWISE_API std::string compile(const std::string& source, const CompileOptions& options,
                                 std::string_view target, std::string_view format);

}  // namespace warpwise
