// Tables from clang's diagnostics and the names in them to advice.
#include "src/backends/cpu/compiler/frontend/diagnostics/advice.hpp"

#include <clang/Basic/DiagnosticLex.h>
#include <clang/Basic/DiagnosticSema.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "src/backends/cpu/compiler/frontend/parse/files.hpp"
#include "src/base/text.hpp"

namespace warpwise::cpu_compiler {

namespace {

// Headers of the host's C++ library that have no device form here. <cstdint> and the like exist as
// built-in headers and never come this far.
constexpr std::array<std::string_view, 63> kHostHeaders = {"algorithm",
                                                           "any",
                                                           "array",
                                                           "atomic",
                                                           "barrier",
                                                           "bitset",
                                                           "charconv",
                                                           "chrono",
                                                           "codecvt",
                                                           "complex",
                                                           "condition_variable",
                                                           "deque",
                                                           "exception",
                                                           "execution",
                                                           "expected",
                                                           "filesystem",
                                                           "format",
                                                           "forward_list",
                                                           "fstream",
                                                           "future",
                                                           "initializer_list",
                                                           "iomanip",
                                                           "ios",
                                                           "iosfwd",
                                                           "iostream",
                                                           "istream",
                                                           "iterator",
                                                           "latch",
                                                           "list",
                                                           "locale",
                                                           "map",
                                                           "memory",
                                                           "memory_resource",
                                                           "mutex",
                                                           "numeric",
                                                           "optional",
                                                           "ostream",
                                                           "queue",
                                                           "random",
                                                           "ranges",
                                                           "ratio",
                                                           "regex",
                                                           "scoped_allocator",
                                                           "semaphore",
                                                           "set",
                                                           "shared_mutex",
                                                           "source_location",
                                                           "span",
                                                           "sstream",
                                                           "stack",
                                                           "stdexcept",
                                                           "streambuf",
                                                           "string",
                                                           "string_view",
                                                           "system_error",
                                                           "thread",
                                                           "tuple",
                                                           "typeindex",
                                                           "typeinfo",
                                                           "unordered_map",
                                                           "unordered_set",
                                                           "variant",
                                                           "vector"};

struct Family {
    std::string_view prefix;
    std::string_view what;
};

// Headers of CUDA's libraries, where they are not among the built-in ones: of a library that is
// carried in part, only those of the other parts are looked up here.
constexpr Family kHeaderFamilies[] = {
    {"thrust/", "this part of Thrust"},
    {"cub/", "this part of CUB"},
    {"cuda/", "this part of libcu++"},
    {"nv/", "this part of libcu++"},
    {"cutlass/", "CUTLASS"},
    {"cute/", "CUTLASS"},
    {"curand_mtgp32", "cuRAND's MTGP32 generator"},
    {"curand", "this part of cuRAND"},
    {"cooperative_groups/", "this part of cooperative groups"},
    {"cublas", "cuBLAS"},
    {"cufft", "this part of cuFFT"},
    {"cudnn", "cuDNN"},
    {"cusparse", "cuSPARSE"},
    {"cusolver", "cuSOLVER"},
    {"nccl", "NCCL"},
    {"npp", "NPP"},
    {"nvml", "NVML"},
    {"nvToolsExt", "NVTX"},
    {"nvtx3/", "NVTX"},
    {"nvrtc", "NVRTC"},
    {"cudaProfiler", "the profiler"},
    {"cuda_profiler_api", "the profiler"},
    {"cuda_gl_interop", "OpenGL"},
    {"cuda_egl_interop", "EGL"},
    {"cuda_d3d", "Direct3D"},
    {"cuda_vdpau", "VDPAU"},
    // Of NVIDIA's samples: checks of error codes, timers, images.
    {"helper_", "host code"},
    {"cutil", "host code"},
    {"shrUtils", "host code"},
    {"shrQATest", "host code"},
    {"drvapi_error_string", "host code"},
    {"multithreading", "host code"},
    {"exception.h", "host code"},
    {"timer.h", "host code"},
};

// Of C, POSIX and what GPU programs link with. The device part of C's own is built in.
constexpr std::string_view kSystemPrefixes[] = {
    "sys/",        "netinet/",    "arpa/",       "bits/",       "linux/",      "boost/",
    "opencv",      "Eigen/",      "gtest/",      "gmock/",      "benchmark/",  "GL/",
    "GLFW/",       "SDL",         "unistd.h",    "pthread.h",   "signal.h",    "fcntl.h",
    "dirent.h",    "getopt.h",    "errno.h",     "cerrno",      "csignal",     "clocale",
    "locale.h",    "setjmp.h",    "stdarg.h",    "cstdarg",     "ctype.h",     "cctype",
    "wchar.h",     "cwchar",      "inttypes.h",  "cinttypes",   "malloc.h",    "memory.h",
    "strings.h",   "values.h",    "windows.h",   "omp.h",       "mpi.h",       "zlib.h",
    "png.h",       "jpeglib.h",   "complex.h",   "cxxabi.h",    "dlfcn.h",     "sched.h",
    "semaphore.h", "immintrin.h", "x86intrin.h", "emmintrin.h", "xmmintrin.h",
};

// Names that are undeclared because this version lacks the feature. Textures and surfaces are
// declared for the CPU and missing in PTX.
constexpr Family kNameFamilies[] = {
    {"texture", "textures"},
    {"tex1D", "textures"},
    {"tex2D", "textures"},
    {"tex3D", "textures"},
    {"texCubemap", "textures"},
    {"surface", "surfaces"},
    {"surf1D", "surfaces"},
    {"surf2D", "surfaces"},
    {"surf3D", "surfaces"},
    {"clusterDim", "thread block clusters"},
    {"clusterIdx", "thread block clusters"},
    {"cutlass", "CUTLASS's templates"},
};

// Names that come with a header, as CUDA has it; with a star, all that begin so.
constexpr Family kNamesOfHeaders[] = {
    {"half", "cuda_fp16.h"},
    {"half2", "cuda_fp16.h"},
    {"__half", "cuda_fp16.h"},
    {"__half2", "cuda_fp16.h"},
    {"__half_raw", "cuda_fp16.h"},
    {"__half2_raw", "cuda_fp16.h"},
    {"__float2half*", "cuda_fp16.h"},
    {"__floats2half2*", "cuda_fp16.h"},
    {"__half2*", "cuda_fp16.h"},
    {"__halves2half2", "cuda_fp16.h"},
    {"__nv_bfloat16", "cuda_bf16.h"},
    {"__nv_bfloat162", "cuda_bf16.h"},
    {"nv_bfloat16", "cuda_bf16.h"},
    {"nv_bfloat162", "cuda_bf16.h"},
    {"__float2bfloat16*", "cuda_bf16.h"},
    {"__bfloat162float", "cuda_bf16.h"},
    {"cuComplex", "cuComplex.h"},
    {"cuFloatComplex", "cuComplex.h"},
    {"cuDoubleComplex", "cuComplex.h"},
    {"make_cu*", "cuComplex.h"},
    {"cufft*", "cufft.h"},
    {"curandState*", "curand_kernel.h"},
    {"CUDART_*", "math_constants.h"},
    {"cooperative_groups", "cooperative_groups.h"},
    {"nvcuda", "mma.h"},
    {"wmma", "mma.h"},
    {"__pipeline_*", "cuda_pipeline.h"},
    {"cub", "cub/cub.cuh"},
};

constexpr std::string_view kNoLaunch =
    "kernel launches (<<<...>>>) inside a source are not supported; launch kernels from the host "
    "program";

std::string header_list() {
    return "note: headers for device code are " + join(built_in_header_names());
}

bool is_of_host_library(const std::string& name) {
    return std::find(kHostHeaders.begin(), kHostHeaders.end(), name) != kHostHeaders.end();
}

const Family* header_family(const std::string& name) {
    const auto* family =
        std::find_if(std::begin(kHeaderFamilies), std::end(kHeaderFamilies),
                     [&](const Family& candidate) { return name.starts_with(candidate.prefix); });
    return family == std::end(kHeaderFamilies) ? nullptr : family;
}

Advice missing_header(const std::string& name) {
    return {fmt::format("'{}' file not found; add its folder to include_dirs", name), false,
            header_list()};
}

std::optional<Advice> missing_name(const std::string& name) {
    if (name == "cudaConfigureCall" || name == "__cudaPushCallConfiguration") {
        return Advice{std::string(kNoLaunch), true, {}};
    }
    for (const Family& header : kNamesOfHeaders) {
        std::string_view known = header.prefix;
        const bool is_prefix = known.ends_with('*');
        if (is_prefix) known.remove_suffix(1);
        if (is_prefix ? !name.starts_with(known) : name != known) continue;
        return Advice{
            fmt::format("'{}' is not declared; add #include <{}>", name, header.what), false, {}};
    }
    for (const Family& family : kNameFamilies) {
        const bool exact = name.size() == family.prefix.size() ||
                           family.prefix.find_first_of("123C") != family.prefix.npos;
        if (!name.starts_with(family.prefix) || !exact) continue;
        return Advice{
            fmt::format("'{}': {} are not part of this version", name, family.what), true, {}};
    }
    if (name.size() > 4 && name.starts_with("cuda") && name[4] >= 'A' && name[4] <= 'Z') {
        return Advice{
            fmt::format("'{}' is not declared: a source compiled at run time holds device "
                        "code; call CUDA's host functions from the host program",
                        name),
            false,
            {}};
    }
    return std::nullopt;
}

// Names that cooperative_groups has elsewhere.
std::optional<Advice> missing_member(const std::string& name) {
    if (name != "this_cluster" && name != "cluster_group") return std::nullopt;
    return Advice{
        fmt::format("'{}': thread block clusters are not part of this version", name), true, {}};
}

// What our own headers refuse, by a pragma in a macro of CUDA's name.
std::optional<Advice> refused_by_header(const std::string& message) {
    constexpr std::string_view kMark = "warpwise: ";
    if (!message.starts_with(kMark)) return std::nullopt;
    return Advice{message.substr(kMark.size()), true, {}};
}

// err_ref_bad_target: %0 and %3 are what is referred to and from where; 1 is __global__, 2
// __host__.
std::optional<Advice> wrong_side(const clang::Diagnostic& info) {
    if (info.getNumArgs() < 4) return std::nullopt;
    constexpr int kGlobal = 1;
    const auto kind = info.getArgKind(0);
    if (kind != clang::DiagnosticsEngine::ak_sint && kind != clang::DiagnosticsEngine::ak_uint) {
        return std::nullopt;
    }
    const bool refers_to_kernel = kind == clang::DiagnosticsEngine::ak_sint
                                      ? info.getArgSInt(0) == kGlobal
                                      : info.getArgUInt(0) == unsigned{kGlobal};
    if (!refers_to_kernel) return std::nullopt;
    return Advice{std::string(kNoLaunch), true, {}};
}

}  // namespace

std::string quoted_name(const std::string& message) {
    const std::size_t open = message.find('\'');
    const std::size_t close = open == message.npos ? message.npos : message.find('\'', open + 1);
    if (close == message.npos) return {};
    return message.substr(open + 1, close - open - 1);
}

bool is_host_header(const std::string& name) {
    return is_of_host_library(name) || header_family(name) != nullptr ||
           std::any_of(std::begin(kSystemPrefixes), std::end(kSystemPrefixes),
                       [&](std::string_view prefix) { return name.starts_with(prefix); });
}

std::string missing_header_text(const std::string& name) {
    if (is_of_host_library(name)) {
        return fmt::format(
            "<{}> is a header of the host's C++ library: it is not available to "
            "device code",
            name);
    }
    if (const Family* family = header_family(name)) {
        return fmt::format("<{}>: {} is not part of this version", name, family->what);
    }
    return fmt::format(
        "<{}> was not found; where device code needs it, add its folder to "
        "include_dirs",
        name);
}

std::optional<Advice> advise(const clang::Diagnostic& info, const std::string& message) {
    switch (info.getID()) {
        case clang::diag::err_pp_file_not_found:
            return missing_header(quoted_name(message));
        case clang::diag::err_undeclared_var_use:
            // Of a launch in a host function, clang names a function of CUDA's own, unquoted.
            if (message.ends_with(" cudaConfigureCall")) return missing_name("cudaConfigureCall");
            return missing_name(quoted_name(message));
        case clang::diag::err_no_member:
        case clang::diag::err_no_member_suggest:
        case clang::diag::err_typename_nested_not_found:
            return missing_member(quoted_name(message));
        case clang::diag::err_undeclared_var_use_suggest:
        case clang::diag::err_undeclared_use:
        case clang::diag::err_undeclared_use_suggest:
        case clang::diag::err_unknown_typename:
        case clang::diag::err_unknown_typename_suggest:
        case clang::diag::err_no_template:
        case clang::diag::err_no_template_suggest:
            return missing_name(quoted_name(message));
        case clang::diag::err_ref_bad_target:
            return wrong_side(info);
        case clang::diag::err_cuda_device_exceptions:
            return Advice{fmt::format("exceptions ('{}') are not supported in device code",
                                      quoted_name(message)),
                          true,
                          {}};
        case clang::diag::err_need_header_before_typeid:
            return Advice{"typeid is not supported in device code", true, {}};
        case clang::diag::err_pragma_message:
            return refused_by_header(message);
        case clang::diag::err_va_arg_in_device:
            return Advice{"va_arg is not supported in device code", true, {}};
        default:
            return std::nullopt;
    }
}

}  // namespace warpwise::cpu_compiler
