// Finding the references among the declarations parsed so far.
#include "src/backends/cpu/compiler/frontend/harvest/references.hpp"

#include <clang/AST/Attr.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/Basic/SourceManager.h>

#include "src/backends/cpu/compiler/frontend/parse/files.hpp"

namespace warpwise::cpu_compiler {

namespace {

bool is_reference_name(llvm::StringRef name) {
    return name == "texture" || name == "surface";
}

bool is_of_ours(const clang::TemplateDecl* pattern) {
    if (pattern == nullptr || !pattern->getDeclName().isIdentifier()) return false;
    if (!is_reference_name(pattern->getName())) return false;
    const clang::SourceManager& sources = pattern->getASTContext().getSourceManager();
    const clang::FileID file = sources.getFileID(pattern->getLocation());
    return is_built_in(sources.getBufferOrFake(file).getBufferIdentifier());
}

}  // namespace

compiler::GlobalInfo::Role role_of(const clang::VarDecl& variable) {
    using Role = compiler::GlobalInfo::Role;
    const auto* record = variable.getType()->getAsCXXRecordDecl();
    const auto* instance = llvm::dyn_cast_or_null<clang::ClassTemplateSpecializationDecl>(record);
    if (instance == nullptr || !is_of_ours(instance->getSpecializedTemplate())) return Role::Plain;
    return instance->getName() == "texture" ? Role::Texture : Role::Surface;
}

bool is_reference(const clang::VarDecl& variable) {
    return role_of(variable) != compiler::GlobalInfo::Role::Plain;
}

bool takes_reference(const clang::FunctionDecl& function) {
    for (const clang::ParmVarDecl* parameter : function.parameters()) {
        const auto* type =
            parameter->getType().getNonReferenceType()->getAs<clang::TemplateSpecializationType>();
        if (type != nullptr && is_of_ours(type->getTemplateName().getAsTemplateDecl())) return true;
    }
    return false;
}

void ReferenceMarker::see(const clang::Token& token, clang::ASTContext* context) {
    if (token.is(clang::tok::identifier)) {
        const clang::IdentifierInfo* name = token.getIdentifierInfo();
        if (name != nullptr && is_reference_name(name->getName())) is_named_ = true;
    }
    // A body begins: what it uses has been declared.
    if (is_named_ && token.is(clang::tok::l_brace) && context != nullptr) {
        mark_all(*context->getTranslationUnitDecl());
    }
}

void ReferenceMarker::mark(clang::DeclGroupRef group) {
    for (clang::Decl* declaration : group) mark(*declaration);
}

void ReferenceMarker::mark_all(const clang::DeclContext& context) {
    for (clang::Decl* declaration : context.noload_decls()) mark(*declaration);
}

void ReferenceMarker::mark(clang::Decl& declaration) {
    if (llvm::isa<clang::NamespaceDecl, clang::LinkageSpecDecl>(declaration)) {
        return mark_all(*llvm::cast<clang::DeclContext>(&declaration));
    }
    auto* variable = llvm::dyn_cast<clang::VarDecl>(&declaration);
    if (variable == nullptr || !variable->hasGlobalStorage() ||
        variable->hasAttr<clang::CUDADeviceAttr>() || !is_reference(*variable)) {
        return;
    }
    variable->addAttr(clang::CUDADeviceAttr::Create(variable->getASTContext()));
}

}  // namespace warpwise::cpu_compiler
