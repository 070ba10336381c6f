// Lines of the log, and which package has which header.
#include "src/backends/cuda/nvrtc/nvrtc_errors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <vector>

#include "warpwise/error.hpp"

namespace warpwise::cuda {
namespace {

struct Origin {
    std::string_view prefix;
    std::string_view package;
};
// The first that fits.
constexpr Origin kOrigins[] = {
    {"crt/", "nvidia-cuda-crt"},
    {"cub/", "nvidia-cuda-cccl"},
    {"thrust/", "nvidia-cuda-cccl"},
    {"cuda/", "nvidia-cuda-cccl"},
    {"nv/", "nvidia-cuda-cccl"},
    {"curand", "nvidia-curand"},
    {"cooperative_groups", "nvidia-cuda-runtime"},
    {"cuda_", "nvidia-cuda-runtime"},
    {"cuComplex.h", "nvidia-cuda-runtime"},
    {"mma.h", "nvidia-cuda-runtime"},
    {"sm_", "nvidia-cuda-runtime"},
    {"driver_types.h", "nvidia-cuda-runtime"},
    {"library_types.h", "nvidia-cuda-runtime"},
    {"cublas", "nvidia-cublas"},
    {"cusparse", "nvidia-cusparse"},
    {"cufft", "nvidia-cufft"},
};

constexpr std::string_view kStandard[] = {
    "algorithm", "array",    "atomic", "bit",      "chrono",  "complex", "functional",  "memory",
    "numeric",   "optional", "ratio",  "span",     "string",  "tuple",   "type_traits", "utility",
    "variant",   "vector",   "random", "iterator", "cassert", "map",     "set",         "iomanip"};

// The header in: could not open source file "cuda_fp16.h".
std::string_view missing_header(std::string_view line) {
    constexpr std::string_view kMark = "open source file \"";
    const std::size_t mark = line.find(kMark);
    if (mark == std::string_view::npos) return {};
    line.remove_prefix(mark + kMark.size());
    return line.substr(0, line.find('"'));
}

// "k.cu(3): error: ...", or "k.cu:3:8: error: ..."; without a place: an empty file.
struct Message {
    std::string_view file;
    std::string_view line;    // digits
    std::string_view column;  // digits, or empty
    std::string_view text;    // from "error: " on
};

bool is_number(std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
}

std::optional<Message> parse(std::string_view line) {
    constexpr std::string_view kKinds[] = {
        "error: ", "catastrophic error: ", "warning: ", "warning #", "error #", "note: ", "note #",
        "remark #"};
    for (const std::string_view kind : kKinds) {
        const std::size_t mark = line.find(": " + std::string(kind));
        if (mark == line.npos) continue;
        const std::string_view place = line.substr(0, mark);
        const std::string_view text = line.substr(mark + 2);
        if (place.ends_with(')')) {
            const std::size_t open = place.rfind('(');
            if (open == place.npos) continue;
            const std::string_view number = place.substr(open + 1, place.size() - open - 2);
            if (is_number(number)) return Message{place.substr(0, open), number, {}, text};
            continue;
        }
        const std::size_t second = place.rfind(':');
        if (second == place.npos || second == 0) continue;
        const std::size_t first = place.rfind(':', second - 1);
        if (first == place.npos) continue;
        const Message found{place.substr(0, first), place.substr(first + 1, second - first - 1),
                            place.substr(second + 1), text};
        if (is_number(found.line) && is_number(found.column)) return found;
    }
    return std::nullopt;
}

// Counted from 1; 0: `caret` is no caret below a line of source. NVRTC indents both by two.
std::size_t column_of(std::string_view source, std::string_view caret) {
    constexpr std::size_t kIndent = 2;
    const std::size_t at = caret.find('^');
    const bool is_caret = at != caret.npos && at >= kIndent && caret.find_first_not_of(' ') == at &&
                          at + 1 == caret.size();
    return is_caret && source.starts_with("  ") ? at - kIndent + 1 : 0;
}

std::vector<std::string_view> lines_of(std::string_view text) {
    std::vector<std::string_view> lines;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        lines.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return lines;
}

}  // namespace

std::string with_columns(std::string_view log) {
    const std::vector<std::string_view> lines = lines_of(log);
    std::string result;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        if (i > 0) result += '\n';
        const auto message = parse(lines[i]);
        const std::size_t column = message && message->column.empty() && i + 2 < lines.size()
                                       ? column_of(lines[i + 1], lines[i + 2])
                                       : 0;
        if (column == 0) {
            result += lines[i];
        } else {
            result +=
                fmt::format("{}:{}:{}: {}", message->file, message->line, column, message->text);
        }
    }
    return result;
}

std::string origin_of_header(std::string_view header, int version) {
    const bool is_twelve = version < 13000;
    for (const Origin& origin : kOrigins) {
        if (!header.starts_with(origin.prefix)) continue;
        // CUDA 13's headers of CRT are a package of their own.
        return fmt::format("it is part of the CUDA toolkit: install that, or `pip install {}{}`",
                           origin.package, is_twelve ? "-cu12" : "");
    }
    if (std::ranges::find(kStandard, header) != std::end(kStandard)) {
        return fmt::format(
            "NVRTC has no C++ library for the host; <cuda/std/{}> of `pip install "
            "nvidia-cuda-cccl{}` works in kernels",
            header, is_twelve ? "-cu12" : "");
    }
    return {};
}

void throw_compile_error(const std::string& log, int version) {
    constexpr std::string_view kMark = "error: ";
    for (const std::string_view line : lines_of(log)) {
        if (line.find(kMark) == line.npos) continue;
        int number = 0;
        const Message place = parse(line).value_or(Message{});
        std::from_chars(place.line.data(), place.line.data() + place.line.size(), number);
        std::string text(line);
        const std::string origin = origin_of_header(missing_header(line), version);
        if (!origin.empty()) text += "; " + origin;
        throw CompileError(text, log, std::string(place.file), number);
    }
    throw CompileError("the source does not compile for the GPU", log, {}, 0);
}

}  // namespace warpwise::cuda
