// Which headers and which errors belong to host code, by name, by place and by kind.
#include "src/backends/cpu/compiler/frontend/host_code.hpp"

#include <clang/Basic/DiagnosticLex.h>
#include <clang/Basic/DiagnosticParse.h>
#include <clang/Basic/DiagnosticSema.h>
#include <clang/Basic/FileManager.h>
#include <clang/Lex/Lexer.h>
#include <fmt/format.h>

#include <algorithm>

#include "src/backends/cpu/compiler/frontend/advice.hpp"
#include "src/backends/cpu/compiler/frontend/files.hpp"

namespace warpwise::cpu_compiler {

namespace {

// Errors that say no more than that a name is not there.
bool is_missing_name(unsigned id) {
    switch (id) {
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

}  // namespace

// The callback is not told how the name was written; the text before the reading place is.
bool HeaderSkipper::is_quoted(llvm::StringRef name) const {
    clang::PreprocessorLexer* current = preprocessor_.getCurrentFileLexer();
    if (current == nullptr) return true;
    const clang::SourceManager& sources = preprocessor_.getSourceManager();
    const llvm::StringRef text = sources.getBufferData(current->getFileID());
    auto* lexer = static_cast<clang::Lexer*>(current);
    const llvm::StringRef before = text.take_front(lexer->getCurrentBufferOffset());
    const std::size_t at = before.rfind(name);
    return at == before.npos || at == 0 || before[at - 1] != '<';
}

bool HeaderSkipper::FileNotFound(llvm::StringRef name) {
    const std::string text = name.str();
    if (is_quoted(name) && !is_host_header(text)) return false;
    skipped_.push_back(missing_header_text(text));
    return true;
}

std::vector<HostDefect> find_host_defects(const DiagnosticCollector& log,
                                          const clang::SourceManager& sources,
                                          const DeclarationMap& declarations, bool lacks_headers) {
    std::vector<HostDefect> defects;
    for (const DiagnosticCollector::ErrorSite& site : log.error_sites()) {
        if (site.is_unsupported || site.location.isInvalid()) continue;
        if (!lacks_headers && !is_missing_name(site.id)) continue;
        auto range = declarations.removable_at(sources, site.location);
        if (range) defects.push_back({*std::move(range), site.message});
    }
    return defects;
}

bool lacks_names(const DiagnosticCollector& log) {
    for (const DiagnosticCollector::ErrorSite& site : log.error_sites()) {
        if (is_missing_name(site.id)) return true;
    }
    return false;
}

std::string_view HostEdits::library() const noexcept {
    if (!has_library_) return "";
    return "#include <algorithm>\n#include <utility>\n#include <limits>\n#include <cstdint>\n"
           "#include <cfloat>\n#include <functional>\n";
}

bool HostEdits::leave_out(const std::vector<HostDefect>& defects, clang::SourceManager& sources) {
    bool is_new = false;
    for (const HostDefect& defect : defects) {
        std::string* text = &source_;
        std::string name = "the source";
        if (!defect.range.path.empty()) {
            llvm::SmallString<256> path(defect.range.path);
            sources.getFileManager().makeAbsolutePath(path);
            name = std::string(user_path(defect.range.path));
            const auto file = sources.getFileManager().getOptionalFileRef(defect.range.path);
            if (!file) continue;
            const auto buffer = sources.getMemoryBufferForFileOrNone(*file);
            if (!buffer) continue;
            text = &files_.try_emplace(path.str().str(), buffer->getBuffer().str()).first->second;
        }
        const std::string before = *text;
        blank(*text, defect.range);
        if (*text == before) continue;
        is_new = true;
        const auto line = std::count(before.begin(), before.begin() + defect.range.begin, '\n') + 1;
        notes_.push_back(
            fmt::format("line {} of {}: host code that does not compile here is left "
                        "out: {}",
                        line, name, defect.reason));
    }
    return is_new;
}

}  // namespace warpwise::cpu_compiler
