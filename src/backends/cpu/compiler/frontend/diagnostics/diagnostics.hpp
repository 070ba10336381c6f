// Collects clang's diagnostics and words them for the user: the user's files and lines only.
//
// Invariants: no note and no include stack shows a built-in header; an error inside one is reported
// where the user's code led there; errors about name expressions are kept apart.
#pragma once

#include <clang/Basic/Diagnostic.h>
#include <clang/Basic/LangOptions.h>
#include <clang/Frontend/TextDiagnostic.h>
#include <llvm/Support/raw_ostream.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpwise::cpu_compiler {

class DiagnosticCollector final : public clang::DiagnosticConsumer {
  public:
    DiagnosticCollector();
    ~DiagnosticCollector() override;

    void BeginSourceFile(const clang::LangOptions& language,
                         const clang::Preprocessor* preprocessor) override;
    void EndSourceFile() override;
    void HandleDiagnostic(clang::DiagnosticsEngine::Level level,
                          const clang::Diagnostic& info) override;

    // An error the front end itself finds, at a place in the user's source.
    void report_error(const clang::SourceManager& sources, clang::SourceLocation location,
                      const std::string& message);
    // A failure of clang's without a place.
    void report_failure(const std::string& message);
    // To be called while clang's source manager lives, after the last diagnostic.
    void flush() { flush_pending(); }

    bool has_errors() const noexcept { return errors_ > 0; }
    // Whether the only errors are about name expressions.
    bool only_expressions_fail() const noexcept { return first_.message.empty(); }
    // Throws what the errors so far amount to: UnsupportedError or CompileError.
    [[noreturn]] void throw_errors() const;
    // The message of the first error that was shown; empty without.
    const std::string& first_error() const noexcept { return first_.message; }
    const std::string& log() const noexcept { return log_; }
    // A line that is no diagnostic, for the end of the log.
    void add_note(const std::string& note) { log_ += "note: " + note + "\n"; }

    // Every error of clang's, in order; valid while its source manager lives.
    struct ErrorSite {
        clang::SourceLocation location;  // may be invalid
        unsigned id = 0;
        bool is_unsupported = false;
        std::string message;
    };
    const std::vector<ErrorSite>& error_sites() const noexcept { return sites_; }

    // The first error located in the text of the name expressions: its line (1-based) and message.
    struct ExpressionError {
        unsigned line = 0;
        std::string message;
    };
    const std::optional<ExpressionError>& expression_error() const noexcept {
        return expression_error_;
    }

  private:
    struct FirstError {
        std::string message;
        std::string file;
        int line = 0;
    };
    struct Pending;  // an error of a built-in header that waits for a note with the user's place

    void emit(clang::FullSourceLoc location, clang::DiagnosticsEngine::Level level,
              const std::string& message, llvm::ArrayRef<clang::CharSourceRange> ranges,
              llvm::ArrayRef<clang::FixItHint> hints);
    void handle_note(const clang::Diagnostic& info, const std::string& message);
    void hold(clang::DiagnosticsEngine::Level level, const clang::Diagnostic& info,
              const std::string& message);
    void report_placeless(clang::DiagnosticsEngine::Level level, const std::string& message);
    void flush_pending();
    void count_error(const std::string& file, unsigned line, unsigned column,
                     const std::string& message);

    llvm::IntrusiveRefCntPtr<clang::DiagnosticOptions> options_;
    clang::LangOptions language_;
    std::string log_;
    llvm::raw_string_ostream stream_;
    std::unique_ptr<clang::TextDiagnostic> renderer_;
    std::unique_ptr<Pending> pending_;
    std::optional<ExpressionError> expression_error_;
    std::string unsupported_;  // wording of the diagnostic at hand, when it names such a construct
    std::vector<ErrorSite> sites_;
    unsigned errors_ = 0;
    FirstError first_;
    FirstError first_unsupported_;
    bool last_shown_ = false;  // notes belong to the diagnostic before them
};

}  // namespace warpwise::cpu_compiler
