// Shifts and conversions of constants that C++ leaves undefined, 1u << 32 and (int)1e20f: clang's
// code generator folds them to values of its own before lowering can define them as PTX does
// (lowering/scalar/shifts.cpp, conversions.cpp). Here they are made expressions that are defined.
//
// Threading: of the compile's thread.
#pragma once

#include <clang/AST/DeclGroup.h>

namespace clang {
class ASTContext;
}

namespace warpwise::cpu_compiler {

// In all that the declarations contain; to be called before code is generated for them. What
// depends on a template's parameters is left to its instances.
void define_constant_arithmetic(clang::ASTContext& context, clang::DeclGroupRef group);

}  // namespace warpwise::cpu_compiler
