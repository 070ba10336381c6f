// Texture and surface references: variables that a source declares like any host variable,
// texture<float, 2> image, and that device code reads.
//
// A ReferenceMarker makes them device variables as soon as they are declared. It is shown every
// token, because it must act before the next function body: inside extern "C" { } clang reports
// declarations only when the whole block has been parsed.
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/AST/DeclGroup.h>
#include <clang/Lex/Token.h>

#include "src/compiler/program.hpp"

namespace warpwise::cpu_compiler {

// Texture or Surface for variables of the class templates in the built-in headers, by declaration:
// a source may have templates of these names of its own.
compiler::GlobalInfo::Role role_of(const clang::VarDecl& variable);
bool is_reference(const clang::VarDecl& variable);
// Whether a function takes one, whatever its template arguments.
bool takes_reference(const clang::FunctionDecl& function);

class ReferenceMarker {
  public:
    // `context` is null before parsing begins.
    void see(const clang::Token& token, clang::ASTContext* context);
    void mark(clang::DeclGroupRef group);

  private:
    void mark_all(const clang::DeclContext& context);
    void mark(clang::Decl& declaration);

    bool is_named_ = false;  // the source has named "texture" or "surface"
};

}  // namespace warpwise::cpu_compiler
