// Skips #includes of headers that device code cannot need, and records them. Invariant: a header
// that exists is never skipped.
#pragma once

#include <clang/Lex/PPCallbacks.h>
#include <clang/Lex/Preprocessor.h>

#include <string>
#include <vector>

#include "src/backends/cpu/compiler/frontend/parse/declarations.hpp"

namespace warpwise::cpu_compiler {

class HeaderSkipper final : public clang::PPCallbacks {
  public:
    // `skipped` gets one sentence for each; `has_partial` whether one came that is carried in part.
    // `lines` the #includes of the source itself that were skipped. All outlive the callbacks.
    // `may_skip_own`: headers in quotes too, which are the user's.
    HeaderSkipper(clang::Preprocessor& preprocessor, std::vector<std::string>& skipped,
                  std::vector<TextRange>& lines, bool& has_partial, bool may_skip_own)
        : preprocessor_(preprocessor),
          skipped_(skipped),
          lines_(lines),
          has_partial_(has_partial),
          may_skip_own_(may_skip_own) {}
    bool FileNotFound(llvm::StringRef name) override;
    void InclusionDirective(clang::SourceLocation hash, const clang::Token& include,
                            llvm::StringRef name, bool is_angled, clang::CharSourceRange range,
                            clang::OptionalFileEntryRef file, llvm::StringRef search_path,
                            llvm::StringRef relative_path, const clang::Module* suggested,
                            bool module_imported, clang::SrcMgr::CharacteristicKind kind) override;

  private:
    bool is_quoted(llvm::StringRef name) const;
    void note_line(llvm::StringRef name);

    clang::Preprocessor& preprocessor_;
    std::vector<std::string>& skipped_;
    std::vector<TextRange>& lines_;
    bool& has_partial_;
    const bool may_skip_own_;
};

}  // namespace warpwise::cpu_compiler
