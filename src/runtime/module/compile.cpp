// Compiling without a device: targets, formats, and the request every compile starts from.
#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "src/base/processor_level.hpp"
#include "src/base/text.hpp"
#include "src/compiler/mode_options.hpp"
#include "src/runtime/module/compile_request.hpp"
#include "src/runtime/refuse.hpp"
#include "src/runtime/registry.hpp"
#include "warpwise/settings.hpp"

namespace warpwise {
namespace runtime {
namespace {

constexpr std::array<std::string_view, 4> kHostFormats = {"llvm", "asm", "object", "preprocessed"};
constexpr std::array<std::string_view, 3> kGpuFormats = {"ptx", "cubin", "preprocessed"};

// PTX is made by the compiler of the CPU back end, which needs no NVRTC, for GPUs that it knows;
// cubins and the rest by NVRTC.
constexpr int kNewestOfClang = 90;  // sm_90

bool is_for_nvrtc(std::string_view target, std::string_view format) {
    if (format == "cubin") return true;
    if (format != "ptx") return false;
    int number = 0;
    std::from_chars(target.data() + 3, target.data() + target.size(), number);
    return number > kNewestOfClang;
}

bool is_gpu(std::string_view target) {
    if (!target.starts_with("sm_") || target.size() < 5) return false;
    return std::ranges::all_of(target.substr(3, 2), [](char c) { return c >= '0' && c <= '9'; });
}

Backend& backend_of(std::string_view kind) {
    for (const RegistryRow& row : registry()) {
        if (row.kind == kind) return row.backend();
    }
    throw UnsupportedError(
        fmt::format("this build of Warpwise has no {} back end, which compile() needs", kind));
}

void check_format(std::string_view target, std::string_view format) {
    const bool is_host = target == "cpu" || target == "native" || is_processor_level(target);
    if (!is_host && !is_gpu(target)) {
        refuse_value(
            "there is no target {}; there are \"cpu\", \"native\", \"{}\" and, for the formats "
            "\"ptx\", \"cubin\" and \"preprocessed\", GPUs such as \"sm_80\"",
            quote(target), fmt::join(processor_levels(), "\", \""));
    }
    if (is_host && std::ranges::find(kHostFormats, format) == kHostFormats.end()) {
        refuse_value(
            "the target {} has no format {}; it has \"llvm\", \"asm\", \"object\" and "
            "\"preprocessed\"{}",
            quote(target), quote(format),
            format == "ptx" ? " (PTX is for a GPU: target \"sm_80\", for example)" : "");
    }
    if (!is_host && std::ranges::find(kGpuFormats, format) == kGpuFormats.end()) {
        refuse_value(
            "the target {} has no format {}; it has \"ptx\", \"cubin\" and \"preprocessed\"",
            quote(target), quote(format));
    }
}

// Runs `work`; an ArgumentError about a default option names the variable that it comes from.
template <class Work>
auto naming_default_options(Work&& work) {
    try {
        return work();
    } catch (const ArgumentError& error) {
        const std::string_view message = error.what();
        for (const std::string& option : settings().default_options) {
            // Of an option with a value the message may have the name alone.
            if (message.find(option.substr(0, option.find('='))) == message.npos) continue;
            throw ArgumentError(
                error.kind(),
                fmt::format("{}; the environment variable PYCUDA_DEFAULT_NVCC_FLAGS adds {}",
                            message, quote(option)));
        }
        throw;
    }
}

}  // namespace

compiler::CompileRequest compile_request(std::string source, CompileOptions options) {
    compiler::CompileRequest request;
    request.source = std::move(source);
    request.name = std::move(options.name);
    request.options = settings().default_options;
    request.options.insert(request.options.end(), options.options.begin(), options.options.end());
    request.mode =
        naming_default_options([&request] { return compiler::take_mode(request.options); });
    request.include_dirs = std::move(options.include_dirs);
    request.headers = std::move(options.headers);
    return request;
}

compiler::Program compile_program(compiler::Compiler& compiler,
                                  const compiler::CompileRequest& request) {
    return naming_default_options([&] { return compiler::compile_cached(compiler, request); });
}

}  // namespace runtime

std::string compile(const std::string& source, const CompileOptions& options,
                    std::string_view target, std::string_view format) {
    runtime::check_format(target, format);
    runtime::Backend& backend =
        runtime::backend_of(runtime::is_for_nvrtc(target, format) ? "cuda" : "cpu");
    compiler::CompileRequest request = runtime::compile_request(source, options);
    const bool is_this_host = target == "cpu" || target == "native";
    request.target = is_this_host ? backend.device_info(0).architecture : std::string(target);
    request.format = format;
    // For a program that is loaded elsewhere, without the source to compile it again.
    if (!request.mode.tier) request.mode.tier = compiler::Tier::Full;
    const auto program = runtime::compile_program(backend.compiler(), request);
    return {reinterpret_cast<const char*>(program.binary.data()), program.binary.size()};
}

}  // namespace warpwise
