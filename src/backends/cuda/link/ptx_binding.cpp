// PTX statement by statement. Names are found as whole words; a memory operand "[name+4]" needs its
// address in a register, which is set at the top of the function.
#include "src/backends/cuda/link/ptx_binding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <vector>

#include "src/base/text.hpp"
#include "warpwise/error.hpp"

namespace warpwise::cuda {
namespace {

bool is_name_character(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '%' ||
           c == '.';
}

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())) != 0) {
        text.remove_prefix(1);
    }
    return text;
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
    for (std::size_t at = text.find(from); at != std::string::npos;
         at = text.find(from, at + to.size())) {
        text.replace(at, from.size(), to);
    }
    return text;
}

// The words of one statement, and the text between them.
class Words {
  public:
    explicit Words(std::string_view text) : text_(text) {}

    // False at the end. `gap` goes before `word`.
    bool next(std::string_view& gap, std::string_view& word) {
        const std::size_t start = at_;
        while (at_ < text_.size() && !is_name_character(text_[at_])) skip_one();
        gap = text_.substr(start, at_ - start);
        const std::size_t begin = at_;
        while (at_ < text_.size() && is_name_character(text_[at_])) ++at_;
        word = text_.substr(begin, at_ - begin);
        return !gap.empty() || !word.empty();
    }

  private:
    void skip_one() {
        if (text_[at_] == '"') {
            const std::size_t end = text_.find('"', at_ + 1);
            at_ = end == std::string_view::npos ? text_.size() - 1 : end;
        }
        ++at_;
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

class Binding {
  public:
    explicit Binding(const VariableAddresses& addresses) : addresses_(addresses) {}

    // A line of the module's own level: "" when it defines a bound variable.
    std::string at_module_level(std::string_view line) const {
        const std::string_view text = trimmed(line);
        const bool is_variable =
            text.starts_with(".global") || text.starts_with(".const") ||
            text.starts_with(".visible .global") || text.starts_with(".visible .const") ||
            text.starts_with(".weak .global") || text.starts_with(".weak .const");
        if (!is_variable) return std::string(line);
        std::string result;
        std::string_view gap;
        std::string_view word;
        bool is_defined = false;
        for (Words words(line); words.next(gap, word);) {
            const auto found = addresses_.find(word);
            if (found == addresses_.end()) {
                result.append(gap).append(word);
                is_defined |= gap.find('=') != std::string_view::npos;
                continue;
            }
            if (!is_defined && result.find('=') == std::string::npos &&
                gap.find('=') == std::string_view::npos) {
                return {};  // its own definition
            }
            // In an initialiser: generic(name).
            result.append(gap).append(fmt::format("{}", found->second));
        }
        return replaced(replaced(std::move(result), "generic(", "("), ".const ", ".global ");
    }

    // A line of a function.
    std::string in_function(std::string_view line) {
        std::string result;
        std::string_view gap;
        std::string_view word;
        for (Words words(line); words.next(gap, word);) {
            result.append(gap);
            const auto found = addresses_.find(word);
            if (found == addresses_.end()) {
                result.append(word);
            } else if (gap.ends_with('[')) {
                result.append(address_register(found->first));
            } else {
                result.append(fmt::format("{}", found->second));
            }
        }
        if (has_constants_) {
            result = replaced(std::move(result), "ld.const.", "ld.global.");
            result = replaced(std::move(result), "cvta.const.", "cvta.global.");
            result = replaced(std::move(result), "cvta.to.const.", "cvta.to.global.");
        }
        return result;
    }

    // The registers that in_function() has requested since the last time.
    std::string take_registers() {
        std::string text;
        for (const std::string& name : used_) {
            text += fmt::format("\t.reg .b64 {0};\n\tmov.u64 {0}, {1};\n", register_of(name),
                                addresses_.find(name)->second);
        }
        used_.clear();
        return text;
    }

    void note_constants() { has_constants_ = true; }

  private:
    std::string register_of(const std::string& name) const {
        return fmt::format("%ww{}", std::distance(addresses_.begin(), addresses_.find(name)));
    }
    std::string address_register(const std::string& name) {
        if (std::ranges::find(used_, name) == used_.end()) used_.push_back(name);
        return register_of(name);
    }

    const VariableAddresses& addresses_;
    std::vector<std::string> used_;
    bool has_constants_ = false;
};

std::vector<std::string_view> lines_of(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        lines.push_back(text.substr(0, end));
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    return lines;
}

}  // namespace

std::string bind_variables(std::string_view ptx, const VariableAddresses& addresses) {
    Binding binding(addresses);
    const std::vector<std::string_view> lines = lines_of(ptx);
    for (const std::string_view line : lines) {
        const bool is_constant =
            trimmed(line).starts_with(".const") || line.find(" .const ") != std::string_view::npos;
        if (is_constant) binding.note_constants();
    }
    std::string result;
    std::string body;
    bool is_inside = false;
    for (const std::string_view line : lines) {
        if (!is_inside) {
            // NVRTC opens a function's body with a line of its own.
            is_inside = line == "{";
            result += binding.at_module_level(line) + "\n";
        } else if (line == "}") {
            is_inside = false;
            result += binding.take_registers() + body + "}\n";
            body.clear();
        } else {
            body += binding.in_function(line) + "\n";
        }
    }
    if (is_inside) throw DeviceError("the PTX of a kernel has a function without an end");
    return result;
}

}  // namespace warpwise::cuda
