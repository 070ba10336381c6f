// One table: how an option is written, and what becomes of it.
#include "src/backends/cuda/nvrtc_options.hpp"

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
    {"--extra-device-vectorization", Value::None, Fate::Pass},
    {"-default-device", Value::None, Fate::Pass},
    {"--device-as-default-execution-space", Value::None, Fate::Pass},
    {"--device-int128", Value::None, Fate::Pass},
    {"-diag-suppress", Value::Own, Fate::Pass, "--diag-suppress"},
    {"--diag-suppress", Value::Own, Fate::Pass},
    {"-diag-error", Value::Own, Fate::Pass, "--diag-error"},
    {"--diag-error", Value::Own, Fate::Pass},
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
});

// The longest name that `option` begins with, as a whole word, or in front of an attached value
// where it is of one letter.
const Row* find_row(std::string_view option) {
    const Row* best = nullptr;
    for (const Row& row : kRows) {
        if (!option.starts_with(row.name)) continue;
        const std::string_view rest = option.substr(row.name.size());
        const bool is_attached = row.value == Value::Own && row.name.size() == 2;
        if (!rest.empty() && !rest.starts_with('=') && !is_attached) continue;
        if (best == nullptr || row.name.size() > best->name.size()) best = &row;
    }
    return best;
}

}  // namespace

NvrtcOptions nvrtc_options(const std::vector<std::string>& options) {
    NvrtcOptions result;
    for (std::size_t i = 0; i < options.size(); ++i) {
        const std::string& option = options[i];
        if (option.starts_with("--warpwise-")) {
            const bool has_value_behind = option.find('=') == std::string::npos;
            if (has_value_behind) ++i;
            continue;
        }
        const Row* const row = find_row(option);
        if (row == nullptr) {
            result.passed_over.push_back(option);
            continue;
        }
        std::string value = option.substr(row->name.size());
        if (value.starts_with('=')) value.erase(0, 1);
        if (row->value == Value::Own && value.empty()) {
            if (++i == options.size()) {
                throw ArgumentError(ArgumentError::Kind::Value,
                                    fmt::format("the option {} wants a value", quote(option)));
            }
            value = options[i];
        }
        if (row->fate == Fate::PassOver) {
            result.passed_over.push_back(option);
        } else if (row->fate == Fate::Architecture) {
            result.architecture = value;
        } else {
            const std::string_view name = row->spelling.empty() ? row->name : row->spelling;
            const bool is_letter = name.size() == 2;
            result.options.push_back(
                row->value == Value::None
                    ? std::string(name)
                    : fmt::format("{}{}{}", name, is_letter ? "" : "=", value));
        }
    }
    return result;
}

}  // namespace warpwise::cuda
