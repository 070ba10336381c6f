// One table: how an option is written, and what becomes of it.
#include "src/backends/cuda/nvrtc/nvrtc_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "src/base/text.hpp"
#include "warpwise/error.hpp"

namespace warpwise::cuda {
namespace {

enum class Fate : std::uint8_t { Pass, PassOver, Architecture };
enum class Value : std::uint8_t { None, Own };  // Own: "=value", attached, or the next word

struct Row {
    std::string_view name;
    Value value;
    Fate fate;
    std::string_view spelling = {};  // NVRTC's, where it is another
};

constexpr auto kRows = std::to_array<Row>({
    {"-D", Value::Own, Fate::Pass},
    {"--define-macro", Value::Own, Fate::Pass},
    {"-U", Value::Own, Fate::Pass},
    {"--undefine-macro", Value::Own, Fate::Pass},
    {"-I", Value::Own, Fate::Pass},
    {"--include-path", Value::Own, Fate::Pass},
    {"-include", Value::Own, Fate::Pass, "--pre-include"},
    {"--pre-include", Value::Own, Fate::Pass},
    {"-std", Value::Own, Fate::Pass, "--std"},
    {"--std", Value::Own, Fate::Pass},
    {"-use_fast_math", Value::None, Fate::Pass},
    {"--use_fast_math", Value::None, Fate::Pass},
    {"-fmad", Value::Own, Fate::Pass, "--fmad"},
    {"--fmad", Value::Own, Fate::Pass},
    {"-ftz", Value::Own, Fate::Pass, "--ftz"},
    {"--ftz", Value::Own, Fate::Pass},
    {"-prec-div", Value::Own, Fate::Pass, "--prec-div"},
    {"--prec-div", Value::Own, Fate::Pass},
    {"-prec-sqrt", Value::Own, Fate::Pass, "--prec-sqrt"},
    {"--prec-sqrt", Value::Own, Fate::Pass},
    {"-maxrregcount", Value::Own, Fate::Pass, "--maxrregcount"},
    {"--maxrregcount", Value::Own, Fate::Pass},
    {"-G", Value::None, Fate::Pass},
    {"--device-debug", Value::None, Fate::Pass},
    {"-lineinfo", Value::None, Fate::Pass},
    {"--generate-line-info", Value::None, Fate::Pass},
    {"-Xptxas", Value::Own, Fate::Pass, "--ptxas-options"},
    {"--ptxas-options", Value::Own, Fate::Pass},
    {"-w", Value::None, Fate::Pass},
    {"--disable-warnings", Value::None, Fate::Pass},
    {"-restrict", Value::None, Fate::Pass, "--restrict"},
    {"--restrict", Value::None, Fate::Pass},
    {"-extra-device-vectorization", Value::None, Fate::Pass, "--extra-device-vectorization"},
    {"--extra-device-vectorization", Value::None, Fate::Pass},
    {"-default-device", Value::None, Fate::Pass},
    {"--device-as-default-execution-space", Value::None, Fate::Pass},
    {"--device-int128", Value::None, Fate::Pass},
    {"-diag-suppress", Value::Own, Fate::Pass, "--diag-suppress"},
    {"--diag-suppress", Value::Own, Fate::Pass},
    {"-diag-error", Value::Own, Fate::Pass, "--diag-error"},
    {"--diag-error", Value::Own, Fate::Pass},
    {"-rdc", Value::Own, Fate::Pass, "--relocatable-device-code"},
    {"--relocatable-device-code", Value::Own, Fate::Pass},
    {"-dc", Value::None, Fate::Pass, "--relocatable-device-code=true"},
    {"--device-c", Value::None, Fate::Pass, "--relocatable-device-code=true"},
    {"-dlto", Value::None, Fate::Pass, "--dlink-time-opt"},
    {"--dlink-time-opt", Value::None, Fate::Pass},
    {"-ewp", Value::None, Fate::Pass, "--extensible-whole-program"},
    {"--extensible-whole-program", Value::None, Fate::Pass},
    {"-isystem", Value::Own, Fate::Pass, "-I"},
    {"--system-include", Value::Own, Fate::Pass, "-I"},
    {"-diag-warn", Value::Own, Fate::Pass, "--diag-warn"},
    {"--diag-warn", Value::Own, Fate::Pass},
    {"-err-no", Value::None, Fate::Pass, "--display-error-number"},
    {"--display-error-number", Value::None, Fate::Pass},
    {"-no-err-no", Value::None, Fate::Pass, "--no-display-error-number"},
    {"--no-display-error-number", Value::None, Fate::Pass},
    {"-arch", Value::Own, Fate::Architecture},
    {"--gpu-architecture", Value::Own, Fate::Architecture},
    {"-code", Value::Own, Fate::PassOver},
    {"--gpu-code", Value::Own, Fate::PassOver},
    {"-gencode", Value::Own, Fate::PassOver},
    {"--generate-code", Value::Own, Fate::PassOver},
    {"-Xcompiler", Value::Own, Fate::PassOver},
    {"--compiler-options", Value::Own, Fate::PassOver},
    {"-Xcudafe", Value::Own, Fate::PassOver},
    {"-Xlinker", Value::Own, Fate::PassOver},
    {"-ccbin", Value::Own, Fate::PassOver},
    {"--compiler-bindir", Value::Own, Fate::PassOver},
    {"-O", Value::Own, Fate::PassOver},
    {"--optimize", Value::Own, Fate::PassOver},
    {"-l", Value::Own, Fate::PassOver},
    {"-L", Value::Own, Fate::PassOver},
    {"-m64", Value::None, Fate::PassOver},
    {"-c", Value::None, Fate::PassOver},
    {"-cubin", Value::None, Fate::PassOver},
    {"--cubin", Value::None, Fate::PassOver},
    {"-ptx", Value::None, Fate::PassOver},
    {"-v", Value::None, Fate::PassOver},
    {"--verbose", Value::None, Fate::PassOver},
    {"-g", Value::None, Fate::PassOver},
    {"--expt-extended-lambda", Value::None, Fate::PassOver},
    {"-expt-extended-lambda", Value::None, Fate::PassOver},
    {"--extended-lambda", Value::None, Fate::PassOver},
    {"--expt-relaxed-constexpr", Value::None, Fate::PassOver},
    {"-expt-relaxed-constexpr", Value::None, Fate::PassOver},
    {"-keep", Value::None, Fate::PassOver},
    {"--keep", Value::None, Fate::PassOver},
    {"-Xnvlink", Value::Own, Fate::PassOver},
    {"--nvlink-options", Value::Own, Fate::PassOver},
    {"-Xfatbin", Value::Own, Fate::PassOver},
    {"--fatbin-options", Value::Own, Fate::PassOver},
    {"-Xarchive", Value::Own, Fate::PassOver},
    {"--archive-options", Value::Own, Fate::PassOver},
    {"-o", Value::Own, Fate::PassOver},
    {"--output-file", Value::Own, Fate::PassOver},
    {"-odir", Value::Own, Fate::PassOver},
    {"--output-directory", Value::Own, Fate::PassOver},
    {"-cudart", Value::Own, Fate::PassOver},
    {"--cudart", Value::Own, Fate::PassOver},
    {"-cudadevrt", Value::Own, Fate::PassOver},
    {"--cudadevrt", Value::Own, Fate::PassOver},
    {"-ldir", Value::Own, Fate::PassOver},
    {"--libdevice-directory", Value::Own, Fate::PassOver},
    {"-x", Value::Own, Fate::PassOver},
    {"--x", Value::Own, Fate::PassOver},
    {"-default-stream", Value::Own, Fate::PassOver},
    {"--default-stream", Value::Own, Fate::PassOver},
    {"-t", Value::Own, Fate::PassOver},
    {"--threads", Value::Own, Fate::PassOver},
    {"-split-compile", Value::Own, Fate::PassOver},
    {"--split-compile", Value::Own, Fate::PassOver},
    {"-ftemplate-depth", Value::Own, Fate::PassOver},
    {"--ftemplate-depth", Value::Own, Fate::PassOver},
    {"-fbracket-depth", Value::Own, Fate::PassOver},
    {"-fconstexpr-depth", Value::Own, Fate::PassOver},
    {"-fconstexpr-steps", Value::Own, Fate::PassOver},
    {"-ftemplate-backtrace-limit", Value::Own, Fate::PassOver},
    {"--ftemplate-backtrace-limit", Value::Own, Fate::PassOver},
    {"-m", Value::Own, Fate::PassOver},
    {"--machine", Value::Own, Fate::PassOver},
    {"-arbin", Value::Own, Fate::PassOver},
    {"--archiver-binary", Value::Own, Fate::PassOver},
    {"-dopt", Value::Own, Fate::PassOver},
    {"--dopt", Value::Own, Fate::PassOver},
    {"-optf", Value::Own, Fate::PassOver},
    {"--options-file", Value::Own, Fate::PassOver},
    {"-keep-dir", Value::Own, Fate::PassOver},
    {"--keep-dir", Value::Own, Fate::PassOver},
    {"-idp", Value::Own, Fate::PassOver},
    {"--input-drive-prefix", Value::Own, Fate::PassOver},
    {"-Werror", Value::Own, Fate::PassOver},
    {"--Werror", Value::Own, Fate::PassOver},
    {"-fdevice-time-trace", Value::Own, Fate::PassOver},
    {"--fdevice-time-trace", Value::Own, Fate::PassOver},
    {"-time", Value::Own, Fate::PassOver},
    {"--time", Value::Own, Fate::PassOver},
    {"-compress-mode", Value::Own, Fate::PassOver},
    {"--compress-mode", Value::Own, Fate::PassOver},
    {"-e", Value::Own, Fate::PassOver},
    {"--entries", Value::Own, Fate::PassOver},
    {"--library", Value::Own, Fate::PassOver},
    {"--library-path", Value::Own, Fate::PassOver},
    {"--linker-options", Value::Own, Fate::PassOver},
    {"-target-dir", Value::Own, Fate::PassOver},
    {"--target-directory", Value::Own, Fate::PassOver},
    {"-odext", Value::Own, Fate::PassOver},
    {"-jump-table-density", Value::Own, Fate::PassOver},
    {"--jump-table-density", Value::Own, Fate::PassOver},
    {"--compile", Value::None, Fate::PassOver},
    {"-fatbin", Value::None, Fate::PassOver},
    {"--fatbin", Value::None, Fate::PassOver},
    {"-shared", Value::None, Fate::PassOver},
    {"--shared", Value::None, Fate::PassOver},
    {"-lib", Value::None, Fate::PassOver},
    {"--lib", Value::None, Fate::PassOver},
    {"-link", Value::None, Fate::PassOver},
    {"--link", Value::None, Fate::PassOver},
    {"-dlink", Value::None, Fate::PassOver},
    {"--device-link", Value::None, Fate::PassOver},
    {"-dw", Value::None, Fate::PassOver},
    {"--device-w", Value::None, Fate::PassOver},
    {"-E", Value::None, Fate::PassOver},
    {"--preprocess", Value::None, Fate::PassOver},
    {"-M", Value::None, Fate::PassOver},
    {"-MM", Value::None, Fate::PassOver},
    {"-MD", Value::None, Fate::PassOver},
    {"-run", Value::None, Fate::PassOver},
    {"--run", Value::None, Fate::PassOver},
    {"-pg", Value::None, Fate::PassOver},
    {"--profile", Value::None, Fate::PassOver},
    {"--debug", Value::None, Fate::PassOver},
    {"-noeh", Value::None, Fate::PassOver},
    {"--no-exceptions", Value::None, Fate::PassOver},
    {"-noprof", Value::None, Fate::PassOver},
    {"--dont-use-profile", Value::None, Fate::PassOver},
    {"-nodlink", Value::None, Fate::PassOver},
    {"--no-device-link", Value::None, Fate::PassOver},
    {"-res-usage", Value::None, Fate::PassOver},
    {"--resource-usage", Value::None, Fate::PassOver},
    {"-allow-unsupported-compiler", Value::None, Fate::PassOver},
    {"--allow-unsupported-compiler", Value::None, Fate::PassOver},
    {"-dryrun", Value::None, Fate::PassOver},
    {"--dryrun", Value::None, Fate::PassOver},
    {"-save-temps", Value::None, Fate::PassOver},
    {"--save-temps", Value::None, Fate::PassOver},
    {"-clean", Value::None, Fate::PassOver},
    {"--clean-targets", Value::None, Fate::PassOver},
    {"-Wreorder", Value::None, Fate::PassOver},
    {"-Wno-deprecated-gpu-targets", Value::None, Fate::PassOver},
    {"-Wno-deprecated-declarations", Value::None, Fate::PassOver},
    {"-Wdefault-stream-launch", Value::None, Fate::PassOver},
    {"-Wmissing-launch-bounds", Value::None, Fate::PassOver},
    {"-Wext-lambda-captures-this", Value::None, Fate::PassOver},
    {"-extended-lambda", Value::None, Fate::PassOver},
    {"-forward-unknown-to-host-compiler", Value::None, Fate::PassOver},
    {"--forward-unknown-to-host-compiler", Value::None, Fate::PassOver},
    {"-no-compress", Value::None, Fate::PassOver},
    {"--no-compress", Value::None, Fate::PassOver},
    {"-src-in-ptx", Value::None, Fate::PassOver},
    {"--source-in-ptx", Value::None, Fate::PassOver},
    {"--ptx", Value::None, Fate::PassOver},
    {"-optix-ir", Value::None, Fate::PassOver},
    {"-nohdinitlist", Value::None, Fate::PassOver},
    {"--no-host-device-initializer-list", Value::None, Fate::PassOver},
    {"-use-local-env", Value::None, Fate::PassOver},
    {"-V", Value::None, Fate::PassOver},
    {"--version", Value::None, Fate::PassOver},
    {"-h", Value::None, Fate::PassOver},
    {"--help", Value::None, Fate::PassOver},
});

constexpr std::string_view kAttached = "DUIOlL";  // letters whose value may follow directly

// The longest name that `option` begins with, as a whole word, or in front of an attached value
// where it is of one letter.
const Row* find_row(std::string_view option) {
    const Row* best = nullptr;
    for (const Row& row : kRows) {
        if (!option.starts_with(row.name)) continue;
        const std::string_view rest = option.substr(row.name.size());
        const bool is_attached = row.value == Value::Own && row.name.size() == 2 &&
                                 kAttached.find(row.name[1]) != std::string_view::npos;
        if (!rest.empty() && !rest.starts_with('=') && !is_attached) continue;
        if (best == nullptr || row.name.size() > best->name.size()) best = &row;
    }
    return best;
}

// Macros, includes and the standard; the rest is about code.
void add_for_front_end(NvrtcOptions& result, std::string_view name, const std::string& value) {
    if (name == "--pre-include") {
        result.front_end.insert(result.front_end.end(), {"-include", value});
    } else if (name == "--std") {
        result.front_end.push_back("-std=" + value);
    } else if (name == "-D" || name == "-U" || name == "-I") {
        result.front_end.push_back(std::string(name) + value);
    } else if (name == "--define-macro" || name == "--undefine-macro" || name == "--include-path") {
        constexpr std::string_view kLong[] = {"--define-macro", "--undefine-macro"};
        const char* const letter = name == kLong[0] ? "-D" : name == kLong[1] ? "-U" : "-I";
        result.front_end.push_back(letter + value);
    }
}

void add_option(NvrtcOptions& result, Value kind, std::string_view name, std::string_view value) {
    if (kind == Value::None) {
        result.options.emplace_back(name);
    } else if (name == "--ptxas-options") {
        // nvcc takes several at once, NVRTC one.
        for (const std::string& part : split_at_commas(value)) {
            result.options.push_back(fmt::format("{}={}", name, part));
        }
    } else {
        result.options.push_back(fmt::format("{}{}{}", name, name.size() == 2 ? "" : "=", value));
    }
}

// Linkers take a library once, however often it is named; nvJitLink would define all in it again.
void add_library(NvrtcOptions& result, const std::string& name) {
    if (std::ranges::find(result.libraries, name) == result.libraries.end()) {
        result.libraries.push_back(name);
    }
}

}  // namespace

NvrtcOptions nvrtc_options(const std::vector<std::string>& options) {
    NvrtcOptions result;
    for (std::size_t i = 0; i < options.size(); ++i) {
        const std::string& option = options[i];
        const Row* const row = find_row(option);
        if (row == nullptr) {
            if (option == "--nvcc") {
                result.uses_nvcc = true;
            } else if (option.size() > 2 && option.starts_with("-W")) {
                result.passed_over.push_back(option);  // a warning of the CPU device's compiler
            } else {
                result.options.push_back(option);  // newer than this table, or NVRTC refuses it
            }
            continue;
        }
        std::string value = option.substr(row->name.size());
        if (value.starts_with('=')) value.erase(0, 1);
        if (row->value == Value::Own && value.empty()) {
            if (++i == options.size()) {
                throw ArgumentError(ArgumentError::Kind::Value,
                                    fmt::format("the option {} expects a value", quote(option)));
            }
            value = options[i];
        }
        if (row->name == "-l" || row->name == "--library") add_library(result, value);
        if (row->name == "-L" || row->name == "--library-path") {
            result.library_folders.push_back(value);
        }
        if (row->fate == Fate::PassOver) {
            result.passed_over.push_back(option);
        } else if (row->fate == Fate::Architecture) {
            result.architecture = value;
        } else {
            const std::string_view name = row->spelling.empty() ? row->name : row->spelling;
            add_option(result, row->value, name, value);
            add_for_front_end(result, name, value);
        }
    }
    for (const std::string& option : result.options) {
        result.is_lto = result.is_lto || option == "--dlink-time-opt";
        result.is_relocatable =
            result.is_relocatable || option == "--relocatable-device-code=true" || result.is_lto;
    }
    if (result.is_relocatable) result.front_end.emplace_back("-rdc=true");
    return result;
}

}  // namespace warpwise::cuda
