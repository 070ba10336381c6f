// What goes into NVRTC.
#include "src/backends/cuda/compiler/nvrtc_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

#include "src/backends/cuda/driver/toolkit.hpp"
#include "src/backends/cuda/link/binaries.hpp"
#include "src/backends/cuda/nvrtc/nvrtc_headers.hpp"
#include "src/backends/cuda/nvrtc/nvrtc_options.hpp"
#include "src/backends/cuda/nvrtc/nvrtc_pool.hpp"
#include "src/base/log.hpp"
#include "src/base/mutex.hpp"
#include "src/base/text.hpp"
#include "src/compiler/mode_options.hpp"
#include "warpwise/error.hpp"

namespace warpwise::cuda {
namespace {

namespace fs = std::filesystem;

constexpr int kFirstMinimal = 12040;  // version of NVRTC that knows the option
constexpr std::string_view kUnmarkedIsDevice = "--device-as-default-execution-space";

// The folders that options name: "-Ifolder", "--include-path=folder".
std::vector<std::string> own_folders(const compiler::CompileRequest& request) {
    std::vector<std::string> folders = request.include_dirs;
    for (const std::string& option : nvrtc_options(request.options).options) {
        for (const std::string_view name : {"-I", "--include-path="}) {
            if (option.starts_with(name)) folders.push_back(option.substr(name.size()));
        }
    }
    return folders;
}

// Looked for once for each NVRTC: it takes a dozen questions to the file system.
const std::vector<fs::path>& nvidias_headers() {
    static Mutex mutex;
    static auto* const known = new std::map<std::string, std::vector<fs::path>>;
    const std::string library = Nvrtc::path();
    MutexLock lock(mutex);
    const auto found = known->find(library);
    if (found != known->end()) return found->second;
    return known->emplace(library, header_folders(library)).first->second;
}

// The user's source, or what was made of it for a compiler that takes no host code.
void set_source(NvrtcRequest& result, const compiler::CompileRequest& request,
                std::string_view text) {
    result.source = request.source;
    if (text.empty()) return;
    result.source = text;
    constexpr std::string_view kNames[] = {"-default-device", kUnmarkedIsDevice};
    const auto is_known = [&](std::string_view name) {
        return std::ranges::find(result.options, name) != result.options.end();
    };
    if (std::ranges::none_of(kNames, is_known)) result.options.emplace_back(kUnmarkedIsDevice);
}

void report_options(const std::vector<std::string>& given) {
    const NvrtcOptions options = nvrtc_options(given);
    for (const std::string& option : options.passed_over) {
        log::info("the option {} means nothing to NVRTC and is passed over", quote(option));
    }
}

// Without its headers.
NvrtcRequest nvrtc_request(const compiler::CompileRequest& request, std::string_view text,
                           const std::vector<std::string>& variables, const Nvrtc& nvrtc) {
    NvrtcOptions options = nvrtc_options(compiler::nvidia_options(request));
    NvrtcRequest result{.source = {},
                        .name = request.name,
                        .options = std::move(options.options),
                        .headers = {},
                        .expressions = request.name_expressions};
    set_source(result, request, text);
    result.options.push_back(fmt::format("--pre-include={}", kPrelude));
    for (const std::string& folder : request.include_dirs) result.options.push_back("-I" + folder);
    for (const auto& folder : nvidias_headers()) result.options.push_back("-I" + folder.string());
    const bool is_part = request.format == kRelocatable;
    if (is_part && !options.is_relocatable) {
        result.options.emplace_back("--relocatable-device-code=true");
    }
    for (const std::string& name : variables) result.expressions.push_back("&" + name);
    const std::string& target =
        options.architecture.empty() ? request.target : options.architecture;
    const int number = architecture_number(target);
    const std::vector<int>& known = nvrtc.architectures();
    const bool is_instance = !request.name_expressions.empty() && !variables.empty();
    const bool is_known = std::ranges::find(known, number) != known.end();
    if ((request.format == "cubin" || request.format == "ptx") && !is_known) {
        throw ArgumentError(ArgumentError::Kind::Value,
                            fmt::format("NVRTC {}.{} does not compile for {}; it does for sm_{}",
                                        nvrtc.version() / 1000, nvrtc.version() % 1000 / 10,
                                        quote(target), fmt::join(known, ", sm_")));
    }
    result.is_for_lto = options.is_lto;
    result.is_for_ptx = is_instance || !is_known || target.starts_with("compute_") ||
                        request.format == "ptx" || options.is_lto;
    // PTX for an older GPU runs on a newer one.
    const int chosen = is_known || known.empty() ? number : known.back();
    result.options.push_back(
        fmt::format("--gpu-architecture={}_{}", result.is_for_ptx ? "compute" : "sm", chosen));
    return result;
}

// The names that options include before the source, without our own.
std::vector<std::string> forced_includes(const NvrtcRequest& requested) {
    constexpr std::string_view kName = "--pre-include=";
    std::vector<std::string> names;
    for (const std::string& option : requested.options) {
        if (!option.starts_with(kName)) continue;
        std::string name = option.substr(kName.size());
        if (name != kPrelude) names.push_back(std::move(name));
    }
    return names;
}

enum class Thrift : bool { No, Yes };

// Whether anything was left out.
bool add_headers(NvrtcRequest& requested, const compiler::CompileRequest& request, Thrift thrift,
                 bool may_be_minimal) {
    HeaderRequest request_of_headers{.folders = nvidias_headers(),
                                     .own_folders = own_folders(request),
                                     .own = request.headers,
                                     .texts = {requested.source},
                                     .forced = forced_includes(requested),
                                     .needs_all = thrift == Thrift::No};
    ChosenHeaders chosen = nvrtc_headers(request_of_headers);
    requested.headers = std::move(chosen.headers);
    if (may_be_minimal && !chosen.may_use_runtime_api) requested.options.emplace_back("--minimal");
    return !chosen.is_all;
}

Outcome run(const compiler::CompileRequest& request, std::string_view text,
            const std::vector<std::string>& variables, Thrift thrift) {
    const Nvrtc& nvrtc = Nvrtc::instance();
    if (thrift == Thrift::Yes) report_options(request.options);
    Outcome outcome{.requested = nvrtc_request(request, text, variables, nvrtc), .made = {}};
    const bool may_be_minimal = thrift == Thrift::Yes && nvrtc.version() >= kFirstMinimal &&
                                !nvrtc_options(request.options).is_relocatable &&
                                request.format != kRelocatable;
    outcome.left_out = add_headers(outcome.requested, request, thrift, may_be_minimal);
    outcome.made = nvrtc_pool().compile(
        outcome.requested, [&](const NvrtcRequest& requested) { return nvrtc.compile(requested); });
    outcome.requested.headers.clear();
    return outcome;
}

}  // namespace

Outcome try_nvrtc(const compiler::CompileRequest& request, std::string_view text,
                  const std::vector<std::string>& variables) {
    return run(request, text, variables, Thrift::Yes);
}

Outcome run_nvrtc(const compiler::CompileRequest& request, std::string_view text,
                  const std::vector<std::string>& variables) {
    Outcome outcome = run(request, text, variables, Thrift::Yes);
    if (outcome.made.is_good || !outcome.left_out) return outcome;
    return run(request, text, variables, Thrift::No);
}

}  // namespace warpwise::cuda
