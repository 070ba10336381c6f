// Deduction guides for class templates, template <class T> Box(T) -> Box<T>: a host function to
// clang unless it says otherwise, while nvcc takes guides in device code as they are.
//
// A GuideMarker gives them both attributes as soon as they are declared. It is shown every token,
// because it must act before the next function body, also in namespaces, which clang reports as a
// whole.
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclBase.h>
#include <clang/Basic/TokenKinds.h>
#include <clang/Lex/Token.h>

namespace warpwise::cpu_compiler {

class GuideMarker {
  public:
    // `context` is null before parsing begins.
    void see(const clang::Token& token, clang::ASTContext* context);

  private:
    static void mark_all(const clang::DeclContext& context);

    clang::tok::TokenKind before_ = clang::tok::unknown;
    bool may_be_new_ = false;  // ")->" has been read since the last body began
};

}  // namespace warpwise::cpu_compiler
