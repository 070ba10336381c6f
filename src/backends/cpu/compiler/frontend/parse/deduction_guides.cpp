// Finding the guides among the declarations parsed so far.
#include "src/backends/cpu/compiler/frontend/parse/deduction_guides.hpp"

#include <clang/AST/Attr.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/DeclTemplate.h>

namespace warpwise::cpu_compiler {

namespace tok = clang::tok;

void GuideMarker::see(const clang::Token& token, clang::ASTContext* context) {
    if (token.is(tok::arrow) && before_ == tok::r_paren) may_be_new_ = true;
    before_ = token.getKind();
    // A body begins: what it uses has been declared.
    if (may_be_new_ && token.is(tok::l_brace) && context != nullptr) {
        may_be_new_ = false;
        mark_all(*context->getTranslationUnitDecl());
    }
}

void GuideMarker::mark_all(const clang::DeclContext& context) {
    for (clang::Decl* declaration : context.noload_decls()) {
        if (llvm::isa<clang::NamespaceDecl, clang::LinkageSpecDecl>(declaration)) {
            mark_all(*llvm::cast<clang::DeclContext>(declaration));
            continue;
        }
        clang::Decl* function = declaration;
        if (const auto* pattern = llvm::dyn_cast<clang::FunctionTemplateDecl>(declaration)) {
            function = pattern->getTemplatedDecl();
        }
        auto* guide = llvm::dyn_cast<clang::CXXDeductionGuideDecl>(function);
        if (guide == nullptr || guide->hasAttr<clang::CUDADeviceAttr>()) continue;
        clang::ASTContext& syntax = guide->getASTContext();
        guide->addAttr(clang::CUDADeviceAttr::CreateImplicit(syntax));
        if (guide->hasAttr<clang::CUDAHostAttr>()) continue;
        guide->addAttr(clang::CUDAHostAttr::CreateImplicit(syntax));
    }
}

}  // namespace warpwise::cpu_compiler
