// Sorting, placing and rendering of diagnostics as they come from clang.
#include "src/backends/cpu/compiler/frontend/diagnostics/diagnostics.hpp"

#include <clang/Basic/SourceManager.h>
#include <fmt/format.h>

#include "src/backends/cpu/compiler/frontend/diagnostics/advice.hpp"
#include "src/backends/cpu/compiler/frontend/parse/files.hpp"
#include "warpwise/error.hpp"

namespace warpwise::cpu_compiler {

namespace {

// Errors after these go to error_sites() only.
constexpr unsigned kMostErrorsShown = 20;

using Level = clang::DiagnosticsEngine::Level;

// Whose text a location lies in.
enum class Owner { User, BuiltIn, Options, Expressions };

Owner owner_of(const clang::SourceManager& sources, clang::SourceLocation location) {
    const clang::FileID file = sources.getFileID(sources.getFileLoc(location));
    if (file == sources.getMainFileID()) return Owner::User;
    const llvm::StringRef name = sources.getBufferOrFake(file).getBufferIdentifier();
    if (name == llvm::StringRef(kExpressionsFile)) return Owner::Expressions;
    if (name == llvm::StringRef(kOptionsFile)) return Owner::Options;
    // "<built-in>", "<command line>", "<scratch space>": clang's own.
    if (name.empty() || name.starts_with("<") || is_built_in(name)) return Owner::BuiltIn;
    return Owner::User;
}

// Whether a macro of ours is among the expansions that lead to `location`.
bool passes_built_in_macro(const clang::SourceManager& sources, clang::SourceLocation location) {
    while (location.isMacroID()) {
        if (owner_of(sources, sources.getSpellingLoc(location)) != Owner::User) return true;
        location = sources.getImmediateMacroCallerLoc(location);
    }
    return false;
}

// The #include in the user's text that leads to a place in one of our headers; invalid for the
// prelude.
clang::SourceLocation user_include(const clang::SourceManager& sources,
                                   clang::SourceLocation location) {
    while (location.isValid() && owner_of(sources, location) != Owner::User) {
        location = sources.getIncludeLoc(sources.getFileID(sources.getFileLoc(location)));
    }
    return location;
}

// Leaves out "In file included from" for files from clang's command line.
class Renderer final : public clang::TextDiagnostic {
  public:
    using TextDiagnostic::TextDiagnostic;

  protected:
    void emitIncludeLocation(clang::FullSourceLoc location, clang::PresumedLoc place) override {
        if (!place.isValid() || owner_of(location.getManager(), location) != Owner::User) return;
        TextDiagnostic::emitIncludeLocation(location, place);
    }
};

void remove_all(std::string& text, std::string_view part) {
    for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at)) {
        text.erase(at, part.size());
    }
}

std::string level_word(Level level) {
    return level == Level::Warning ? "warning" : level == Level::Note ? "note" : "error";
}

}  // namespace

struct DiagnosticCollector::Pending {
    clang::FullSourceLoc location;
    Level level;
    std::string message;
};

DiagnosticCollector::DiagnosticCollector() : options_(new clang::DiagnosticOptions), stream_(log_) {
    options_->ShowColors = false;
    options_->ShowPresumedLoc = true;  // #line holds for the log as for what()
}

DiagnosticCollector::~DiagnosticCollector() = default;

void DiagnosticCollector::BeginSourceFile(const clang::LangOptions& language,
                                          const clang::Preprocessor*) {
    language_ = language;
    renderer_ = std::make_unique<Renderer>(stream_, language_, options_.get());
}

void DiagnosticCollector::EndSourceFile() {
    flush_pending();
    renderer_.reset();
}

void DiagnosticCollector::HandleDiagnostic(Level level, const clang::Diagnostic& info) {
    DiagnosticConsumer::HandleDiagnostic(level, info);
    llvm::SmallString<256> words;
    info.FormatDiagnostic(words);
    std::string message = words.str().str();
    if (level == Level::Note) {
        handle_note(info, message);
        return;
    }
    if (level < Level::Warning) return;
    flush_pending();
    std::string note;
    unsupported_.clear();
    if (level >= Level::Error) {
        if (std::optional<Advice> advice = advise(info, message)) {
            message = std::move(advice->message);
            note = std::move(advice->note);
            if (advice->is_unsupported) unsupported_ = message;
        }
        sites_.push_back({info.getLocation(), info.getID(), !unsupported_.empty(), message});
    }
    hold(level, info, message);
    if (!note.empty()) {
        flush_pending();
        log_ += note + "\n";
    }
}

void DiagnosticCollector::hold(Level level, const clang::Diagnostic& info,
                               const std::string& message) {
    last_shown_ = false;
    if (errors_ >= kMostErrorsShown) {
        if (errors_ == kMostErrorsShown && level >= Level::Error) {
            report_placeless(level, "too many errors; the rest is left out");
        }
        return;
    }
    if (!info.getLocation().isValid() || !info.hasSourceManager() || renderer_ == nullptr) {
        report_placeless(level, message);
        return;
    }
    const clang::SourceManager& sources = info.getSourceManager();
    const clang::FullSourceLoc location(info.getLocation(), sources);
    switch (owner_of(sources, location)) {
        case Owner::User:
            emit(location, level, message, info.getRanges(), info.getFixItHints());
            break;
        case Owner::BuiltIn:
            if (level >= Level::Error) {
                pending_ = std::make_unique<Pending>(Pending{location, level, message});
            }
            break;
        case Owner::Options:
            report_placeless(level, message);
            break;
        case Owner::Expressions:
            if (level < Level::Error) break;
            ++errors_;
            if (!expression_error_) {
                expression_error_ = {sources.getPresumedLineNumber(sources.getFileLoc(location)),
                                     message};
            }
            break;
    }
}

// Errors in options (a macro, a forced include) have no line in the user's source.
void DiagnosticCollector::report_placeless(Level level, const std::string& message) {
    if (level >= Level::Error) count_error({}, 0, 0, message);
    log_ += fmt::format("{}: {}\n", level_word(level), message);
}

void DiagnosticCollector::handle_note(const clang::Diagnostic& info, const std::string& message) {
    if (!info.getLocation().isValid() || !info.hasSourceManager() || renderer_ == nullptr) return;
    const clang::SourceManager& sources = info.getSourceManager();
    const clang::FullSourceLoc location(info.getLocation(), sources);
    if (owner_of(sources, location) != Owner::User) return;
    if (pending_ != nullptr) {
        // The note leads from the built-in header to the user's line: the error belongs there.
        const std::unique_ptr<Pending> held = std::move(pending_);
        emit(location, held->level, held->message, info.getRanges(), {});
        return;
    }
    if (last_shown_) emit(location, Level::Note, message, info.getRanges(), info.getFixItHints());
}

void DiagnosticCollector::flush_pending() {
    if (pending_ == nullptr) return;
    const std::unique_ptr<Pending> held = std::move(pending_);
    const clang::SourceManager& sources = held->location.getManager();
    const clang::SourceLocation place = user_include(sources, held->location);
    if (place.isValid()) {
        emit(clang::FullSourceLoc(place, sources), held->level, held->message, {}, {});
        return;
    }
    const clang::PresumedLoc inside = sources.getPresumedLoc(sources.getFileLoc(held->location));
    report_placeless(held->level,
                     fmt::format("in the built-in header {}:{}: {}", inside.getFilename(),
                                 inside.getLine(), held->message));
}

void DiagnosticCollector::emit(clang::FullSourceLoc location, Level level,
                               const std::string& message,
                               llvm::ArrayRef<clang::CharSourceRange> ranges,
                               llvm::ArrayRef<clang::FixItHint> hints) {
    const clang::SourceManager& sources = location.getManager();
    if (passes_built_in_macro(sources, location)) {
        location = location.getFileLoc();
        ranges = {};
        hints = {};
    }
    if (level >= Level::Error) {
        const clang::PresumedLoc place = sources.getPresumedLoc(location.getFileLoc());
        count_error(std::string(user_path(place.getFilename())), place.getLine(), place.getColumn(),
                    message);
    }
    // "fatal" concerns clang only: the log has "error", as what() has.
    const Level shown = level == Level::Fatal ? Level::Error : level;
    renderer_->emitDiagnostic(location, shown, message, ranges, hints);
    stream_.flush();
    remove_all(log_, std::string(kRequestFolder) + "/");
    last_shown_ = true;
}

void DiagnosticCollector::report_error(const clang::SourceManager& sources,
                                       clang::SourceLocation location, const std::string& message) {
    emit(clang::FullSourceLoc(location, sources), Level::Error, message, {}, {});
}

void DiagnosticCollector::report_failure(const std::string& message) {
    flush_pending();
    report_placeless(Level::Error, message);
}

void DiagnosticCollector::count_error(const std::string& file, unsigned line, unsigned column,
                                      const std::string& message) {
    const std::string text = line == 0
                                 ? "error: " + message
                                 : fmt::format("{}:{}:{}: error: {}", file, line, column, message);
    const FirstError error{text, file, static_cast<int>(line)};
    if (errors_++ == 0) first_ = error;
    if (!unsupported_.empty() && first_unsupported_.message.empty()) first_unsupported_ = error;
    unsupported_.clear();
}

void DiagnosticCollector::throw_errors() const {
    if (const FirstError& error = first_unsupported_; !error.message.empty()) {
        throw UnsupportedError(error.message, log_, error.file, error.line);
    }
    throw CompileError(first_.message, log_, first_.file, first_.line);
}

}  // namespace warpwise::cpu_compiler
