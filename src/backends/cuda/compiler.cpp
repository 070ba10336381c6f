// What goes into NVRTC and what comes out of it.
#include "src/backends/cuda/compiler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <exception>
#include <future>
#include <optional>
#include <utility>

#include "src/backends/cuda/driver.hpp"
#include "src/backends/cuda/nvrtc.hpp"
#include "src/backends/cuda/nvrtc_headers.hpp"
#include "src/backends/cuda/nvrtc_options.hpp"
#include "src/backends/cuda/toolkit.hpp"
#include "src/backends/cuda/variable_guess.hpp"
#include "src/base/log.hpp"
#include "src/base/mutex.hpp"
#include "src/base/text.hpp"
#include "src/compiler/service.hpp"
#include "warpwise/error.hpp"

namespace warpwise::cuda {
namespace {

constexpr int kFormat = 5;  // of the programs made here
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

// The folders that options name: "-Ifolder", "--include-path=folder".
std::vector<std::string> own_folders(const compiler::CompileRequest& request,
                                     const std::vector<std::string>& options) {
    std::vector<std::string> folders = request.include_dirs;
    for (const std::string& option : options) {
        for (const std::string_view name : {"-I", "--include-path="}) {
            if (option.starts_with(name)) folders.push_back(option.substr(name.size()));
        }
    }
    return folders;
}

// Headers: the user's, then those that we have as texts, then the toolkit's.
void add_headers(NvrtcRequest& result, const compiler::CompileRequest& request) {
    const auto folders = header_folders(Nvrtc::path());
    result.headers = request.headers;
    for (auto& header : nvrtc_headers(folders, own_folders(request, result.options))) {
        const auto is_same = [&](const auto& other) { return other.first == header.first; };
        const bool is_own = std::ranges::any_of(request.headers, is_same);
        if (!is_own) result.headers.push_back(std::move(header));
    }
    result.options.push_back(fmt::format("--pre-include={}", kPrelude));
    for (const std::string& folder : request.include_dirs) result.options.push_back("-I" + folder);
    for (const auto& folder : folders) result.options.push_back("-I" + folder.string());
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

// `text`: what the source is to be taken as, if not as it is. `variables`: those that it defines,
// as NVRTC names them.
NvrtcRequest nvrtc_request(const compiler::CompileRequest& request, std::string_view text,
                           const std::vector<std::string>& variables, const Nvrtc& nvrtc) {
    NvrtcOptions options = nvrtc_options(request.options);
    for (const std::string& option : options.passed_over) {
        log::info("the option {} means nothing to NVRTC and is passed over", quote(option));
    }
    NvrtcRequest result{.source = {},
                        .name = request.name,
                        .options = std::move(options.options),
                        .headers = request.headers,
                        .expressions = request.name_expressions};
    set_source(result, request, text);
    add_headers(result, request);
    for (const std::string& name : variables) result.expressions.push_back("&" + name);
    const std::string& wanted =
        options.architecture.empty() ? request.target : options.architecture;
    const int number = architecture_number(wanted);
    const std::vector<int>& known = nvrtc.architectures();
    const bool is_instance = !request.name_expressions.empty() && !variables.empty();
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

std::vector<std::string> names_of(const std::vector<compiler::GlobalInfo>& variables) {
    std::vector<std::string> names;
    names.reserve(variables.size());
    for (const compiler::GlobalInfo& variable : variables) names.push_back(variable.name);
    return names;
}

struct Outcome {
    NvrtcRequest asked;
    NvrtcResult made;
};

Outcome run_nvrtc(const compiler::CompileRequest& request, std::string_view text,
                  const std::vector<std::string>& variables) {
    const Nvrtc& nvrtc = Nvrtc::instance();
    Outcome outcome{.asked = nvrtc_request(request, text, variables, nvrtc), .made = {}};
    outcome.made = nvrtc.compile(outcome.asked);
    return outcome;
}

compiler::Program finish(compiler::Program program, const compiler::CompileRequest& request,
                         const NvrtcRequest& asked, NvrtcResult made) {
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

}  // namespace

compiler::Program CudaCompiler::compile(const compiler::CompileRequest& request) {
    const auto guess = guess_variables(request);
    // Neither needs the other where the variables' names are guessed right. Where there is no
    // thread to be had, get() does it.
    auto reading = std::async([&] { return compiler::read_signatures(request); });
    std::optional<Outcome> early;
    std::exception_ptr failure;
    try {
        if (guess) early = run_nvrtc(request, {}, *guess);
    } catch (const Error&) {
        failure = std::current_exception();
    }
    // The front end's errors come first: they are in the terms of the CPU device's.
    compiler::Program program = reading.get();
    const std::vector<std::string> variables = names_of(program.globals);
    const std::string_view text(reinterpret_cast<const char*>(program.binary.data()),
                                program.binary.size());
    const bool is_good = early && early->made.is_good && guess == variables;
    if (!is_good && (guess != variables || !text.empty())) {
        early = run_nvrtc(request, text, variables);
    } else if (failure) {
        std::rethrow_exception(failure);
    }
    return finish(std::move(program), request, early->asked, std::move(early->made));
}

std::string CudaCompiler::fingerprint() const {
    const Driver* const driver = find_driver();
    return fmt::format("cuda {} driver {} {} {}", kFormat, driver != nullptr ? driver->version : 0,
                       compiler::compiler_identity(), toolkit_identity());
}

}  // namespace warpwise::cuda
