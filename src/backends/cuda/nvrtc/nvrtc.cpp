// The table of its functions, finding the library, and one compile.
#include "src/backends/cuda/nvrtc/nvrtc.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <atomic>
#include <filesystem>
#include <memory>
#include <system_error>

#include "src/backends/cuda/driver/libraries.hpp"
#include "src/backends/cuda/driver/library_search.hpp"
#include "src/backends/cuda/nvrtc/interrupt_guard.hpp"
#include "src/base/hooks/work_at_exit.hpp"
#include "src/base/text.hpp"
#include "src/compiler/interruptible.hpp"
#include "warpwise/error.hpp"

namespace warpwise::cuda {
namespace {

using Program = struct NvrtcProgramTag*;
using Result = int;  // 0: good

constexpr std::string_view kBuiltins = "libnvrtc-builtins.so";
// Whose reasons are in the log: the source, or the value of an option, is wrong.
constexpr Result kInvalidOption = 5;  // NVRTC_ERROR_INVALID_OPTION
constexpr Result kCompilation = 6;    // NVRTC_ERROR_COMPILATION

}  // namespace

struct Nvrtc::Functions {
    Result (*nvrtcVersion)(int*, int*) = nullptr;
    const char* (*nvrtcGetErrorString)(Result) = nullptr;
    Result (*nvrtcGetNumSupportedArchs)(int*) = nullptr;
    Result (*nvrtcGetSupportedArchs)(int*) = nullptr;
    Result (*nvrtcCreateProgram)(Program*, const char*, const char*, int, const char* const*,
                                 const char* const*) = nullptr;
    Result (*nvrtcDestroyProgram)(Program*) = nullptr;
    Result (*nvrtcAddNameExpression)(Program, const char*) = nullptr;
    Result (*nvrtcCompileProgram)(Program, int, const char* const*) = nullptr;
    Result (*nvrtcGetProgramLogSize)(Program, std::size_t*) = nullptr;
    Result (*nvrtcGetProgramLog)(Program, char*) = nullptr;
    Result (*nvrtcGetPTXSize)(Program, std::size_t*) = nullptr;
    Result (*nvrtcGetPTX)(Program, char*) = nullptr;
    Result (*nvrtcGetCUBINSize)(Program, std::size_t*) = nullptr;
    Result (*nvrtcGetCUBIN)(Program, char*) = nullptr;
    Result (*nvrtcGetLTOIRSize)(Program, std::size_t*) = nullptr;
    Result (*nvrtcGetLTOIR)(Program, char*) = nullptr;
    Result (*nvrtcGetLoweredName)(Program, const char*, const char**) = nullptr;
    // Of CUDA 12.8 and later. The callback stops the compile by returning 1.
    Result (*nvrtcSetFlowCallback)(Program, int (*)(void*, void*), void*) = nullptr;

    // The name of the first that is missing, or null.
    const char* fill(void* library) {
        SymbolFinder find(library);
#define WARPWISE_NVRTC(name) find(name, #name)
        WARPWISE_NVRTC(nvrtcVersion);
        WARPWISE_NVRTC(nvrtcGetErrorString);
        WARPWISE_NVRTC(nvrtcGetNumSupportedArchs);
        WARPWISE_NVRTC(nvrtcGetSupportedArchs);
        WARPWISE_NVRTC(nvrtcCreateProgram);
        WARPWISE_NVRTC(nvrtcDestroyProgram);
        WARPWISE_NVRTC(nvrtcAddNameExpression);
        WARPWISE_NVRTC(nvrtcCompileProgram);
        WARPWISE_NVRTC(nvrtcGetProgramLogSize);
        WARPWISE_NVRTC(nvrtcGetProgramLog);
        WARPWISE_NVRTC(nvrtcGetPTXSize);
        WARPWISE_NVRTC(nvrtcGetPTX);
        WARPWISE_NVRTC(nvrtcGetCUBINSize);
        WARPWISE_NVRTC(nvrtcGetCUBIN);
        WARPWISE_NVRTC(nvrtcGetLTOIRSize);
        WARPWISE_NVRTC(nvrtcGetLTOIR);
        WARPWISE_NVRTC(nvrtcGetLoweredName);
#undef WARPWISE_NVRTC
        nvrtcSetFlowCallback = reinterpret_cast<decltype(nvrtcSetFlowCallback)>(
            ::dlsym(library, "nvrtcSetFlowCallback"));
        return find.missing();
    }

    void check(Result result, const char* doing) const {
        if (result == 0) return;
        throw DeviceError(fmt::format("NVRTC cannot {}: {}", doing, nvrtcGetErrorString(result)));
    }
};

// One program of NVRTC, and the calls on it.
class Nvrtc::Compilation {
  public:
    Compilation(const Functions& functions, const NvrtcRequest& request) : functions_(functions) {
        std::vector<const char*> names;
        std::vector<const char*> texts;
        for (const auto& [name, text] : request.headers) {
            names.push_back(name.data());
            texts.push_back(text.data());
        }
        functions_.check(functions_.nvrtcCreateProgram(
                             &program_, request.source.c_str(), request.name.c_str(),
                             static_cast<int>(names.size()), texts.data(), names.data()),
                         "take the source");
    }
    ~Compilation() { functions_.nvrtcDestroyProgram(&program_); }
    Compilation(const Compilation&) = delete;
    Compilation& operator=(const Compilation&) = delete;

    bool run(const NvrtcRequest& request) {
        for (const std::string& expression : request.expressions) {
            functions_.check(functions_.nvrtcAddNameExpression(program_, expression.c_str()),
                             "take a name");
        }
        if (const std::atomic<bool>* abandoned = compiler::abandoned_flag();
            abandoned != nullptr && functions_.nvrtcSetFlowCallback != nullptr) {
            functions_.check(
                functions_.nvrtcSetFlowCallback(program_, &is_abandoned,
                                                const_cast<std::atomic<bool>*>(abandoned)),
                "take a callback");
        }
        std::vector<const char*> options;
        options.reserve(request.options.size());
        for (const std::string& option : request.options) options.push_back(option.c_str());
        const Result result = functions_.nvrtcCompileProgram(
            program_, static_cast<int>(options.size()), options.data());
        if (result != kCompilation && result != kInvalidOption) {
            functions_.check(result, "compile");
        }
        return result == 0;
    }

    template <class Size, class Get>
    std::string text(Size size_of, Get get, const char* what) {
        std::size_t size = 0;
        functions_.check(size_of(program_, &size), what);
        std::string text(size, '\0');
        functions_.check(get(program_, text.data()), what);
        return text;
    }

    std::string lowered(const std::string& expression) {
        const char* name = nullptr;
        functions_.check(functions_.nvrtcGetLoweredName(program_, expression.c_str(), &name),
                         "report a name");
        return name;
    }

  private:
    static int is_abandoned(void* flag, void*) {
        return static_cast<const std::atomic<bool>*>(flag)->load(std::memory_order_relaxed) ? 1 : 0;
    }

    const Functions& functions_;
    Program program_ = nullptr;
};

namespace {

void remove_final_zero(std::string& text) {
    if (!text.empty() && text.back() == '\0') text.pop_back();
}

}  // namespace

std::string Nvrtc::path() {
    return library_file(Library::Nvrtc).string();
}

void* Nvrtc::open(const std::string& file) {
    const std::filesystem::path folder = std::filesystem::path(file).parent_path();
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
        const std::string name = entry.path().filename().string();
        if (name.starts_with(kBuiltins)) ::dlopen(entry.path().c_str(), RTLD_NOW | RTLD_LOCAL);
    }
    return ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
}

const Nvrtc& Nvrtc::instance() {
    static const Nvrtc* const found = [] {
        // open() opens what NVRTC needs too; open_library() reports why there is none.
        const std::string file = path();
        void* const library = file.empty() ? nullptr : open(file);
        if (library != nullptr) return new Nvrtc(library, file);
        const OpenedLibrary opened = open_library(Library::Nvrtc);
        return new Nvrtc(opened.handle, opened.path);
    }();
    return *found;
}

Nvrtc::Nvrtc(void* library, const std::string& path) {
    auto functions = std::make_unique<Functions>();
    if (const char* missing = functions->fill(library)) {
        ::dlclose(library);
        throw DeviceError(
            fmt::format("{} is no NVRTC of CUDA 12 or newer: it has no {}", quote(path), missing));
    }
    int major = 0;
    int minor = 0;
    functions->check(functions->nvrtcVersion(&major, &minor), "report its version");
    version_ = major * 1000 + minor * 10;
    int count = 0;
    functions->check(functions->nvrtcGetNumSupportedArchs(&count), "count architectures");
    architectures_.resize(static_cast<std::size_t>(count));
    functions->check(functions->nvrtcGetSupportedArchs(architectures_.data()),
                     "list architectures");
    functions_ = functions.release();
}

NvrtcResult Nvrtc::compile(const NvrtcRequest& request) const {
    // NVRTC's state is destroyed at the end of the process; a thread that still compiled then would
    // crash or end the process with a status of NVRTC's.
    static auto* const compiles = new WorkAtExit;
    const WorkAtExit::Scope compiling(*compiles);
    const InterruptGuard interrupts;
    const Functions& f = *functions_;
    Compilation compilation(f, request);
    NvrtcResult result;
    result.is_good = compilation.run(request);
    result.log = compilation.text(f.nvrtcGetProgramLogSize, f.nvrtcGetProgramLog, "give its log");
    remove_final_zero(result.log);
    if (!result.is_good) return result;
    std::string binary =
        request.is_for_lto ? compilation.text(f.nvrtcGetLTOIRSize, f.nvrtcGetLTOIR, "give LTO IR")
        : request.is_for_ptx
            ? compilation.text(f.nvrtcGetPTXSize, f.nvrtcGetPTX, "give PTX")
            : compilation.text(f.nvrtcGetCUBINSize, f.nvrtcGetCUBIN, "give a cubin");
    if (request.is_for_ptx && !request.is_for_lto) remove_final_zero(binary);
    const auto* const bytes = reinterpret_cast<const std::byte*>(binary.data());
    result.binary.assign(bytes, bytes + binary.size());
    for (const std::string& expression : request.expressions) {
        result.lowered_names.emplace(expression, compilation.lowered(expression));
    }
    return result;
}

}  // namespace warpwise::cuda
