// Takes apart what the C++ run time's demangler gives.
#include "src/backends/cuda/nvrtc/kernel_names.hpp"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>
#include <string_view>

namespace warpwise::cuda {
namespace {

std::string demangled(const std::string& symbol) {
    int status = 0;
    const std::unique_ptr<char, decltype(&std::free)> text(
        abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), &std::free);
    return status == 0 && text != nullptr ? std::string(text.get()) : std::string();
}

// Where the parentheses begin that end at the last closing one.
std::size_t parameters_of(std::string_view name) {
    const std::size_t end = name.rfind(')');
    if (end == std::string_view::npos) return name.size();
    int depth = 0;
    for (std::size_t at = end + 1; at-- > 0;) {
        if (name[at] == ')') ++depth;
        if (name[at] == '(' && --depth == 0) return at;
    }
    return name.size();
}

}  // namespace

std::string kernel_name(const std::string& symbol) {
    if (!symbol.starts_with("_Z")) return symbol;
    const std::string whole = demangled(symbol);
    if (whole.empty()) return symbol;
    const std::string_view name = std::string_view(whole).substr(0, parameters_of(whole));
    // The return type, which templates have, ends at the last blank outside of brackets.
    std::size_t begin = 0;
    int depth = 0;
    for (std::size_t at = 0; at < name.size(); ++at) {
        if (name[at] == '<' || name[at] == '(') ++depth;
        if (name[at] == '>' || name[at] == ')') --depth;
        if (name[at] == ' ' && depth == 0) begin = at + 1;
    }
    return std::string(name.substr(begin));
}

}  // namespace warpwise::cuda
