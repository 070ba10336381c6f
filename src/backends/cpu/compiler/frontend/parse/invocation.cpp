// Flags for clang's cc1. Invariant: nothing of the machine leaks in (no system headers, no host
// name, no time), so that equal requests give equal modules everywhere.
#include "src/backends/cpu/compiler/frontend/parse/invocation.hpp"

#include <clang/Basic/Diagnostic.h>
#include <clang/Frontend/TextDiagnosticBuffer.h>
#include <fmt/format.h>
#include <llvm/Support/Path.h>

#include <algorithm>
#include <array>

#include "src/backends/cpu/compiler/frontend/parse/files.hpp"
#include "src/base/text.hpp"
#include "warpwise/error.hpp"

namespace warpwise::cpu_compiler {

namespace {

// The value of __CUDA_ARCH__ on the CPU: Ampere, whose features all have a CPU form.
constexpr std::string_view kCpuArchitecture = "sm_80";

// Those of clang 19, newest last.
constexpr std::array<std::string_view, 15> kArchitectures = {
    "sm_50", "sm_52", "sm_53", "sm_60", "sm_61", "sm_62", "sm_70", "sm_72",
    "sm_75", "sm_80", "sm_86", "sm_87", "sm_89", "sm_90", "sm_90a"};

std::string architecture(std::string_view target, std::string_view format) {
    if (!target.starts_with("sm_")) return std::string(kCpuArchitecture);
    if (is_known_gpu(target)) return std::string(target);
    // Signatures are the same for every GPU; code is not.
    if (format == "signatures") return "sm_90";
    throw ArgumentError(ArgumentError::Kind::Value,
                        fmt::format("target {} is not known; use sm_50 ... sm_90a", quote(target)));
}

// Fixed for every compile. -disable-llvm-passes: the module is needed as written, our own passes
// follow. Without lifetime markers: to end them, a return out of a loop would go through a shared
// cleanup block and a flag, and its lanes would seem to reach the barriers that follow. Without
// aliasing by types: nvcc assumes nothing from them, and kernels move structs word by word. Without
// assuming arguments to be defined: lanes hand a shuffle what only its source has set. The warnings
// switched off concern CUDA installations or of nvcc's own pragmas.
constexpr const char* kFixedFlags[] = {
    "-aux-triple", "x86_64-unknown-linux-gnu", "-target-feature", "+ptx85", "-fcuda-is-device",
    "-disable-llvm-passes", "-disable-lifetime-markers", "-relaxed-aliasing",
    "-no-enable-noundef-analysis", "-O2", "-debug-info-kind=line-tables-only", "-dwarf-version=4",
    "-nostdsysteminc", "-nobuiltininc", "-fpch-instantiate-templates", "-fno-autolink",
    "-fdeprecated-macro", "-fgnuc-version=4.2.1", "-fexceptions", "-fcxx-exceptions",
    "-fcuda-allow-variadic-functions", "-fbracket-depth", "4096",
    "-ferror-limit",  // the log shows fewer
    "1000", "-fdebug-compilation-dir=.", "-x", "cuda", "-Wno-unknown-pragmas",
    "-Wno-unknown-cuda-version", "-Wno-cuda-compat", "-Wno-pass-failed", "-Wno-nvcc-compat",
    "-Wno-backend-plugin",
    // Errors by default in clang, at most warnings in nvcc.
    "-Wno-register", "-Wno-c++11-narrowing", "-Wno-reserved-user-defined-literal",
    "-Wno-dynamic-exception-spec", "-Wno-increment-bool", "-Wno-non-pod-varargs",
    "-Wno-writable-strings", "-Wno-return-type", "-Wno-invalid-constexpr",
    "-Wno-missing-template-arg-list-after-template-kw"};

void add_include(std::vector<std::string>& flags, const char* kind, std::string_view folder) {
    flags.emplace_back(kind);
    flags.emplace_back(folder);
}

}  // namespace

bool is_known_gpu(std::string_view target) noexcept {
    return std::find(kArchitectures.begin(), kArchitectures.end(), target) != kArchitectures.end();
}

std::vector<std::string> language_flags(const FrontendOptions& options,
                                        const compiler::CompileMode& mode, std::string_view target,
                                        std::string_view format) {
    const std::string processor = architecture(target, format);
    std::vector<std::string> flags(std::begin(kFixedFlags), std::end(kFixedFlags));
    flags.insert(flags.end(), {"-triple", "nvptx64-nvidia-cuda", "-target-cpu", processor,
                               "-std=" + options.standard, "-D__CUDACC__=1", "-D__NVCC__=1",
                               "-D__CUDACC_RTC__=1"});
    if (format != "ptx") flags.emplace_back("-D__WARPWISE_CPU__=1");
    flags.emplace_back(mode.contraction ? "-ffp-contract=fast" : "-ffp-contract=off");
    if (options.fast_math) {
        flags.insert(flags.end(), {"-fgpu-approx-transcendentals", "-fapprox-func",
                                   "-D__USE_FAST_MATH__=1", "-D__FAST_MATH__=1"});
    }
    if (options.flush_denormals) {
        flags.insert(flags.end(),
                     {"-fdenormal-fp-math-f32=preserve-sign,preserve-sign", "-D__CUDA_FTZ=1"});
    }
    const bool divide = options.precise_divide && !options.fast_math;
    const bool root = options.precise_sqrt && !options.fast_math;
    if (!divide) flags.emplace_back("-freciprocal-math");
    flags.push_back(fmt::format("-D__CUDA_PREC_DIV={}", divide ? 1 : 0));
    flags.push_back(fmt::format("-D__CUDA_PREC_SQRT={}", root ? 1 : 0));
    return flags;
}

std::vector<std::string> search_flags(const FrontendOptions& options,
                                      const compiler::CompileRequest& request) {
    std::vector<std::string> flags;
    // "header.h" is looked for beside the source, as for a file on disk.
    const llvm::StringRef beside = llvm::sys::path::parent_path(request.name);
    add_include(flags, "-iquote", beside.empty() ? "." : std::string_view(beside));
    if (!request.headers.empty()) add_include(flags, "-I", kRequestFolder);
    // Before the user's: with the toolkit's own folder among them, its headers would conflict with
    // ours.
    add_include(flags, "-I", kIncludeFolder);
    for (const std::string& folder : request.include_dirs) add_include(flags, "-I", folder);
    for (const std::string& folder : options.include_dirs) add_include(flags, "-I", folder);
    add_include(flags, "-internal-isystem", kFallbackFolder);
    add_include(flags, "-internal-isystem", kHeaderFolder);
    for (const std::string& flag : options.warning_flags) flags.push_back("-W" + flag);
    flags.insert(flags.end(), options.limit_flags.begin(), options.limit_flags.end());
    if (!options.show_warnings) flags.emplace_back("-w");
    return flags;
}

std::shared_ptr<clang::CompilerInvocation> make_invocation(const std::vector<std::string>& flags) {
    std::vector<const char*> words;
    words.reserve(flags.size());
    for (const std::string& flag : flags) words.push_back(flag.c_str());
    clang::TextDiagnosticBuffer complaints;
    clang::DiagnosticsEngine engine(new clang::DiagnosticIDs, new clang::DiagnosticOptions,
                                    &complaints, /*ShouldOwnClient=*/false);
    auto invocation = std::make_shared<clang::CompilerInvocation>();
    if (!clang::CompilerInvocation::CreateFromArgs(*invocation, words, engine)) {
        const std::string first =
            complaints.err_begin() == complaints.err_end() ? "" : complaints.err_begin()->second;
        throw CompileError("clang refuses its flags: " + first, first, {}, 0);
    }
    return invocation;
}

}  // namespace warpwise::cpu_compiler
