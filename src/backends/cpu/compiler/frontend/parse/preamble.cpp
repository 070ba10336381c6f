// From the errors of a parse to the declarations that the source is missing.
#include "src/backends/cpu/compiler/frontend/parse/preamble.hpp"

#include <clang/AST/ASTDiagnostic.h>
#include <clang/AST/Decl.h>
#include <clang/AST/DeclCXX.h>
#include <clang/Basic/DiagnosticParse.h>
#include <clang/Basic/DiagnosticSema.h>
#include <clang/Lex/Lexer.h>
#include <fmt/format.h>
#include <llvm/ADT/STLExtras.h>

#include <string_view>
#include <utility>

#include "src/backends/cpu/compiler/frontend/diagnostics/advice.hpp"
#include "src/backends/cpu/compiler/frontend/parse/files.hpp"

namespace warpwise::cpu_compiler {

namespace {

using ErrorSite = DiagnosticCollector::ErrorSite;

// Names of the prelude that programs use for things of their own: the templates of texture and
// surface references, which CUDA 12 removed, functions that CUDA itself does not have, and integers
// of 64 bits, which are `long` here and `long long` to some who name them where NVRTC does not.
constexpr std::string_view kOwnNames[] = {"texture",    "surface", "__globaltimer",
                                          "__nanotime", "int64_t", "uint64_t"};

bool is_redeclaration(unsigned diagnostic) {
    return diagnostic == clang::diag::err_redefinition_different_kind ||
           diagnostic == clang::diag::err_redefinition ||
           diagnostic == clang::diag::err_redefinition_different_typedef ||
           diagnostic == clang::diag::err_ovl_diff_return_type;
}

// Found in the list of parameters, before the name of the template.
bool is_redeclared_template(unsigned diagnostic) {
    return diagnostic == clang::diag::err_template_param_list_different_arity ||
           diagnostic == clang::diag::err_template_param_different_kind ||
           diagnostic == clang::diag::err_template_nontype_parm_different_type;
}

// Whether the token at `place` is one of kOwnNames, which is added, or ends a declarator.
bool take_own_name(const clang::SourceManager& sources, clang::SourceLocation place,
                   std::set<std::string>& names) {
    std::string word(sources.getCharacterData(place),
                     clang::Lexer::MeasureTokenLength(place, sources, clang::LangOptions()));
    if (word == "{" || word == ";") return true;
    return llvm::is_contained(kOwnNames, word) && names.insert(std::move(word)).second;
}

std::set<std::string> find_own_names(const FailedParse& failed) {
    std::set<std::string> names;
    for (const ErrorSite& site : failed.log.error_sites()) {
        const bool is_template = is_redeclared_template(site.id);
        if (site.location.isInvalid() || (!is_template && !is_redeclaration(site.id))) continue;
        clang::SourceLocation place = failed.sources.getFileLoc(site.location);
        while (!take_own_name(failed.sources, place, names) && is_template) {
            const auto next =
                clang::Lexer::findNextToken(place, failed.sources, clang::LangOptions());
            if (!next || next->is(clang::tok::eof)) break;
            place = next->getLocation();
        }
    }
    return names;
}

// Headers of CUDA whose names the source uses without including them: what a header that is missing
// would have included, and what nvcc includes by itself.
std::set<std::string> find_needed_headers(const FailedParse& failed) {
    constexpr std::string_view kAdvice = "add #include <";
    std::set<std::string> headers;
    for (const ErrorSite& site : failed.log.error_sites()) {
        const std::size_t at = site.message.find(kAdvice);
        if (at == site.message.npos) continue;
        const std::size_t begin = at + kAdvice.size();
        std::string header = site.message.substr(begin, site.message.find('>', begin) - begin);
        if (failed.lacks_headers || header == "math_constants.h") headers.insert(std::move(header));
    }
    return headers;
}

// The names of the user's declarations, at namespace scope and in classes.
void collect_names(const clang::DeclContext& context, const clang::SourceManager& sources,
                   std::set<std::string>& names) {
    for (const clang::Decl* declaration : context.noload_decls()) {
        const clang::FileID file =
            sources.getFileID(sources.getFileLoc(declaration->getLocation()));
        const auto* named = llvm::dyn_cast<clang::NamedDecl>(declaration);
        const bool is_users = file == sources.getMainFileID() ||
                              !is_built_in(sources.getBufferOrFake(file).getBufferIdentifier());
        if (named != nullptr && is_users) names.insert(named->getNameAsString());
        if (llvm::isa<clang::NamespaceDecl, clang::LinkageSpecDecl, clang::CXXRecordDecl>(
                declaration)) {
            collect_names(*llvm::cast<clang::DeclContext>(declaration), sources, names);
        }
    }
}

bool is_missing_in_template(const FailedParse& failed, const ErrorSite& site) {
    return is_missing_name(site.id) && site.location.isValid() &&
           failed.declarations.may_be_in_template(failed.sources, site.location);
}

// Whether the source declares, somewhere, a name that one of its templates misses.
bool declares_too_late(const FailedParse& failed) {
    if (!lacks_names_in_templates(failed)) return false;
    std::set<std::string> declared;
    collect_names(*failed.context.getTranslationUnitDecl(), failed.sources, declared);
    for (const ErrorSite& site : failed.log.error_sites()) {
        if (is_missing_in_template(failed, site) && declared.contains(quoted_name(site.message))) {
            return true;
        }
    }
    return false;
}

template <class Set>
bool merge(Set& into, Set&& from) {
    const std::size_t before = into.size();
    into.merge(from);
    return into.size() > before;
}

}  // namespace

std::string without_own_prefix(std::string text) {
    for (auto at = text.find(kOwnPrefix); at != text.npos; at = text.find(kOwnPrefix, at)) {
        text.erase(at, kOwnPrefix.size());
    }
    return text;
}

bool is_missing_name(unsigned diagnostic) {
    switch (diagnostic) {
        case clang::diag::err_undeclared_var_use:
        case clang::diag::err_undeclared_var_use_suggest:
        case clang::diag::err_undeclared_use:
        case clang::diag::err_undeclared_use_suggest:
        case clang::diag::err_unknown_typename:
        case clang::diag::err_unknown_typename_suggest:
        case clang::diag::err_unknown_type_or_class_name_suggest:
        case clang::diag::err_no_template:
        case clang::diag::err_no_template_suggest:
        case clang::diag::err_no_member:
        case clang::diag::err_no_member_suggest:
        case clang::diag::err_no_member_template:
        case clang::diag::err_no_member_template_suggest:
        case clang::diag::err_typename_nested_not_found:
        case clang::diag::err_expected_namespace_name:
        case clang::diag::err_not_found_by_two_phase_lookup:
        case clang::diag::err_typecheck_decl_incomplete_type:
        case clang::diag::err_incomplete_type:
            return true;
        default:
            return false;
    }
}

bool lacks_names(const DiagnosticCollector& log) {
    for (const ErrorSite& site : log.error_sites()) {
        if (is_missing_name(site.id)) return true;
    }
    return false;
}

bool lacks_names_in_templates(const FailedParse& failed) {
    return llvm::any_of(failed.log.error_sites(), [&](const ErrorSite& site) {
        return is_missing_in_template(failed, site);
    });
}

bool Preamble::extend(const FailedParse& failed) {
    // Under their new names the rest may compile as it stands.
    bool is_new = merge(own_names_, find_own_names(failed));
    if (lacks_names(failed.log) && !std::exchange(has_library_, true)) is_new = true;
    if (merge(headers_, find_needed_headers(failed))) is_new = true;
    if (!late_lookup_ && declares_too_late(failed)) is_new = late_lookup_ = true;
    return is_new;
}

bool Preamble::use_late_lookup() noexcept {
    return !std::exchange(late_lookup_, true);
}

std::string Preamble::text() const {
    std::string lines;
    if (has_library_) {
        lines =
            "#include <algorithm>\n#include <utility>\n#include <limits>\n#include <cstdint>\n"
            "#include <cfloat>\n#include <functional>\n#include <tuple>\n#include <array>\n"
            "#include <complex>\n#include <numeric>\n#include <__ww_host_types>\n";
    }
    for (const std::string& header : headers_) lines += fmt::format("#include <{}>\n", header);
    for (const std::string& name : own_names_) {
        lines += fmt::format("#define {0} {1}{0}\n", name, kOwnPrefix);
    }
    return lines;
}

}  // namespace warpwise::cpu_compiler
