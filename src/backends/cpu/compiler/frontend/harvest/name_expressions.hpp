// Name expressions ("scale<float>", "k(float *, int)"): turned into a few lines of C++ that are
// compiled after the user's source, as NVRTC does it, so that clang itself finds and instantiates
// what they name.
#pragma once

#include <clang/AST/Decl.h>

#include <string>
#include <vector>

namespace warpwise::cpu_compiler {

class NameExpressions {
  public:
    // Throws ArgumentError for text that cannot be a name expression.
    explicit NameExpressions(const std::vector<std::string>& expressions);

    bool empty() const noexcept { return expressions_.empty(); }
    std::size_t size() const noexcept { return expressions_.size(); }
    const std::string& expression(std::size_t i) const { return expressions_[i]; }
    // One line per expression, in order: line i + 1 belongs to expression i.
    const std::string& text() const noexcept { return text_; }

    // Whether it is a function of text().
    static bool is_ours(const clang::FunctionDecl& function);
    // To be called with every function that the parser reads; records those of text().
    void see(const clang::FunctionDecl& function);
    // What expression i names; nullptr while it was not seen.
    const clang::FunctionDecl* named(std::size_t i) const { return named_[i]; }

  private:
    std::vector<std::string> expressions_;
    std::vector<const clang::FunctionDecl*> named_;
    std::string text_;
};

}  // namespace warpwise::cpu_compiler
