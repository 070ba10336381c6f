// Parsing of the user's options from one table of spellings. Invariant: the result depends on the
// options alone, so that it may be part of a cache key.
#include "src/backends/cpu/compiler/frontend/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>
#include <system_error>

#include "src/base/text.hpp"
#include "src/compiler/mode_options.hpp"
#include "warpwise/error.hpp"

namespace warpwise::cpu_compiler {

namespace {

enum class Effect {
    Define,
    Undefine,
    IncludeDir,
    ForceInclude,
    Standard,
    FastMath,
    FlushDenormals,
    PreciseDivide,
    PreciseSqrt,
    NoWarnings,
    DeviceByDefault,
    Warning,   // -W...: clang's own groups
    Limit,     // of clang's: a number
    Part,      // one of several parts of a program
    Nothing,   // already so, or without meaning for a program in memory
    Surprise,  // without effect here, and the user should know
};

// How a value follows: "-DN", "-D N", "--define-macro=N", or not at all.
enum class Value { None, Joined, JoinedOrNext, EqualsOrNext, OptionalEquals };

struct Row {
    std::string_view spelling;
    Value value;
    Effect effect;
};

constexpr Row kRows[] = {
    {"-D", Value::JoinedOrNext, Effect::Define},
    {"--define-macro", Value::EqualsOrNext, Effect::Define},
    {"-U", Value::JoinedOrNext, Effect::Undefine},
    {"--undefine-macro", Value::EqualsOrNext, Effect::Undefine},
    {"-I", Value::JoinedOrNext, Effect::IncludeDir},
    {"--include-path", Value::EqualsOrNext, Effect::IncludeDir},
    {"-isystem", Value::EqualsOrNext, Effect::IncludeDir},
    {"--system-include", Value::EqualsOrNext, Effect::IncludeDir},
    {"-include", Value::EqualsOrNext, Effect::ForceInclude},
    {"--pre-include", Value::EqualsOrNext, Effect::ForceInclude},
    {"-std", Value::EqualsOrNext, Effect::Standard},
    {"--std", Value::EqualsOrNext, Effect::Standard},
    {"-use_fast_math", Value::OptionalEquals, Effect::FastMath},
    {"--use_fast_math", Value::OptionalEquals, Effect::FastMath},
    {"-ftz", Value::EqualsOrNext, Effect::FlushDenormals},
    {"--ftz", Value::EqualsOrNext, Effect::FlushDenormals},
    {"-prec-div", Value::EqualsOrNext, Effect::PreciseDivide},
    {"--prec-div", Value::EqualsOrNext, Effect::PreciseDivide},
    {"-prec-sqrt", Value::EqualsOrNext, Effect::PreciseSqrt},
    {"--prec-sqrt", Value::EqualsOrNext, Effect::PreciseSqrt},
    {"-w", Value::None, Effect::NoWarnings},
    {"--disable-warnings", Value::None, Effect::NoWarnings},
    {"-default-device", Value::None, Effect::DeviceByDefault},
    {"--device-as-default-execution-space", Value::None, Effect::DeviceByDefault},

    {"-O", Value::JoinedOrNext, Effect::Nothing},
    {"--optimize", Value::EqualsOrNext, Effect::Nothing},
    {"-g", Value::None, Effect::Nothing},
    {"--debug", Value::None, Effect::Nothing},
    {"-lineinfo", Value::None, Effect::Nothing},
    {"--generate-line-info", Value::None, Effect::Nothing},
    {"--source-in-ptx", Value::None, Effect::Nothing},
    {"-src-in-ptx", Value::None, Effect::Nothing},
    {"-m64", Value::None, Effect::Nothing},
    {"-c", Value::None, Effect::Nothing},
    {"-x", Value::EqualsOrNext, Effect::Nothing},
    {"-v", Value::None, Effect::Nothing},
    {"--verbose", Value::None, Effect::Nothing},
    {"-restrict", Value::None, Effect::Nothing},
    {"--restrict", Value::None, Effect::Nothing},
    {"-expt-relaxed-constexpr", Value::None, Effect::Nothing},
    {"--expt-relaxed-constexpr", Value::None, Effect::Nothing},
    {"-extended-lambda", Value::None, Effect::Nothing},
    {"--extended-lambda", Value::None, Effect::Nothing},
    {"-expt-extended-lambda", Value::None, Effect::Nothing},
    {"--expt-extended-lambda", Value::None, Effect::Nothing},
    {"-extra-device-vectorization", Value::None, Effect::Nothing},
    {"--extra-device-vectorization", Value::None, Effect::Nothing},
    {"-builtin-move-forward", Value::EqualsOrNext, Effect::Nothing},
    {"--builtin-move-forward", Value::EqualsOrNext, Effect::Nothing},
    {"-builtin-initializer-list", Value::EqualsOrNext, Effect::Nothing},
    {"--builtin-initializer-list", Value::EqualsOrNext, Effect::Nothing},
    {"--display-error-number", Value::None, Effect::Nothing},
    {"--no-display-error-number", Value::None, Effect::Nothing},
    {"-diag-suppress", Value::EqualsOrNext, Effect::Nothing},
    {"--diag-suppress", Value::EqualsOrNext, Effect::Nothing},
    {"-Xcudafe", Value::EqualsOrNext, Effect::Nothing},
    {"-Xfatbin", Value::EqualsOrNext, Effect::Nothing},
    {"--fatbin-options", Value::EqualsOrNext, Effect::Nothing},
    {"-allow-unsupported-compiler", Value::None, Effect::Nothing},
    {"--allow-unsupported-compiler", Value::None, Effect::Nothing},
    {"--minimal", Value::None, Effect::Nothing},
    {"-minimal", Value::None, Effect::Nothing},
    {"--split-compile", Value::EqualsOrNext, Effect::Nothing},
    {"-t", Value::JoinedOrNext, Effect::Nothing},
    {"--threads", Value::EqualsOrNext, Effect::Nothing},
    {"--fast-compile", Value::EqualsOrNext, Effect::Nothing},

    {"--nvcc", Value::None, Effect::Surprise},
    {"-G", Value::None, Effect::Surprise},
    {"--device-debug", Value::None, Effect::Surprise},
    {"-arch", Value::EqualsOrNext, Effect::Surprise},
    {"--gpu-architecture", Value::EqualsOrNext, Effect::Surprise},
    {"-code", Value::EqualsOrNext, Effect::Surprise},
    {"--gpu-code", Value::EqualsOrNext, Effect::Surprise},
    {"-gencode", Value::EqualsOrNext, Effect::Surprise},
    {"--generate-code", Value::EqualsOrNext, Effect::Surprise},
    {"-maxrregcount", Value::EqualsOrNext, Effect::Surprise},
    {"--maxrregcount", Value::EqualsOrNext, Effect::Surprise},
    {"-Xptxas", Value::EqualsOrNext, Effect::Surprise},
    {"--ptxas-options", Value::EqualsOrNext, Effect::Surprise},
    {"-Xcompiler", Value::EqualsOrNext, Effect::Surprise},
    {"--compiler-options", Value::EqualsOrNext, Effect::Surprise},
    {"-Xlinker", Value::EqualsOrNext, Effect::Surprise},
    {"--linker-options", Value::EqualsOrNext, Effect::Surprise},
    {"-Xnvlink", Value::EqualsOrNext, Effect::Surprise},
    {"-ccbin", Value::EqualsOrNext, Effect::Surprise},
    {"--compiler-bindir", Value::EqualsOrNext, Effect::Surprise},
    {"-rdc", Value::EqualsOrNext, Effect::Part},
    {"--relocatable-device-code", Value::EqualsOrNext, Effect::Part},
    {"-dc", Value::None, Effect::Part},
    {"--device-c", Value::None, Effect::Part},
    {"-dw", Value::None, Effect::Surprise},
    {"-dlto", Value::None, Effect::Surprise},
    {"--dlink-time-opt", Value::OptionalEquals, Effect::Surprise},
    {"-dopt", Value::EqualsOrNext, Effect::Surprise},
    {"--dopt", Value::EqualsOrNext, Effect::Surprise},
    {"-cubin", Value::None, Effect::Surprise},
    {"--cubin", Value::None, Effect::Surprise},
    {"-ptx", Value::None, Effect::Surprise},
    {"--ptx", Value::None, Effect::Surprise},
    {"-fatbin", Value::None, Effect::Surprise},
    {"--fatbin", Value::None, Effect::Surprise},
    {"-keep", Value::None, Effect::Surprise},
    {"--keep", Value::None, Effect::Surprise},
    {"-keep-dir", Value::EqualsOrNext, Effect::Surprise},
    {"--keep-dir", Value::EqualsOrNext, Effect::Surprise},
    {"-m32", Value::None, Effect::Surprise},
    {"-m", Value::EqualsOrNext, Effect::Surprise},
    {"--machine", Value::EqualsOrNext, Effect::Surprise},
    {"-default-stream", Value::EqualsOrNext, Effect::Surprise},
    {"--default-stream", Value::EqualsOrNext, Effect::Surprise},
    {"-res-usage", Value::None, Effect::Surprise},
    {"--resource-usage", Value::None, Effect::Surprise},
    {"-Werror", Value::EqualsOrNext, Effect::Surprise},
    {"--Werror", Value::EqualsOrNext, Effect::Surprise},
    {"-Wno-deprecated-gpu-targets", Value::None, Effect::Nothing},
    {"-W", Value::Joined, Effect::Warning},
    {"-ftemplate-depth", Value::EqualsOrNext, Effect::Limit},
    {"--ftemplate-depth", Value::EqualsOrNext, Effect::Limit},
    {"-fbracket-depth", Value::EqualsOrNext, Effect::Limit},
    {"-fconstexpr-depth", Value::EqualsOrNext, Effect::Limit},
    {"-fconstexpr-steps", Value::EqualsOrNext, Effect::Limit},
};

struct Match {
    const Row* row = nullptr;
    std::optional<std::string_view> value;  // joined to the option; else the next word may be it
};

bool matches(const Row& row, std::string_view option, std::optional<std::string_view>& value) {
    if (!option.starts_with(row.spelling)) return false;
    const std::string_view rest = option.substr(row.spelling.size());
    if (rest.empty()) return row.value != Value::Joined;
    switch (row.value) {
        case Value::None:
            return false;
        case Value::Joined:
        case Value::JoinedOrNext:
            value = rest;
            return true;
        case Value::EqualsOrNext:
        case Value::OptionalEquals:
            if (rest.front() != '=') return false;
            value = rest.substr(1);
            return true;
    }
    return false;
}

// The longest spelling wins: "-diag-suppress" is no "-d".
Match find_row(std::string_view option) {
    Match best;
    for (const Row& row : kRows) {
        std::optional<std::string_view> value;
        if (!matches(row, option, value)) continue;
        if (best.row == nullptr || row.spelling.size() > best.row->spelling.size()) {
            best = {&row, value};
        }
    }
    return best;
}

[[noreturn]] void throw_unknown(std::string_view option) {
    if (option == "-W") {
        throw ArgumentError(ArgumentError::Kind::Value,
                            "option '-W' expects the name of a group of warnings joined to it, "
                            "'-Wall' or '-Wshadow' for example");
    }
    std::vector<std::string> known;
    for (const Row& row : kRows) known.emplace_back(row.spelling);
    for (const std::string_view name : compiler::mode_option_names()) known.emplace_back(name);
    const std::string_view head = option.substr(0, option.find('='));
    throw ArgumentError(
        ArgumentError::Kind::Value,
        fmt::format("unknown compiler option {}{}", quote(option), suggestion(head, known)));
}

bool is_identifier(std::string_view name) {
    if (name.empty() || std::isdigit(static_cast<unsigned char>(name.front()))) return false;
    return std::all_of(name.begin(), name.end(),
                       [](unsigned char c) { return std::isalnum(c) || c == '_' || c >= 0x80; });
}

// "N", "N=4" or "F(x)=x+1" as a line of source.
std::string define_line(std::string_view value) {
    const std::size_t equals = value.find('=');
    const std::string_view head = value.substr(0, equals);
    const std::string_view name = head.substr(0, head.find('('));
    const bool closed = name.size() == head.size() || head.ends_with(')');
    if (!is_identifier(name) || !closed || value.find('\n') != value.npos) {
        throw ArgumentError(ArgumentError::Kind::Value,
                            fmt::format("-D expects NAME or NAME=VALUE, got {}", quote(value)));
    }
    const std::string_view body =
        equals == value.npos ? std::string_view("1") : value.substr(equals + 1);
    return fmt::format("#define {} {}", head, body);
}

std::string undefine_line(std::string_view name) {
    if (!is_identifier(name)) {
        throw ArgumentError(ArgumentError::Kind::Value,
                            fmt::format("-U expects a macro's name, got {}", quote(name)));
    }
    return fmt::format("#undef {}", name);
}

std::string standard_name(std::string_view value) {
    static constexpr std::array<std::string_view, 4> kStandards = {"c++11", "c++14", "c++17",
                                                                   "c++20"};
    std::string name(value);
    if (name.starts_with("gnu++")) name.replace(0, 3, "c");
    if (std::find(kStandards.begin(), kStandards.end(), name) == kStandards.end()) {
        throw ArgumentError(
            ArgumentError::Kind::Value,
            fmt::format("-std={} is not supported; use c++11, c++14, c++17 or c++20", value));
    }
    return name;
}

bool truth(std::string_view option, std::string_view value) {
    if (value == "true" || value == "1") return true;
    if (value == "false" || value == "0") return false;
    throw ArgumentError(ArgumentError::Kind::Value,
                        fmt::format("{} expects true or false, got {}", option, quote(value)));
}

void check_optimisation(std::string_view value) {
    static constexpr std::array<std::string_view, 7> kLevels = {"0", "1",    "2",  "3",
                                                                "s", "fast", "min"};
    if (std::find(kLevels.begin(), kLevels.end(), value) == kLevels.end()) {
        throw ArgumentError(ArgumentError::Kind::Value,
                            fmt::format("-O expects 0, 1, 2 or 3, got {}", quote(value)));
    }
}

// As clang's own option: "-ftemplate-depth=4000".
void add_limit(FrontendOptions& result, std::string_view option, std::string_view value) {
    constexpr std::uint32_t kMost = 1u << 30;
    std::uint32_t number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (error != std::errc() || end != value.data() + value.size() || number == 0 ||
        number > kMost) {
        throw ArgumentError(
            ArgumentError::Kind::Value,
            fmt::format("{} expects a number from 1 to {}, got {}", option, kMost, quote(value)));
    }
    if (option.starts_with("--")) option.remove_prefix(1);
    if (option == "-fbracket-depth") {
        result.limit_flags.insert(result.limit_flags.end(),
                                  {std::string(option), std::to_string(number)});
    } else {
        result.limit_flags.push_back(fmt::format("{}={}", option, number));
    }
}

void apply(FrontendOptions& result, const Row& row, std::string_view value) {
    switch (row.effect) {
        case Effect::Define:
            result.macro_lines.push_back(define_line(value));
            break;
        case Effect::Undefine:
            result.macro_lines.push_back(undefine_line(value));
            break;
        case Effect::IncludeDir:
            result.include_dirs.emplace_back(value);
            break;
        case Effect::ForceInclude:
            result.forced_includes.emplace_back(value);
            break;
        case Effect::Standard:
            result.standard = standard_name(value);
            break;
        case Effect::FastMath:
            result.fast_math = value.empty() || truth(row.spelling, value);
            break;
        case Effect::FlushDenormals:
            result.flush_denormals = truth(row.spelling, value);
            break;
        case Effect::PreciseDivide:
            result.precise_divide = truth(row.spelling, value);
            break;
        case Effect::PreciseSqrt:
            result.precise_sqrt = truth(row.spelling, value);
            break;
        case Effect::NoWarnings:
            result.show_warnings = false;
            break;
        case Effect::DeviceByDefault:
            result.device_by_default = true;
            break;
        case Effect::Warning:
            result.warning_flags.emplace_back(value);
            break;
        case Effect::Limit:
            add_limit(result, row.spelling, value);
            break;
        case Effect::Nothing:
            if (row.spelling == "-O") check_optimisation(value);
            break;
        case Effect::Part:
            result.is_part = value.empty() || truth(row.spelling, value);
            [[fallthrough]];  // the CPU device has whole programs only
        case Effect::Surprise:
            result.notes.push_back(fmt::format(
                "warning: option '{}{}{}' has no effect on a program compiled at run time",
                row.spelling, value.empty() ? "" : "=", value));
            break;
    }
}

bool needs_value(const Row& row) {
    return row.value == Value::JoinedOrNext || row.value == Value::EqualsOrNext;
}

std::string_view trimmed(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t");
    if (first == text.npos) return {};
    return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

}  // namespace

FrontendOptions parse_options(std::span<const std::string> options) {
    FrontendOptions result;
    for (std::size_t i = 0; i < options.size(); ++i) {
        const std::string_view option = trimmed(options[i]);
        if (option.empty()) continue;
        const Match match = find_row(option);
        if (match.row == nullptr) throw_unknown(option);
        std::string_view value = trimmed(match.value.value_or(std::string_view()));
        if (!match.value && needs_value(*match.row)) {
            if (++i == options.size()) {
                throw ArgumentError(ArgumentError::Kind::Value,
                                    fmt::format("option {} expects a value", quote(option)));
            }
            value = trimmed(options[i]);
        }
        apply(result, *match.row, value);
    }
    result.flush_denormals |= result.fast_math;
    return result;
}

}  // namespace warpwise::cpu_compiler
