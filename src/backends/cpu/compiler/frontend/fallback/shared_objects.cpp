// `__shared__ T a[4], b;` becomes, for each name, a union that holds a T[4] and constructs nothing,
// and a reference to what it holds.
#include "src/backends/cpu/compiler/frontend/fallback/shared_objects.hpp"

#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Basic/DiagnosticSema.h>
#include <clang/Lex/Lexer.h>
#include <fmt/format.h>
#include <llvm/ADT/StringExtras.h>

#include <algorithm>
#include <optional>
#include <set>

#include "src/backends/cpu/compiler/frontend/parse/files.hpp"

namespace warpwise::cpu_compiler {
namespace {

namespace tok = clang::tok;
using clang::SourceLocation;

// The statements that declare a variable at one of the places.
class StatementFinder : public clang::RecursiveASTVisitor<StatementFinder> {
  public:
    explicit StatementFinder(const std::set<SourceLocation>& places) : places_(places) {}

    bool VisitDeclStmt(clang::DeclStmt* statement) {
        const auto is_refused = [&](const clang::Decl* declared) {
            return places_.contains(declared->getLocation());
        };
        if (std::any_of(statement->decl_begin(), statement->decl_end(), is_refused)) {
            found_.push_back(statement);
        }
        return true;
    }
    const std::vector<clang::DeclStmt*>& found() const noexcept { return found_; }

  private:
    const std::set<SourceLocation>& places_;
    std::vector<clang::DeclStmt*> found_;
};

// The type as written before the first declarator: without pointers, arrays and qualifiers.
clang::TypeLoc written_type(clang::TypeLoc type) {
    while (true) {
        if (const auto qualified = type.getAs<clang::QualifiedTypeLoc>()) {
            type = qualified.getUnqualifiedLoc();
        } else if (const auto attributed = type.getAs<clang::AttributedTypeLoc>()) {
            type = attributed.getModifiedLoc();
        } else if (const auto array = type.getAs<clang::ArrayTypeLoc>()) {
            type = array.getElementLoc();
        } else if (const auto pointer = type.getAs<clang::PointerTypeLoc>()) {
            type = pointer.getPointeeLoc();
        } else {
            return type;
        }
    }
}

// One statement in the text of its file.
class StatementText {
  public:
    StatementText(const FailedParse& failed, const clang::DeclStmt& statement)
        : sources_(failed.sources),
          language_(failed.context.getLangOpts()),
          statement_(statement),
          file_(sources_.getFileID(sources_.getExpansionLoc(statement.getBeginLoc()))),
          text_(sources_.getBufferData(file_)) {}

    // Nothing where a name comes out of a macro, has an initialiser, or is declared in an unusual
    // order: then clang's error stays.
    std::optional<SharedObjects> rewritten() {
        const auto* first = llvm::dyn_cast<clang::VarDecl>(*statement_.decl_begin());
        if (first == nullptr || first->getTypeSourceInfo() == nullptr) return std::nullopt;
        if (!read_specifiers(*first)) return std::nullopt;
        for (const clang::Decl* declared : statement_.decls()) {
            if (!add(declared)) return std::nullopt;
        }
        if (at_ >= text_.size() || text_[at_] != ';') return std::nullopt;
        const auto begin = static_cast<unsigned>(text_.size() - from_begin_.size());
        const unsigned end = at_ + 1;
        const std::ptrdiff_t lines = std::count(text_.begin() + begin, text_.begin() + end, '\n') -
                                     std::count(written_.begin(), written_.end(), '\n');
        if (lines < 0) return std::nullopt;  // several names below a type of several lines
        result_.declaration.range = {path(), begin, end};
        result_.declaration.text = written_ + std::string(lines, '\n');
        result_.line = sources_.getLineNumber(file_, begin);
        return result_;
    }

  private:
    std::string path() const {
        if (file_ == sources_.getMainFileID()) return "";
        return sources_.getBufferOrFake(file_).getBufferIdentifier().str();
    }
    // In the file of the statement, else nothing.
    std::optional<unsigned> offset_of(SourceLocation place) const {
        const auto [file, offset] = sources_.getDecomposedExpansionLoc(place);
        return file == file_ ? std::optional(offset) : std::nullopt;
    }
    std::optional<unsigned> end_of(SourceLocation last) const {
        if (last.isMacroID()) {  // the half of ">>", or a macro that ends the type
            const clang::CharSourceRange range = sources_.getExpansionRange(last);
            if (range.isCharRange()) return offset_of(range.getEnd());
            last = range.getEnd();
        }
        const auto offset = offset_of(last);
        if (!offset) return offset;
        return *offset + clang::Lexer::MeasureTokenLength(last, sources_, language_);
    }

    // What stands before the first name: words of CUDA and C++, and the type.
    bool read_specifiers(const clang::VarDecl& first) {
        const auto begin = offset_of(statement_.getBeginLoc());
        const clang::TypeLoc type = written_type(first.getTypeSourceInfo()->getTypeLoc());
        const auto type_begin = offset_of(type.getBeginLoc()), type_end = end_of(type.getEndLoc());
        const auto name = offset_of(first.getLocation());
        if (!begin || !type_begin || !type_end || !name) return false;
        if (*begin > *type_begin || *type_begin >= *type_end || *type_end > *name) return false;
        from_begin_ = text_.drop_front(*begin);
        specifiers_ = text_.slice(*begin, *type_begin).str();
        type_ = text_.slice(*type_begin, *type_end).str();
        at_ = *type_end;
        const llvm::StringRef between = text_.slice(*type_end, *name);
        if (llvm::any_of(between, [](char c) { return llvm::isAlpha(c); })) {
            if (between.contains('*')) return false;
            specifiers_ = between.ltrim().str() + specifiers_;  // `T __shared__ name`
            at_ = *name;
        }
        return true;
    }

    // From the end of the type or a comma to the comma or semicolon behind the declarator.
    bool add(const clang::Decl* declared) {
        const auto* variable = llvm::dyn_cast<clang::VarDecl>(declared);
        if (variable == nullptr || variable->getLocation().isMacroID()) return false;
        const auto name_at = offset_of(variable->getLocation());
        if (!name_at || *name_at < at_) return false;
        const std::string name = variable->getName().str();
        const unsigned name_end = *name_at + static_cast<unsigned>(name.size());
        const auto end = end_of_declarator(name_end);
        if (!end) return false;
        const std::string held =
            type_ + text_.slice(at_, *name_at).str() + text_.slice(name_end, *end).str();
        written_ += fmt::format(
            "{0}__ww_uninitialised<{1}> __ww_room_{2}; auto& {2} = "
            "__ww_room_{2}.value; ",
            specifiers_, held, name);
        result_.names.push_back(name);
        at_ = *end + (text_[*end] == ',' ? 1 : 0);
        return true;
    }

    std::optional<unsigned> end_of_declarator(unsigned from) const {
        clang::Lexer lexer(SourceLocation::getFromRawEncoding(1), language_, text_.data(),
                           text_.data() + from, text_.data() + text_.size());
        int depth = 0;
        clang::Token token;
        while (true) {
            lexer.LexFromRawLexer(token);
            if (token.isOneOf(tok::eof, tok::equal, tok::l_brace)) return std::nullopt;
            if (depth == 0 && token.is(tok::l_paren)) return std::nullopt;  // an initialiser
            if (depth == 0 && token.isOneOf(tok::comma, tok::semi)) {
                return lexer.getCurrentBufferOffset() - token.getLength();
            }
            if (token.isOneOf(tok::l_paren, tok::l_square)) ++depth;
            if (token.isOneOf(tok::r_paren, tok::r_square)) --depth;
        }
    }

    clang::SourceManager& sources_;
    const clang::LangOptions& language_;
    const clang::DeclStmt& statement_;
    clang::FileID file_;
    llvm::StringRef text_, from_begin_;
    std::string specifiers_, type_, written_;
    unsigned at_ = 0;
    SharedObjects result_;
};

}  // namespace

std::vector<SharedObjects> find_shared_objects(const FailedParse& failed) {
    std::set<SourceLocation> places;
    for (const DiagnosticCollector::ErrorSite& site : failed.log.error_sites()) {
        if (site.id == clang::diag::err_shared_var_init) places.insert(site.location);
    }
    std::vector<SharedObjects> objects;
    if (places.empty()) return objects;
    StatementFinder finder(places);
    // Without the prelude, whose declarations need not be read for this.
    for (clang::Decl* declared : failed.context.getTranslationUnitDecl()->noload_decls()) {
        if (!declared->isFromASTFile()) finder.TraverseDecl(declared);
    }
    for (const clang::DeclStmt* statement : finder.found()) {
        auto rewritten = StatementText(failed, *statement).rewritten();
        if (!rewritten || is_built_in(rewritten->declaration.range.path)) continue;
        objects.push_back(*std::move(rewritten));
    }
    return objects;
}

}  // namespace warpwise::cpu_compiler
