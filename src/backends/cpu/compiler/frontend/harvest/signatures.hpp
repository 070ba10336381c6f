// Reads kernels and globals of a parsed source: what the run time checks launches against.
#pragma once

#include <clang/AST/Decl.h>

#include <string>

#include "src/compiler/program.hpp"
#include "warpwise/signature.hpp"

namespace warpwise::cpu_compiler {

// "ns::scale<float>": qualified, with template arguments, without inline and anonymous namespaces.
std::string qualified_name(const clang::NamedDecl& declaration);

// Everything but the symbol.
KernelSignature signature_of(const clang::FunctionDecl& kernel);
compiler::GlobalInfo global_of(const clang::VarDecl& variable);

}  // namespace warpwise::cpu_compiler
