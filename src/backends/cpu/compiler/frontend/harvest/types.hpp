// From clang's types to ours. Invariant: a DType is given only where its size, alignment and fields
// are exactly those of the type on the device.
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/AST/PrettyPrinter.h>
#include <clang/AST/Type.h>

#include <optional>

#include "warpwise/dtype.hpp"
#include "warpwise/signature.hpp"

namespace warpwise::cpu_compiler {

// nullopt for types that no DType describes: unions, bit-fields, virtual functions, 128-bit
// integers.
std::optional<DType> dtype_of(const clang::ASTContext& context, clang::QualType type);

// A kernel's parameter of this type: passing, dtype, is_const, size and alignment are filled in.
Parameter parameter_of(const clang::ASTContext& context, clang::QualType type);

// How names and types are written for users: "bool", no "struct", no inline namespaces.
clang::PrintingPolicy naming_policy(const clang::ASTContext& context);

// The type in the words of the source: "const float *".
std::string spelling_of(const clang::ASTContext& context, clang::QualType type);

}  // namespace warpwise::cpu_compiler
