// How an #include was written, and whether its header may be missing.
#include "src/backends/cpu/compiler/frontend/parse/header_skipper.hpp"

#include <clang/Lex/Lexer.h>
#include <fmt/format.h>

#include "src/backends/cpu/compiler/frontend/diagnostics/advice.hpp"

namespace warpwise::cpu_compiler {

// The callback does not get how the name was written; the text before the position has it.
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

// In the source itself: from the '#' to the name's end and its bracket.
void HeaderSkipper::note_line(llvm::StringRef name) {
    clang::PreprocessorLexer* current = preprocessor_.getCurrentFileLexer();
    const clang::SourceManager& sources = preprocessor_.getSourceManager();
    if (current == nullptr || current->getFileID() != sources.getMainFileID()) return;
    const llvm::StringRef text = sources.getBufferData(current->getFileID());
    const unsigned here = static_cast<clang::Lexer*>(current)->getCurrentBufferOffset();
    const std::size_t at = text.take_front(here).rfind(name);
    const std::size_t hash = text.take_front(at == text.npos ? 0 : at).rfind('#');
    if (hash == text.npos) return;
    lines_.push_back(
        {"", static_cast<unsigned>(hash), static_cast<unsigned>(at + name.size() + 1)});
}

bool HeaderSkipper::FileNotFound(llvm::StringRef name) {
    const std::string text = name.str();
    if (is_quoted(name) && !is_host_header(text)) {
        if (!may_skip_own_) return false;
        skipped_.push_back(
            fmt::format("'{}' file not found; nothing that compiles needs it", text));
        note_line(name);
        return true;
    }
    skipped_.push_back(missing_header_text(text));
    note_line(name);
    return true;
}

void HeaderSkipper::InclusionDirective(clang::SourceLocation, const clang::Token&,
                                       llvm::StringRef name, bool, clang::CharSourceRange,
                                       clang::OptionalFileEntryRef, llvm::StringRef,
                                       llvm::StringRef, const clang::Module*, bool,
                                       clang::SrcMgr::CharacteristicKind) {
    if (name.starts_with("thrust/") || name.starts_with("cub/")) has_partial_ = true;
}

}  // namespace warpwise::cpu_compiler
