// One pass over the words of the source.
#include "src/backends/cuda/compiler/variable_guess.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

namespace warpwise::cuda {
namespace {

// Headers without variables in device memory: CUDA's, those of the C library, and, by the look of
// their names, those of the C++ library ("tuple") and of NVIDIA's libraries for device code.
constexpr std::array<std::string_view, 27> kHarmless = {"alloca.h",
                                                        "assert.h",
                                                        "cooperative_groups.h",
                                                        "cuComplex.h",
                                                        "cuda.h",
                                                        "cuda_bf16.h",
                                                        "cuda_fp16.h",
                                                        "cuda_fp8.h",
                                                        "cuda_runtime.h",
                                                        "cufft.h",
                                                        "curand.h",
                                                        "cuda_runtime_api.h",
                                                        "device_launch_parameters.h",
                                                        "device_functions.h",
                                                        "float.h",
                                                        "inttypes.h",
                                                        "limits.h",
                                                        "math.h",
                                                        "mma.h",
                                                        "math_constants.h",
                                                        "math_functions.h",
                                                        "stddef.h",
                                                        "stdint.h",
                                                        "stdio.h",
                                                        "stdlib.h",
                                                        "string.h",
                                                        "vector_types.h"};
constexpr std::array<std::string_view, 4> kHarmlessFolders = {"cooperative_groups/", "cub/",
                                                              "cuda/", "thrust/"};

bool looks_harmless(std::string_view name) {
    const auto begins = [&](std::string_view folder) { return name.starts_with(folder); };
    return std::ranges::find(kHarmless, name) != kHarmless.end() ||
           std::ranges::any_of(kHarmlessFolders, begins) ||
           name.find_first_of("./") == std::string_view::npos;
}

bool is_word_character(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

class Look {
  public:
    explicit Look(const compiler::CompileRequest& request)
        : text_(request.source), request_(request) {}

    std::optional<std::vector<std::string>> run() {
        while (is_sure_ && at_ < text_.size()) step();
        // Which branch of an #if is taken is not for a look.
        if (!is_sure_ || (has_conditions_ && !names_.empty())) return std::nullopt;
        return std::move(names_);
    }

  private:
    void step() {
        const char c = text_[at_];
        const std::string_view rest = text_.substr(at_);
        if (rest.starts_with("//")) {
            skip_to("\n");
        } else if (rest.starts_with("/*")) {
            skip_to("*/");
        } else if (c == '"' || c == '\'') {
            skip_literal(c);
        } else if (c == '#') {
            directive();
        } else if (is_word_character(c)) {
            word();
        } else {
            depth_ += c == '{' ? 1 : c == '}' ? -1 : 0;
            ++at_;
        }
    }

    void skip_to(std::string_view mark) {
        const std::size_t end = text_.find(mark, at_);
        at_ = end == std::string_view::npos ? text_.size() : end + mark.size();
    }

    void skip_literal(char quote) {
        // Raw strings end by other rules.
        if (at_ > 0 && text_[at_ - 1] == 'R') is_sure_ = false;
        for (++at_; at_ < text_.size() && text_[at_] != quote; ++at_) {
            if (text_[at_] == '\\') ++at_;
        }
        ++at_;
    }

    std::string_view line() {
        const std::size_t begin = at_;
        do {
            skip_to("\n");
        } while (at_ < text_.size() && at_ >= 2 && text_[at_ - 2] == '\\');
        return text_.substr(begin, at_ - begin);
    }

    void directive() {
        std::string_view text = line();
        text.remove_prefix(1);
        while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) {
            text.remove_prefix(1);
        }
        if (text.starts_with("include")) {
            is_sure_ = is_sure_ && is_harmless(text);
        } else if (text.starts_with("if")) {
            has_conditions_ = true;
        } else if (text.starts_with("define")) {
            is_sure_ = is_sure_ && text.find("__device__") == std::string_view::npos &&
                       text.find("__constant__") == std::string_view::npos;
        }
    }

    bool is_harmless(std::string_view include) const {
        const std::size_t begin = include.find_first_of("<\"");
        if (begin == std::string_view::npos) return false;
        const std::size_t end = include.find_first_of(">\"", begin + 1);
        const std::string_view name = include.substr(begin + 1, end - begin - 1);
        for (const auto& header : request_.headers) {
            if (header.first == name) return false;
        }
        return looks_harmless(name);
    }

    std::string_view take_word() {
        const std::size_t begin = at_;
        while (at_ < text_.size() && is_word_character(text_[at_])) ++at_;
        return text_.substr(begin, at_ - begin);
    }

    void word() {
        const std::string_view found = take_word();
        const bool is_reference = found == "texture" || found == "surface";
        if (is_reference || found == "__managed__" || found == "namespace") {
            is_sure_ = is_sure_ && !(is_reference && text_.substr(at_).starts_with('<')) &&
                       found != "__managed__" && found != "namespace";
        } else if (found == "__device__" || found == "__constant__") {
            declaration();
        }
    }

    // What follows the word up to the end of its declarator: a function has "(" there.
    void declaration() {
        std::string_view last;
        while (at_ < text_.size()) {
            const char c = text_[at_];
            if (is_word_character(c)) {
                last = take_word();
                if (last == "__align__" || last == "alignas" || last == "__launch_bounds__") {
                    skip_to(")");
                }
            } else if (c == '(') {
                return;
            } else if (c == ';' || c == '=' || c == '[' || c == '{') {
                break;
            } else if (c == ',' || c == '<' || c == ':' || c == '/' || c == '#') {
                // Several declarators, templates, qualified names: not for a look. A function that
                // has them in its type is taken for such.
                is_sure_ = false;
                return;
            } else {
                ++at_;
            }
        }
        is_sure_ = is_sure_ && depth_ == 0 && !last.empty();
        if (is_sure_) names_.emplace_back(last);
        if (is_sure_) skip_initialiser();
    }

    void skip_initialiser() {
        const std::size_t end = text_.find(';', at_);
        const std::string_view rest = text_.substr(at_, end - at_);
        // "int a[2], b;" has another one behind; so may a list of values look.
        const std::size_t open = rest.find('{');
        is_sure_ = rest.substr(0, open).find(',') == std::string_view::npos;
        at_ = end == std::string_view::npos ? text_.size() : end;
    }

    const std::string_view text_;
    const compiler::CompileRequest& request_;
    std::size_t at_ = 0;
    int depth_ = 0;
    bool is_sure_ = true;
    bool has_conditions_ = false;
    std::vector<std::string> names_;
};

}  // namespace

std::optional<std::vector<std::string>> guess_variables(const compiler::CompileRequest& request) {
    return Look(request).run();
}

}  // namespace warpwise::cuda
