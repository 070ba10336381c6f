// One walk over the declarations of a source that has compiled.
#include "src/backends/cpu/compiler/frontend/harvest/device_text.hpp"

#include <clang/AST/Attr.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/Basic/SourceManager.h>
#include <fmt/format.h>

#include "src/backends/cpu/compiler/frontend/harvest/references.hpp"
#include "src/backends/cpu/compiler/frontend/parse/files.hpp"
#include "src/compiler/compiler.hpp"

namespace warpwise::cpu_compiler {
namespace {

bool is_of_device(const clang::Decl& declaration) {
    return declaration.hasAttr<clang::CUDAGlobalAttr>() ||
           declaration.hasAttr<clang::CUDADeviceAttr>() ||
           declaration.hasAttr<clang::CUDAConstantAttr>() ||
           declaration.hasAttr<clang::CUDASharedAttr>() ||
           declaration.hasAttr<clang::HIPManagedAttr>();
}

// A type that the declaration itself defines would be removed with it.
bool declares_its_type(const clang::VarDecl& variable) {
    const clang::TagDecl* type = variable.getType()->getAsTagDecl();
    return type != nullptr && type->isEmbeddedInDeclarator();
}

}  // namespace

std::string DeviceText::of(const std::string& source, bool is_edited,
                           const std::string& library) const {
    const bool is_changed = is_edited || !blanks.empty() || !lines.empty() || !library.empty();
    if (!is_changed && !has_references && !is_unmarked) return {};
    std::string text = source;
    for (const TextRange& range : blanks) blank(text, range);
    for (const TextRange& line : lines) {
        for (unsigned i = line.begin; i < line.end && i < text.size(); ++i) {
            if (text[i] != '\n') text[i] = ' ';
        }
    }
    std::string front = library;
    if (has_references) front += fmt::format("#include <{}>\n", compiler::kReferencesHeader);
    return front.empty() ? text : fmt::format("{}#line 1\n{}", front, text);
}

void DeviceTextFinder::HandleTranslationUnit(clang::ASTContext& context) {
    if (log_.has_errors()) return;
    sources_ = &context.getSourceManager();
    look_into(*context.getTranslationUnitDecl());
}

void DeviceTextFinder::look_into(const clang::DeclContext& context) {
    for (const clang::Decl* declaration : context.noload_decls()) look_at(*declaration);
}

void DeviceTextFinder::look_at(const clang::Decl& declaration) {
    if (llvm::isa<clang::NamespaceDecl, clang::LinkageSpecDecl, clang::CXXRecordDecl>(
            declaration)) {
        return look_into(*llvm::cast<clang::DeclContext>(&declaration));
    }
    if (const auto* pattern = llvm::dyn_cast<clang::ClassTemplateDecl>(&declaration)) {
        return look_into(*pattern->getTemplatedDecl());
    }
    const clang::SourceLocation place = sources_->getFileLoc(declaration.getLocation());
    const clang::FileID file = sources_->getFileID(place);
    const bool is_own = place.isValid() && file == sources_->getMainFileID();
    if (!is_own && is_built_in(sources_->getBufferOrFake(file).getBufferIdentifier())) return;
    if (llvm::isa<clang::VarDecl>(declaration)) return look_at_variable(declaration);
    const auto* pattern = llvm::dyn_cast<clang::FunctionTemplateDecl>(&declaration);
    const auto* function = pattern != nullptr ? pattern->getTemplatedDecl()
                                              : llvm::dyn_cast<clang::FunctionDecl>(&declaration);
    if (function == nullptr || function->isImplicit()) return;
    if (takes_reference(*function)) result_.has_references = true;
    if (is_of_device(*function)) return;
    if (function->isConstexpr() || function->isDefaulted() || function->isDeleted()) return;
    result_.is_unmarked = true;
    if (!llvm::isa<clang::CXXMethodDecl>(function)) blank_whole(*function);
}

void DeviceTextFinder::look_at_variable(const clang::Decl& declaration) {
    const auto& variable = llvm::cast<clang::VarDecl>(declaration);
    if (is_reference(variable)) {
        result_.has_references = result_.is_unmarked = true;
    } else if (variable.isStaticDataMember()) {
        // NVRTC has them in device memory, but only where they have no attribute.
        if (variable.isConstexpr()) return;
        result_.is_unmarked = true;
        blank_attribute(variable);
    } else if (!is_of_device(variable) && !variable.getType().isConstQualified() &&
               !variable.isConstexpr()) {
        if (!declares_its_type(variable)) blank_whole(variable);
        result_.is_unmarked = true;
    }
}

void DeviceTextFinder::blank_whole(const clang::Decl& declaration) {
    if (auto range = declarations_.removable_at(*sources_, declaration.getLocation())) {
        if (range->path.empty()) result_.blanks.push_back(*std::move(range));
    }
}

void DeviceTextFinder::blank_attribute(const clang::Decl& declaration) {
    constexpr llvm::StringLiteral kDevice("__device__");
    const auto* attribute = declaration.getAttr<clang::CUDADeviceAttr>();
    if (attribute == nullptr || attribute->isImplicit()) return;
    const clang::SourceLocation place = sources_->getExpansionLoc(attribute->getLocation());
    const auto [file, offset] = sources_->getDecomposedLoc(place);
    if (file != sources_->getMainFileID()) return;
    if (!sources_->getBufferData(file).drop_front(offset).starts_with(kDevice)) return;
    result_.blanks.push_back({{}, offset, offset + static_cast<unsigned>(kDevice.size())});
}

}  // namespace warpwise::cpu_compiler
