// Parsing from one table of spellings.
#include "src/compiler/mode_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <system_error>

#include "src/base/text.hpp"
#include "warpwise/error.hpp"

namespace warpwise::compiler {
namespace {

constexpr std::string_view kOwnPrefix = "--warpwise-";

[[noreturn]] void refuse(std::string_view option, std::string_view expected,
                         std::string_view value) {
    throw ArgumentError(ArgumentError::Kind::Value,
                        fmt::format("{} expects {}, got {}", option, expected, quote(value)));
}

void set_executor(CompileMode& mode, std::string_view option, std::string_view value) {
    mode.executor = executor_named(value);
    if (!mode.executor) refuse(option, "auto, reference, gang or regions", value);
}

void set_tier(CompileMode& mode, std::string_view option, std::string_view value) {
    if (value != "quick" && value != "full") refuse(option, "quick or full", value);
    mode.tier = value == "quick" ? Tier::Quick : Tier::Full;
}

// "16,16,1", "16,16" or "256".
void set_block(CompileMode& mode, std::string_view option, std::string_view value) {
    constexpr std::uint32_t kMost = 1024;
    BlockShape shape = {1, 1, 1};
    std::size_t axis = 0;
    for (std::string_view rest = value;; ++axis) {
        const std::string_view word = rest.substr(0, rest.find(','));
        const auto [end, error] =
            axis < 3 ? std::from_chars(word.data(), word.data() + word.size(), shape[axis])
                     : std::from_chars_result{nullptr, std::errc::invalid_argument};
        if (error != std::errc() || end != word.data() + word.size() || shape[axis] == 0 ||
            shape[axis] > kMost) {
            refuse(option, "the shape of a block, 256 or 16,16 or 8,8,4", value);
        }
        if (word.size() == rest.size()) break;
        rest.remove_prefix(word.size() + 1);
    }
    mode.block = shape;
}

void set_skipped_passes(CompileMode& mode, std::string_view, std::string_view value) {
    mode.skipped_passes = split_at_commas(value);
}

void set_kernel(CompileMode& mode, std::string_view, std::string_view value) {
    mode.kernel = value;
}

void set_allow_beyond_gpu(CompileMode& mode, std::string_view option, std::string_view value) {
    if (!value.empty()) refuse(option, "no value", value);
    mode.allow_beyond_gpu = true;
}

void set_contraction(CompileMode& mode, std::string_view option, std::string_view value) {
    const bool is_on = value == "true" || value == "1";
    if (!is_on && value != "false" && value != "0") refuse(option, "true or false", value);
    mode.contraction = is_on;
}

using Set = void (*)(CompileMode& mode, std::string_view option, std::string_view value);

constexpr std::string_view kAllowBeyondGpu = "--allow-beyond-gpu";  // has no value

constexpr std::array<std::string_view, 8> kNames = {"--warpwise-executor",
                                                    "--warpwise-tier",
                                                    "--warpwise-block",
                                                    "--warpwise-kernel",
                                                    "--warpwise-skip-pass",
                                                    kAllowBeyondGpu,
                                                    "-fmad",
                                                    "--fmad"};
constexpr std::array<Set, kNames.size()> kSetters = {
    set_executor,         set_tier,        set_block,      set_kernel, set_skipped_passes,
    set_allow_beyond_gpu, set_contraction, set_contraction};

// Options whose value may be the next word: that word is no option, whatever it looks like.
constexpr std::string_view kTakeNext[] = {
    "-D",       "--define-macro",   "-U",         "--undefine-macro",   "-I",
    "-isystem", "--include-path",   "-include",   "--system-include",   "--pre-include",
    "-Xptxas",  "--ptxas-options",  "-Xcompiler", "--compiler-options", "-Xlinker",
    "-Xcudafe", "--linker-options", "-Xnvlink",   "--nvlink-options"};

std::string_view trimmed(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t");
    if (first == text.npos) return {};
    return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

[[noreturn]] void refuse_unknown(std::string_view option) {
    const std::vector<std::string> known(kNames.begin(), kNames.end());
    throw ArgumentError(ArgumentError::Kind::Value,
                        fmt::format("unknown compiler option {}{}", quote(option),
                                    suggestion(option.substr(0, option.find('=')), known)));
}

// The setter of the option, or null for one that is not of the mode.
const Set* setter_of(std::string_view option) {
    const std::string_view name = option.substr(0, option.find('='));
    const auto* const found = std::ranges::find(kNames, name);
    if (found != kNames.end()) return &kSetters[static_cast<std::size_t>(found - kNames.begin())];
    if (option.starts_with(kOwnPrefix)) refuse_unknown(option);
    return nullptr;
}

}  // namespace

CompileMode take_mode(std::vector<std::string>& options) {
    CompileMode mode;
    std::vector<std::string> others;
    for (std::size_t i = 0; i < options.size(); ++i) {
        const std::string_view option = trimmed(options[i]);
        const Set* const set = setter_of(option);
        if (set == nullptr) {
            const bool takes_next = std::ranges::find(kTakeNext, option) != std::end(kTakeNext) &&
                                    i + 1 < options.size();
            others.push_back(std::move(options[i]));
            if (takes_next) others.push_back(std::move(options[++i]));
            continue;
        }
        const std::size_t equals = option.find('=');
        const std::string_view name = option.substr(0, equals);
        if (equals != option.npos) {
            (*set)(mode, name, trimmed(option.substr(equals + 1)));
        } else if (name == kAllowBeyondGpu) {
            (*set)(mode, name, {});
        } else if (++i < options.size()) {
            (*set)(mode, name, trimmed(options[i]));
        } else {
            throw ArgumentError(ArgumentError::Kind::Value,
                                fmt::format("option {} expects a value", quote(option)));
        }
    }
    options = std::move(others);
    return mode;
}

std::span<const std::string_view> mode_option_names() noexcept {
    return kNames;
}

std::vector<std::string> nvidia_options(const CompileRequest& request) {
    std::vector<std::string> options = request.options;
    if (!request.mode.contraction) options.emplace_back("--fmad=false");
    return options;
}

}  // namespace warpwise::compiler
