// From module and declarations to kernels, globals and templates. Invariant: the binary's symbols
// are clang's own mangled names, also for what the source made static, so that programs compiled
// from the same source agree on them.
#include "src/backends/cpu/compiler/frontend/harvest/harvest.hpp"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/Basic/SourceManager.h>
#include <fmt/format.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <map>

#include "src/backends/cpu/compiler/frontend/harvest/signatures.hpp"
#include "src/backends/cpu/compiler/frontend/parse/files.hpp"
#include "src/backends/cpu/compiler/guard.hpp"
#include "src/base/text.hpp"
#include "warpwise/error.hpp"

namespace warpwise::cpu_compiler {

namespace {

constexpr unsigned kGlobalSpace = 1;
constexpr unsigned kConstantSpace = 4;

bool is_built_in(const clang::ASTContext& context, const clang::Decl& declaration) {
    const clang::SourceManager& sources = context.getSourceManager();
    const clang::SourceLocation place = sources.getFileLoc(declaration.getLocation());
    if (place.isInvalid()) return true;
    const clang::FileID file = sources.getFileID(place);
    if (file == sources.getMainFileID()) return false;
    const llvm::StringRef name = sources.getBufferOrFake(file).getBufferIdentifier();
    return cpu_compiler::is_built_in(name);
}

// The functions that nvvm.annotations lists as kernels, in the order of the source.
std::vector<llvm::Function*> kernel_functions(llvm::Module& module) {
    std::vector<llvm::Function*> kernels;
    const llvm::NamedMDNode* annotations = module.getNamedMetadata("nvvm.annotations");
    if (annotations == nullptr) return kernels;
    for (const llvm::MDNode* row : annotations->operands()) {
        if (row->getNumOperands() < 2) continue;
        auto* function = llvm::mdconst::dyn_extract_or_null<llvm::Function>(row->getOperand(0));
        const auto* what = llvm::dyn_cast<llvm::MDString>(row->getOperand(1));
        if (function == nullptr || function->isDeclaration() || what == nullptr) continue;
        if (what->getString() == "kernel") kernels.push_back(function);
    }
    return kernels;
}

// Removes functions that are kernels no longer. Device code cannot call them: only their rows in
// the annotations refer to them.
void remove_kernels(llvm::Module& module, const std::vector<llvm::Function*>& unwanted) {
    llvm::NamedMDNode* annotations = module.getNamedMetadata("nvvm.annotations");
    std::vector<llvm::MDNode*> kept;
    for (llvm::MDNode* row : annotations->operands()) {
        auto* function = llvm::mdconst::dyn_extract_or_null<llvm::Function>(row->getOperand(0));
        if (std::find(unwanted.begin(), unwanted.end(), function) == unwanted.end()) {
            kept.push_back(row);
        }
    }
    annotations->clearOperands();
    for (llvm::MDNode* row : kept) annotations->addOperand(row);
    for (llvm::Function* function : unwanted) {
        function->setComdat(nullptr);
        function->setLinkage(llvm::GlobalValue::InternalLinkage);
        if (!function->use_empty()) continue;  // its address is taken: it stays a device function
        function->eraseFromParent();
    }
}

void make_external(llvm::GlobalObject& object) {
    object.setComdat(nullptr);
    object.setLinkage(llvm::GlobalValue::ExternalLinkage);
    object.setVisibility(llvm::GlobalValue::DefaultVisibility);
    object.setDSOLocal(false);
}

compiler::KernelInfo kernel_info(const clang::FunctionDecl& declaration,
                                 const llvm::Function& function) {
    compiler::KernelInfo info;
    info.signature = signature_of(declaration);
    info.signature.symbol = function.getName().str();
    return info;
}

}  // namespace

bool Harvester::HandleTopLevelDecl(clang::DeclGroupRef group) {
    for (const clang::Decl* declaration : group) look_at(*declaration);
    return true;
}

bool Harvester::shouldSkipFunctionBody(clang::Decl* declaration) {
    const clang::FunctionDecl* function = declaration->getAsFunction();
    return function != nullptr && !function->hasAttr<clang::CUDAGlobalAttr>() &&
           !function->hasAttr<clang::CUDADeviceAttr>() && !NameExpressions::is_ours(*function);
}

void Harvester::look_at(const clang::Decl& declaration) {
    if (llvm::isa<clang::NamespaceDecl, clang::LinkageSpecDecl, clang::CXXRecordDecl>(
            declaration)) {
        for (const clang::Decl* inner : llvm::cast<clang::DeclContext>(declaration).decls()) {
            look_at(*inner);
        }
        return;
    }
    if (const auto* function = llvm::dyn_cast<clang::FunctionDecl>(&declaration)) {
        names_.see(*function);
        // After an error, types may have no size; candidates are of no use then.
        if (log_.has_errors()) return;
        if (!function->hasAttr<clang::CUDAGlobalAttr>() || function->isTemplateInstantiation() ||
            function->isDependentContext()) {
            return;
        }
        const KernelSignature signature = signature_of(*function);
        std::string types;
        for (const Parameter& parameter : signature.parameters) {
            types += (types.empty() ? "" : ", ") + parameter.type;
        }
        // Once, however often it is declared.
        std::string text = fmt::format("{}({})", signature.name, types);
        std::vector<std::string>& candidates = result_.candidates;
        if (std::find(candidates.begin(), candidates.end(), text) == candidates.end()) {
            candidates.push_back(std::move(text));
        }
        return;
    }
    const auto* pattern = llvm::dyn_cast<clang::FunctionTemplateDecl>(&declaration);
    if (pattern == nullptr || !pattern->getTemplatedDecl()->hasAttr<clang::CUDAGlobalAttr>()) {
        return;
    }
    std::string name = qualified_name(*pattern);
    std::vector<std::string>& templates = translation_.templates;
    if (std::find(templates.begin(), templates.end(), name) != templates.end()) return;
    result_.candidates.push_back(name + "<...>");
    templates.push_back(std::move(name));
}

void Harvester::HandleTranslationUnit(clang::ASTContext& context) {
    if (log_.has_errors()) return;
    enter_stage("reading signatures");
    translation_.module.reset(generator_.ReleaseModule());
    if (translation_.module == nullptr) return;
    if (names_.empty()) {
        harvest_kernels();
    } else {
        harvest_named_kernels();
    }
    if (undefined_ != Undefined::Elsewhere) define_extern_variables(context);
    harvest_globals(context);
    if (undefined_ != Undefined::Elsewhere) check_definitions(context);
}

void Harvester::harvest_kernels() {
    for (llvm::Function* function : kernel_functions(*translation_.module)) {
        const auto* declaration = llvm::dyn_cast_or_null<clang::FunctionDecl>(
            generator_.GetDeclForMangledName(function->getName()));
        if (declaration == nullptr) continue;
        make_external(*function);
        translation_.kernels.push_back(kernel_info(*declaration, *function));
    }
}

void Harvester::harvest_named_kernels() {
    std::map<const clang::Decl*, llvm::Function*> by_declaration;
    std::vector<llvm::Function*> unwanted;
    for (llvm::Function* function : kernel_functions(*translation_.module)) {
        const clang::Decl* declaration = generator_.GetDeclForMangledName(function->getName());
        if (declaration == nullptr) continue;
        by_declaration[declaration->getCanonicalDecl()] = function;
        unwanted.push_back(function);
    }
    for (std::size_t i = 0; i < names_.size(); ++i) {
        const clang::FunctionDecl* named = names_.named(i);
        const auto found = named == nullptr ? by_declaration.end()
                                            : by_declaration.find(named->getCanonicalDecl());
        if (found == by_declaration.end()) {
            result_.failures.push_back(fmt::format("{} names no kernel that the source defines",
                                                   quote(names_.expression(i))));
            continue;
        }
        llvm::Function* function = found->second;
        const auto still = std::find(unwanted.begin(), unwanted.end(), function);
        if (still == unwanted.end()) {
            result_.failures.push_back(
                fmt::format("{} names a kernel that another name of the request has named",
                            quote(names_.expression(i))));
            continue;
        }
        unwanted.erase(still);
        make_external(*function);
        translation_.kernels.push_back(kernel_info(*named, *function));
        translation_.kernels.back().signature.name = names_.expression(i);
    }
    remove_kernels(*translation_.module, unwanted);
}

// Every __device__ and __constant__ variable that host code could name. Constants that clang made
// of host constexprs and const statics stay internal: their values may be folded.
void Harvester::harvest_globals(const clang::ASTContext& context) {
    for (llvm::GlobalVariable& variable : translation_.module->globals()) {
        const unsigned space = variable.getAddressSpace();
        if (space != kGlobalSpace && space != kConstantSpace) continue;
        const auto* declaration = llvm::dyn_cast_or_null<clang::VarDecl>(
            generator_.GetDeclForMangledName(variable.getName()));
        if (declaration == nullptr || variable.isDeclaration()) continue;
        const auto is_explicit = [](const clang::Attr* attribute) {
            return attribute != nullptr && !attribute->isImplicit();
        };
        if (!is_explicit(declaration->getAttr<clang::CUDADeviceAttr>()) &&
            !is_explicit(declaration->getAttr<clang::CUDAConstantAttr>())) {
            continue;
        }
        const bool is_static = variable.hasLocalLinkage();
        if (is_static && declaration->getType().isConstQualified()) continue;
        if (is_built_in(context, *declaration)) continue;
        make_external(variable);
        variable.setExternallyInitialized(true);
        compiler::GlobalInfo info = global_of(*declaration);
        info.symbol = variable.getName().str();
        translation_.globals.push_back(std::move(info));
    }
}

// Another file of the program defines them, which the host would link in. Here each module has its
// own: zeros, until the host writes to it by name.
void Harvester::define_extern_variables(const clang::ASTContext& context) {
    for (llvm::GlobalVariable& variable : translation_.module->globals()) {
        const unsigned space = variable.getAddressSpace();
        if (space != kGlobalSpace && space != kConstantSpace) continue;
        const auto* declaration = llvm::dyn_cast_or_null<clang::VarDecl>(
            generator_.GetDeclForMangledName(variable.getName()));
        if (declaration == nullptr || !variable.isDeclaration()) continue;
        if (declaration->getType()->isIncompleteType() || is_built_in(context, *declaration)) {
            continue;
        }
        variable.setInitializer(llvm::Constant::getNullValue(variable.getValueType()));
        variable.setConstant(false);
        log_.add_note(
            fmt::format("'{}' is declared extern and defined elsewhere: this module has "
                        "one of its own",
                        qualified_name(*declaration)));
    }
}

// One source is the whole program: what it uses and does not define is missing for good.
void Harvester::check_definitions(const clang::ASTContext& context) {
    const auto is_only_called = [](const llvm::Function& function) {
        return std::all_of(function.user_begin(), function.user_end(), [&](const llvm::User* user) {
            const auto* call = llvm::dyn_cast<llvm::CallBase>(user);
            return call != nullptr && call->getCalledOperand() == &function;
        });
    };
    const auto check = [&](const llvm::GlobalValue& value) {
        if (!value.isDeclaration() || value.use_empty()) return;
        const auto* declaration = llvm::dyn_cast_or_null<clang::ValueDecl>(
            generator_.GetDeclForMangledName(value.getName()));
        if (declaration == nullptr || is_built_in(context, *declaration)) return;
        if (declaration->hasAttr<clang::CUDASharedAttr>()) return;
        log_.report_error(context.getSourceManager(), declaration->getLocation(),
                          fmt::format("'{}' is used by device code but not defined in this source",
                                      qualified_name(*declaration)));
    };
    for (const llvm::Function& function : translation_.module->functions()) {
        if (undefined_ == Undefined::Reported && is_only_called(function)) continue;
        check(function);
    }
    for (const llvm::GlobalVariable& variable : translation_.module->globals()) check(variable);
}

}  // namespace warpwise::cpu_compiler
