// Signatures and globals from declarations. Offsets follow CUDA's packing: each parameter at the
// next multiple of its own alignment.
#include "src/backends/cpu/compiler/frontend/harvest/signatures.hpp"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/DeclTemplate.h>
#include <llvm/Support/raw_ostream.h>

#include "src/backends/cpu/compiler/frontend/harvest/references.hpp"
#include "src/backends/cpu/compiler/frontend/harvest/types.hpp"
#include "src/backends/cpu/compiler/frontend/parse/preamble.hpp"

namespace warpwise::cpu_compiler {

namespace {

std::uint32_t bound_of(const clang::ASTContext& context, const clang::Expr* expression) {
    if (expression == nullptr || expression->isValueDependent()) return 0;
    const std::optional<llvm::APSInt> value = expression->getIntegerConstantExpr(context);
    if (!value || value->isNegative()) return 0;
    return static_cast<std::uint32_t>(value->getLimitedValue(0xffffffffu));
}

}  // namespace

std::string qualified_name(const clang::NamedDecl& declaration) {
    std::string name;
    llvm::raw_string_ostream stream(name);
    declaration.getNameForDiagnostic(stream, naming_policy(declaration.getASTContext()),
                                     /*Qualified=*/true);
    return without_own_prefix(std::move(name));
}

KernelSignature signature_of(const clang::FunctionDecl& kernel) {
    const clang::ASTContext& context = kernel.getASTContext();
    KernelSignature signature;
    signature.name = qualified_name(kernel);
    std::uint32_t offset = 0;
    for (const clang::ParmVarDecl* declared : kernel.parameters()) {
        Parameter parameter = parameter_of(context, declared->getType());
        parameter.name = without_own_prefix(declared->getName().str());
        offset = (offset + parameter.alignment - 1) / parameter.alignment * parameter.alignment;
        parameter.offset = offset;
        offset += parameter.size;
        signature.parameters.push_back(std::move(parameter));
    }
    signature.argument_bytes = offset;
    if (const auto* bounds = kernel.getAttr<clang::CUDALaunchBoundsAttr>()) {
        signature.max_threads_per_block = bound_of(context, bounds->getMaxThreads());
        signature.min_blocks = bound_of(context, bounds->getMinBlocks());
    }
    return signature;
}

compiler::GlobalInfo global_of(const clang::VarDecl& variable) {
    const clang::ASTContext& context = variable.getASTContext();
    compiler::GlobalInfo global;
    global.name = qualified_name(variable);
    global.size =
        static_cast<std::uint64_t>(context.getTypeSizeInChars(variable.getType()).getQuantity());
    global.is_constant = variable.hasAttr<clang::CUDAConstantAttr>();
    clang::QualType element = variable.getType();
    while (const clang::ArrayType* array = context.getAsArrayType(element)) {
        element = array->getElementType();
    }
    global.dtype = dtype_of(context, element).value_or(DType());
    global.role = role_of(variable);
    return global;
}

}  // namespace warpwise::cpu_compiler
