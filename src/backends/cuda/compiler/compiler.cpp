// The front end and NVRTC side by side, and what comes out of both.
#include "src/backends/cuda/compiler/compiler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <future>
#include <optional>
#include <utility>

#include "src/backends/cuda/compiler/nvrtc_run.hpp"
#include "src/backends/cuda/compiler/portable_programs.hpp"
#include "src/backends/cuda/compiler/variable_guess.hpp"
#include "src/backends/cuda/driver/driver.hpp"
#include "src/backends/cuda/driver/toolkit.hpp"
#include "src/backends/cuda/link/binaries.hpp"
#include "src/backends/cuda/link/binary_signatures.hpp"
#include "src/backends/cuda/link/nvcc.hpp"
#include "src/backends/cuda/nvrtc/nvrtc.hpp"
#include "src/backends/cuda/nvrtc/nvrtc_errors.hpp"
#include "src/backends/cuda/nvrtc/nvrtc_options.hpp"
#include "src/base/log.hpp"
#include "src/base/mutex.hpp"
#include "src/base/text.hpp"
#include "src/compiler/mode_options.hpp"
#include "src/compiler/service.hpp"
#include "warpwise/error.hpp"

namespace warpwise::cuda {
namespace {

constexpr int kFormat = 9;  // of the programs made here

std::vector<std::string> names_of(const std::vector<compiler::GlobalInfo>& variables) {
    std::vector<std::string> names;
    names.reserve(variables.size());
    for (const compiler::GlobalInfo& variable : variables) names.push_back(variable.name);
    return names;
}

std::string_view text_of(const std::vector<std::byte>& binary) {
    return {reinterpret_cast<const char*>(binary.data()), binary.size()};
}

// What the code itself contains, for kernels that the front end cannot read.
compiler::Program described(const NvrtcRequest& requested, const NvrtcResult& made) {
    return requested.is_for_ptx ? read_ptx(text_of(made.binary), requested.name)
                                : read_cubin(made.binary, requested.name, Relocatable::Allowed);
}

// Kernels that the front end refuses (for a header that it lacks, for example) but NVRTC has
// compiled.
void fix_refused(compiler::Program& program, const NvrtcRequest& requested,
                 const NvrtcResult& made) {
    const auto is_refused = [](const auto& kernel) { return !kernel.refusal.message.empty(); };
    if (requested.is_for_lto || std::ranges::none_of(program.kernels, is_refused)) return;
    const compiler::Program code = described(requested, made);
    for (compiler::KernelInfo& kernel : program.kernels) {
        if (!is_refused(kernel)) continue;
        for (const compiler::KernelInfo& known : code.kernels) {
            if (known.signature.name == kernel.signature.name) kernel = known;
        }
    }
}

// A relocatable program that is no part of another is linked alone.
void link_alone(compiler::Program& program, const compiler::CompileRequest& request) {
    CudaBinaries binaries;
    const runtime::LinkPart part{.name = request.name, .image = std::move(program.binary)};
    compiler::Program linked =
        binaries.link({&part, 1}, compiler::nvidia_options(request), request.target);
    program.binary = std::move(linked.binary);
    program.format = linked.format;
}

compiler::Program finish(compiler::Program program, const compiler::CompileRequest& request,
                         const NvrtcRequest& requested, NvrtcResult made) {
    made.log = with_columns(made.log);
    if (!made.is_good) throw_compile_error(made.log, Nvrtc::instance().version());
    fix_refused(program, requested, made);
    program.target = request.target;
    program.format = requested.is_for_lto ? "ltoir" : requested.is_for_ptx ? "ptx" : "cubin";
    program.binary = std::move(made.binary);
    program.log = std::move(made.log);
    for (compiler::GlobalInfo& global : program.globals) {
        const auto found = made.lowered_names.find("&" + global.name);
        if (found != made.lowered_names.end()) global.symbol = found->second;
    }
    if (request.name_expressions.size() == 1 && program.kernels.size() == 1) {
        program.kernels.front().signature.symbol =
            made.lowered_names.at(request.name_expressions.front());
    }
    const bool is_whole = request.format == "object";
    if (is_whole && nvrtc_options(request.options).is_relocatable) link_alone(program, request);
    return program;
}

// Kernels that launch kernels are relocatable code, which is linked with the device's run time.
bool needs_linking(const compiler::CompileRequest& request, const Outcome& outcome) {
    constexpr std::string_view kMark = "kernel launch could not be processed";
    const bool is_whole = request.format == "object" || request.format == "cubin";
    return !outcome.made.is_good && is_whole && outcome.made.log.find(kMark) != std::string::npos &&
           !nvrtc_options(request.options).is_relocatable;
}

compiler::Program compile_linked(const compiler::CompileRequest& request) {
    compiler::CompileRequest linked = request;
    linked.format = "object";
    linked.options.insert(linked.options.end(), {"-rdc=true", "-lcudadevrt"});
    try {
        return CudaCompiler().compile(linked);
    } catch (const ArgumentError& error) {
        throw UnsupportedError(
            fmt::format(
                "{} launches kernels inside kernels, which takes NVIDIA's "
                "libcudadevrt.a and nvJitLink: {}; install the CUDA toolkit, or `pip install "
                "nvidia-cuda-runtime nvidia-nvjitlink`",
                request.name, error.what()),
            {}, request.name, 0);
    }
}

// What the front end lacks it refuses before it reads on: of parts, which may launch kernels, NVRTC
// knows what is wrong.
[[noreturn]] void rethrow(const std::exception_ptr& refusal,
                          const compiler::CompileRequest& request, const Outcome& outcome) {
    try {
        std::rethrow_exception(refusal);
    } catch (const UnsupportedError&) {
        const bool is_part =
            request.format == kRelocatable || nvrtc_options(request.options).is_relocatable;
        if (!is_part) throw;
    }
    throw_compile_error(with_columns(outcome.made.log), Nvrtc::instance().version());
}

// The front end does not take the source; NVRTC may: it knows what the CPU device has not (thread
// block clusters, for example). Rethrows `refusal` where NVRTC does not take it either.
compiler::Program without_front_end(const compiler::CompileRequest& request,
                                    std::optional<Outcome> early,
                                    const std::exception_ptr& refusal) {
    const bool is_open = !early || (!early->made.is_good && early->left_out);
    if (is_open) early = run_nvrtc(request, {}, {});
    if (needs_linking(request, *early)) return compile_linked(request);
    if (!early->made.is_good) rethrow(refusal, request, *early);
    // LTO IR contains nothing of it; the linked program will.
    compiler::Program program;
    if (!early->requested.is_for_lto) program = described(early->requested, early->made);
    if (!request.name_expressions.empty()) {
        const std::string& symbol = early->made.lowered_names.at(request.name_expressions.front());
        std::erase_if(program.kernels,
                      [&](const auto& kernel) { return kernel.signature.symbol != symbol; });
    }
    log::info(
        "{}: the signatures of its kernels come from their symbols and sizes, for the front "
        "end does not read the source",
        request.name);
    return finish(std::move(program), request, early->requested, std::move(early->made));
}

// The front end reads by the options that it knows; the others are for code.
compiler::Program read_signatures_of(const compiler::CompileRequest& request) {
    compiler::CompileRequest requested = request;
    requested.options = nvrtc_options(request.options).front_end;
    if (request.format == kRelocatable) requested.options.emplace_back("-rdc=true");
    return compiler::read_signatures(requested);
}

// NVRTC and the headers it would find. Once in a process: what is open does not change.
const std::string& toolkit_identity() {
    static Mutex mutex;
    static auto* const known = new std::string;
    MutexLock lock(mutex);
    if (!known->empty()) return *known;
    const std::string library = Nvrtc::path();
    std::string identity = file_identity(library);
    if (identity.empty()) {
        static const std::string kNone = "no NVRTC";
        return kNone;
    }
    for (const auto& folder : header_folders(library)) identity += " " + file_identity(folder);
    *known = std::move(identity);
    return *known;
}

// The caller knows the signatures: nothing is read from the source but by NVRTC.
compiler::Program compile_known(const compiler::CompileRequest& request) {
    Outcome outcome = run_nvrtc(request, {}, {});
    if (needs_linking(request, outcome)) return compile_linked(request);
    return finish(compiler::read_signatures(request), request, outcome.requested,
                  std::move(outcome.made));
}

}  // namespace

compiler::Program CudaCompiler::compile(const compiler::CompileRequest& request) {
    if (nvrtc_options(request.options).uses_nvcc) return compile_with_nvcc(request);
    if (!request.mode.signatures.empty()) return compile_known(request);
    const auto guess = guess_variables(request);
    // Neither needs the other where the variables' names are guessed right. Where there is no
    // thread available, get() does it.
    auto reading = std::async([&, chosen = compiler::chosen_cache()] {
        const compiler::SameCache same(chosen);
        return read_signatures_of(request);
    });
    std::optional<Outcome> early;
    std::exception_ptr failure;
    try {
        if (guess) early = try_nvrtc(request, {}, *guess);
    } catch (const Error&) {
        failure = std::current_exception();
    }
    compiler::Program program;
    try {
        program = reading.get();
    } catch (const CompileError&) {
        return without_front_end(request, std::move(early), std::current_exception());
    } catch (const UnsupportedError&) {
        return without_front_end(request, std::move(early), std::current_exception());
    }
    const std::vector<std::string> variables = names_of(program.globals);
    const std::string_view text = text_of(program.binary);
    const bool is_guessed = guess == variables;
    const bool is_good = early && early->made.is_good && is_guessed;
    if (!is_good && is_guessed && failure && text.empty()) std::rethrow_exception(failure);
    const bool is_last = early && is_guessed && text.empty() && !early->left_out;
    if (!is_good && !is_last) early = run_nvrtc(request, text, variables);
    if (needs_linking(request, *early)) return compile_linked(request);
    return finish(std::move(program), request, early->requested, std::move(early->made));
}

// Neither looks into the cache, where such a source would be found.
void CudaCompiler::open() {
    compiler::CompileRequest nothing;
    nothing.source = "extern \"C\" __global__ void nothing() {}";
    nothing.name = "nothing.cu";
    auto reading = std::async([&] { compiler::service().read_signatures(nothing); });
    NvrtcRequest requested;
    requested.source = nothing.source;
    requested.name = nothing.name;
    Nvrtc::instance().compile(requested);
    reading.get();
}

std::string CudaCompiler::fingerprint() const {
    const Driver* const driver = find_driver();
    return fmt::format("cuda {} driver {} {} {}", kFormat, driver != nullptr ? driver->version : 0,
                       compiler::compiler_identity(), toolkit_identity());
}

std::string CudaCompiler::portable_fingerprint() const {
    return fmt::format("cuda {} {} portable", kFormat, compiler::compiler_identity());
}

std::string CudaCompiler::portable_target(const std::string& target) const {
    return kind_of_gpu(target);
}

bool CudaCompiler::is_loadable(const compiler::Program& portable) const {
    const Driver* const driver = find_driver();
    return driver != nullptr && loads_cubin(driver->version, portable.binary);
}

compiler::Program CudaCompiler::compile_portable(const compiler::CompileRequest& request) {
    compiler::CompileRequest portable = request;
    portable.format = "cubin";  // never PTX, which the driver would compile at each load
    return compile(portable);
}

}  // namespace warpwise::cuda
