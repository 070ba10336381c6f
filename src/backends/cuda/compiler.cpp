// What goes into NVRTC and what comes out of it.
#include "src/backends/cuda/compiler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <utility>

#include "src/backends/cuda/driver.hpp"
#include "src/backends/cuda/nvrtc.hpp"
#include "src/backends/cuda/nvrtc_headers.hpp"
#include "src/backends/cuda/nvrtc_options.hpp"
#include "src/backends/cuda/toolkit.hpp"
#include "src/base/log.hpp"
#include "src/base/text.hpp"
#include "src/codegen/device_headers.hpp"
#include "src/compiler/service.hpp"
#include "warpwise/error.hpp"

namespace warpwise::cuda {
namespace {

constexpr int kFormat = 4;  // of the programs made here
constexpr std::string_view kReferences = "image/gpu_references.cuh";
constexpr std::string_view kUnmarkedIsDevice = "--device-as-default-execution-space";

// The number in "sm_90", "compute_90a"; 0 when there is none.
int architecture_number(std::string_view name) {
    const std::size_t digit = name.find_first_of("0123456789");
    int number = 0;
    if (digit != std::string_view::npos) {
        std::from_chars(name.data() + digit, name.data() + name.size(), number);
    }
    return number;
}

// The toolkit's own headers: half precision, cooperative groups, random numbers.
std::vector<std::string> toolkit_folders() {
    std::vector<std::string> options;
    for (const auto& root : toolkit_roots()) {
        std::error_code error;
        const auto folder = root / "include";
        if (!std::filesystem::exists(folder / "cuda_fp16.h", error)) continue;
        options.push_back("-I" + folder.string());
        // Where CUDA 13 keeps cuda/std, CUB and Thrust.
        if (std::filesystem::exists(folder / "cccl", error)) {
            options.push_back("-I" + (folder / "cccl").string());
        }
        break;
    }
    return options;
}

// "k.cu(3): error: ..." -> file, line, message.
[[noreturn]] void throw_compile_error(const std::string& log) {
    constexpr std::string_view kMark = "error: ";
    std::size_t begin = 0;
    while (begin < log.size()) {
        const std::size_t end = std::min(log.find('\n', begin), log.size());
        const std::string line = log.substr(begin, end - begin);
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
        throw CompileError(line, log, file, number);
    }
    throw CompileError("the source does not compile for the GPU", log, {}, 0);
}

// Besides those of the request: what NVRTC lacks, texture and surface references among it.
void add_headers(std::vector<std::pair<std::string, std::string>>& headers) {
    const auto add = [&](std::string_view name, std::string_view text) {
        const auto is_same = [&](const auto& header) { return header.first == name; };
        if (std::ranges::none_of(headers, is_same)) headers.emplace_back(name, text);
    };
    for (const auto& [name, text] : nvrtc_headers()) add(name, text);
    for (const auto& [name, text] : codegen::gpu_headers()) {
        add(name == kReferences ? compiler::kReferencesHeader : name, text);
    }
}

// The user's source, or what was made of it for a compiler that takes no host code.
void set_source(NvrtcRequest& result, const compiler::CompileRequest& request,
                const compiler::Program& signatures) {
    result.source = request.source;
    if (signatures.binary.empty()) return;
    result.source.assign(reinterpret_cast<const char*>(signatures.binary.data()),
                         signatures.binary.size());
    constexpr std::string_view kNames[] = {"-default-device", kUnmarkedIsDevice};
    const auto is_known = [&](std::string_view name) {
        return std::ranges::find(result.options, name) != result.options.end();
    };
    if (std::ranges::none_of(kNames, is_known)) result.options.emplace_back(kUnmarkedIsDevice);
}

NvrtcRequest nvrtc_request(const compiler::CompileRequest& request,
                           const compiler::Program& signatures, const Nvrtc& nvrtc) {
    NvrtcOptions options = nvrtc_options(request.options);
    for (const std::string& option : options.passed_over) {
        log::info("the option {} means nothing to NVRTC and is passed over", quote(option));
    }
    NvrtcRequest result{.source = {},
                        .name = request.name,
                        .options = std::move(options.options),
                        .headers = request.headers,
                        .expressions = request.name_expressions};
    set_source(result, request, signatures);
    add_headers(result.headers);
    result.options.push_back(fmt::format("--pre-include={}", kPrelude));
    for (const std::string& folder : request.include_dirs) result.options.push_back("-I" + folder);
    for (std::string& folder : toolkit_folders()) result.options.push_back(std::move(folder));
    for (const compiler::GlobalInfo& global : signatures.globals) {
        result.expressions.push_back("&" + global.name);
    }
    const std::string& wanted =
        options.architecture.empty() ? request.target : options.architecture;
    const int number = architecture_number(wanted);
    const std::vector<int>& known = nvrtc.architectures();
    const bool is_instance = !request.name_expressions.empty() && !signatures.globals.empty();
    const bool is_known = std::ranges::find(known, number) != known.end();
    if (request.format == "cubin" && !is_known) {
        throw ArgumentError(ArgumentError::Kind::Value,
                            fmt::format("NVRTC {}.{} does not compile for {}; it does for sm_{}",
                                        nvrtc.version() / 1000, nvrtc.version() % 1000 / 10,
                                        quote(wanted), fmt::join(known, ", sm_")));
    }
    result.wants_ptx =
        is_instance || !is_known || wanted.starts_with("compute_") || request.format == "ptx";
    // PTX for an older GPU runs on a newer one.
    const int chosen = is_known || known.empty() ? number : known.back();
    result.options.push_back(
        fmt::format("--gpu-architecture={}_{}", result.wants_ptx ? "compute" : "sm", chosen));
    return result;
}

}  // namespace

compiler::Program CudaCompiler::compile(const compiler::CompileRequest& request) {
    const Nvrtc& nvrtc = Nvrtc::instance();
    compiler::Program program = compiler::read_signatures(request);
    const NvrtcRequest asked = nvrtc_request(request, program, nvrtc);
    NvrtcResult made = nvrtc.compile(asked);
    if (!made.is_good) throw_compile_error(made.log);
    program.target = request.target;
    program.format = asked.wants_ptx ? "ptx" : "cubin";
    program.binary = std::move(made.binary);
    program.log = std::move(made.log);
    for (compiler::GlobalInfo& global : program.globals) {
        global.symbol = made.lowered_names.at("&" + global.name);
    }
    if (request.name_expressions.size() == 1 && program.kernels.size() == 1) {
        program.kernels.front().signature.symbol =
            made.lowered_names.at(request.name_expressions.front());
    }
    return program;
}

std::string CudaCompiler::fingerprint() const {
    const Driver* const driver = find_driver();
    return fmt::format("cuda {} driver {} {}", kFormat, driver != nullptr ? driver->version : 0,
                       compiler::compiler_identity());
}

}  // namespace warpwise::cuda
