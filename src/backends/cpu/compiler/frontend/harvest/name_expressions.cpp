// Writing and recognising the lines that represent name expressions.
#include "src/backends/cpu/compiler/frontend/harvest/name_expressions.hpp"

#include <clang/AST/Expr.h>
#include <clang/AST/ExprCXX.h>
#include <fmt/format.h>

#include <string_view>

#include "src/base/text.hpp"
#include "warpwise/error.hpp"

namespace warpwise::cpu_compiler {

namespace {

constexpr std::string_view kPrefix = "__warpwise_name_";

std::string_view trimmed(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t&");
    if (first == text.npos) return {};
    return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// Nothing that could end the line it is put into, and every bracket closed.
bool is_well_formed(std::string_view text) {
    if (text.empty() || text.find_first_of(";{}#\\\"\n\r") != text.npos) return false;
    if (text.find("//") != text.npos || text.find("/*") != text.npos) return false;
    std::string open;
    for (const char c : text) {
        if (c == '(' || c == '[') open.push_back(c);
        if (c != ')' && c != ']') continue;
        if (open.empty() || open.back() != (c == ')' ? '(' : '[')) return false;
        open.pop_back();
    }
    return open.empty();
}

// Where the parameter list of "k(float *, int)" begins; npos when there is none.
std::size_t parameter_list(std::string_view text) {
    if (text.back() != ')') return text.npos;
    int depth = 0;
    for (std::size_t i = text.size(); i-- > 0;) {
        if (text[i] == ')') ++depth;
        if (text[i] == '(' && --depth == 0) return i == 0 ? text.npos : i;
    }
    return text.npos;
}

std::string line_for(std::size_t index, std::string_view expression) {
    const std::size_t list = parameter_list(expression);
    const std::string_view name = expression.substr(0, list);
    const std::string cast = list == expression.npos ? std::string("(void)")
                                                     : fmt::format("(void)static_cast<void (*){}>",
                                                                   expression.substr(list));
    return fmt::format("inline void {}{}() {{ {}({}); }}\n", kPrefix, index, cast, name);
}

const clang::FunctionDecl* first_function(const clang::Stmt* statement) {
    if (statement == nullptr) return nullptr;
    if (const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(statement)) {
        return llvm::dyn_cast<clang::FunctionDecl>(reference->getDecl());
    }
    for (const clang::Stmt* child : statement->children()) {
        if (const clang::FunctionDecl* found = first_function(child)) return found;
    }
    return nullptr;
}

}  // namespace

NameExpressions::NameExpressions(const std::vector<std::string>& expressions)
    : expressions_(expressions), named_(expressions.size(), nullptr) {
    for (std::size_t i = 0; i < expressions_.size(); ++i) {
        const std::string_view text = trimmed(expressions_[i]);
        if (!is_well_formed(text)) {
            throw ArgumentError(
                ArgumentError::Kind::Value,
                fmt::format("{} is no kernel name; write it as in C++: \"k\", \"ns::k\", "
                            "\"scale<float>\" or \"k(float *, int)\"",
                            quote(expressions_[i])));
        }
        text_ += line_for(i, text);
    }
}

bool NameExpressions::is_ours(const clang::FunctionDecl& function) {
    const clang::IdentifierInfo* name = function.getIdentifier();
    return name != nullptr && name->getName().starts_with(llvm::StringRef(kPrefix));
}

void NameExpressions::see(const clang::FunctionDecl& function) {
    const clang::IdentifierInfo* name = function.getIdentifier();
    if (empty() || name == nullptr || !function.hasBody()) return;
    llvm::StringRef rest = name->getName();
    std::size_t index = 0;
    if (!rest.consume_front(llvm::StringRef(kPrefix)) || rest.getAsInteger(10, index)) return;
    if (index < named_.size()) named_[index] = first_function(function.getBody());
}

}  // namespace warpwise::cpu_compiler
