// PTX, word by word: a program's text names its kernels, their parameters' sizes and its variables.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <utility>
#include <vector>

#include "src/backends/cuda/link/binary_signatures.hpp"
#include "src/base/text.hpp"
#include "warpwise/error.hpp"

namespace warpwise::cuda {
namespace {

// The words of a PTX text, comments passed over; signs are words of one character.
class PtxWords {
  public:
    explicit PtxWords(std::string_view text) : text_(text) {}

    std::string_view next() {
        skip();
        const std::size_t begin = at_;
        while (at_ < text_.size() && is_part(text_[at_])) ++at_;
        if (at_ == begin && at_ < text_.size()) ++at_;
        return text_.substr(begin, at_ - begin);
    }
    // Behind the body that opens here.
    void skip_body() {
        int depth = 1;
        while (depth > 0) {
            const std::string_view word = next();
            if (word.empty()) return;
            depth += word == "{" ? 1 : word == "}" ? -1 : 0;
        }
    }

  private:
    static bool is_part(char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' ||
               c == '%' || c == '.';
    }
    void skip() {
        while (at_ < text_.size()) {
            const std::string_view rest = text_.substr(at_);
            if (rest.starts_with("//")) {
                at_ = std::min(text_.find('\n', at_), text_.size());
            } else if (rest.starts_with("/*")) {
                const std::size_t end = text_.find("*/", at_);
                at_ = end == std::string_view::npos ? text_.size() : end + 2;
            } else if (std::isspace(static_cast<unsigned char>(text_[at_])) != 0) {
                ++at_;
            } else {
                return;
            }
        }
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

std::uint64_t number_of(std::string_view word) {
    std::uint64_t value = 0;
    std::from_chars(word.data(), word.data() + word.size(), value);
    return value;
}

// ".u64" -> 8; 0 when the word is no type.
std::uint32_t bytes_of_type(std::string_view word) {
    if (word.size() < 3 || word.front() != '.') return 0;
    if (std::string_view("busf").find(word[1]) == std::string_view::npos) return 0;
    const std::uint64_t bits = number_of(word.substr(2));
    return bits % 8 == 0 && bits <= 128 ? static_cast<std::uint32_t>(bits / 8) : 0;
}

struct Declared {
    std::string name;
    std::uint64_t bytes = 0;
    std::uint32_t alignment = 1;
    std::string_view end;  // the word behind it
};

// ".align 4 .b8 name[24]" and what may be between, up to one of ",)=;".
Declared declaration(PtxWords& words) {
    Declared result;
    std::uint32_t element = 0;
    std::uint64_t count = 1;
    for (std::string_view word = words.next();; word = words.next()) {
        if (word.empty() || word == "," || word == ")" || word == "=" || word == ";") {
            result.end = word;
            break;
        }
        if (word == ".align") {
            result.alignment = static_cast<std::uint32_t>(number_of(words.next()));
        } else if (word == "[") {
            count *= number_of(words.next());
        } else if (word == ".v2" || word == ".v4") {
            count *= word == ".v2" ? 2 : 4;
        } else if (const std::uint32_t bytes = bytes_of_type(word); bytes != 0) {
            element = bytes;
        } else if (word.front() != '.' && word != "]" && !word.empty()) {
            result.name = word;
        }
    }
    result.bytes = element * count;
    result.alignment = std::max(result.alignment, element);
    return result;
}

compiler::KernelInfo ptx_kernel(PtxWords& words) {
    compiler::KernelInfo kernel;
    KernelSignature& signature = kernel.signature;
    signature.symbol = words.next();
    std::string_view word = words.next();
    while (word == "(" || word == ",") {
        const Declared declared = declaration(words);
        word = declared.end;
        if (declared.name.empty()) continue;
        const std::uint32_t alignment = std::max<std::uint32_t>(declared.alignment, 1);
        const auto size = static_cast<std::uint32_t>(declared.bytes);
        const std::uint32_t offset =
            (signature.argument_bytes + alignment - 1) / alignment * alignment;
        signature.parameters.push_back({.passing = Parameter::Passing::Sized,
                                        .offset = offset,
                                        .size = size,
                                        .alignment = alignment});
        signature.argument_bytes = offset + size;
    }
    name_kernel(kernel);
    return kernel;
}

// The name behind ".entry" or ".func": ".func (.param .b32 result) name".
std::string_view ptx_function_name(PtxWords& words) {
    std::string_view word = words.next();
    if (word != "(") return word;
    while (word != ")" && !word.empty()) word = words.next();
    return words.next();
}

}  // namespace

bool is_ptx(std::string_view text) noexcept {
    return PtxWords(text).next() == ".version";
}

compiler::Program read_ptx(std::string_view ptx, std::string_view name) {
    compiler::Program program;
    program.format = "ptx";
    const auto* const bytes = reinterpret_cast<const std::byte*>(ptx.data());
    program.binary.assign(bytes, bytes + ptx.size());
    PtxWords words(ptx);
    bool is_extern = false;
    for (std::string_view word = words.next(); !word.empty(); word = words.next()) {
        if (word == ".extern") is_extern = true;
        if (word == ".target") program.target = words.next();
        if (word == ".entry") {
            compiler::KernelInfo kernel = ptx_kernel(words);
            if (!is_extern) program.kernels.push_back(std::move(kernel));
            is_extern = false;
        } else if (word == ".global" || word == ".const") {
            const Declared variable = declaration(words);
            if (!is_extern && !variable.name.empty()) {
                program.globals.push_back({.name = demangled(variable.name),
                                           .symbol = variable.name,
                                           .size = variable.bytes,
                                           .is_constant = word == ".const",
                                           .dtype = {}});
            }
            is_extern = false;
            for (std::string_view end = variable.end; end != ";" && !end.empty();) {
                end = words.next();
            }
        } else if (word == "{") {
            words.skip_body();
            is_extern = false;
        } else if (word == ";") {
            is_extern = false;
        }
    }
    if (program.target.empty()) {
        throw ArgumentError(ArgumentError::Kind::Value,
                            fmt::format("{} is no PTX: it names no target", quote(name)));
    }
    std::erase_if(program.globals,
                  [](const auto& global) { return is_of_a_compiler(global.name); });
    return program;
}

std::vector<std::string> definitions_in_ptx(std::string_view ptx) {
    std::vector<std::string> found;
    PtxWords words(ptx);
    bool is_visible = false;
    std::string_view function;  // a declaration as long as no body has come
    for (std::string_view word = words.next(); !word.empty(); word = words.next()) {
        if (word == ".visible") {
            is_visible = true;
        } else if (word == ".entry" || word == ".func") {
            function = ptx_function_name(words);
        } else if (word == ".global" || word == ".const") {
            const Declared variable = declaration(words);
            if (is_visible) found.push_back(variable.name);
            is_visible = false;
            for (word = variable.end; word != ";" && !word.empty();) word = words.next();
        } else if (word == "{" || word == ";") {
            if (word == "{") words.skip_body();
            if (word == "{" && is_visible && !function.empty()) found.emplace_back(function);
            is_visible = false;
            function = {};
        }
    }
    return found;
}

}  // namespace warpwise::cuda
