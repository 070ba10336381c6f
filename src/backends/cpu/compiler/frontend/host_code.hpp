// What a source may lack because only its host code needs it: headers of the host, and declarations
// that do not compile without them. A source that is a whole program keeps its kernels that way.
//
// Invariant: an error that stands in device code is never passed over.
#pragma once

#include <clang/Lex/PPCallbacks.h>
#include <clang/Lex/Preprocessor.h>

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/backends/cpu/compiler/frontend/declarations.hpp"
#include "src/backends/cpu/compiler/frontend/diagnostics.hpp"

namespace warpwise::cpu_compiler {

// Skips #includes of headers that device code cannot need, and remembers them.
class HeaderSkipper final : public clang::PPCallbacks {
  public:
    // `skipped` gets one sentence for each; both outlive the callbacks.
    HeaderSkipper(clang::Preprocessor& preprocessor, std::vector<std::string>& skipped)
        : preprocessor_(preprocessor), skipped_(skipped) {}
    bool FileNotFound(llvm::StringRef name) override;

  private:
    bool is_quoted(llvm::StringRef name) const;

    clang::Preprocessor& preprocessor_;
    std::vector<std::string>& skipped_;
};

// A declaration that is left out of the next try, and why.
struct HostDefect {
    TextRange range;
    std::string reason;
};

// The errors of a try that stand in host code and come from something absent. Call it while the
// source manager lives.
std::vector<HostDefect> find_host_defects(const DiagnosticCollector& log,
                                          const clang::SourceManager& sources,
                                          const DeclarationMap& declarations, bool lacks_headers);

// Whether names that templates use before their declaration may have caused the errors.
bool lacks_names(const DiagnosticCollector& log);

// The texts of files without the declarations left out so far.
class HostEdits {
  public:
    explicit HostEdits(const std::string& source) : source_(source) {}

    // Whether anything new was left out. Call it while the source manager lives.
    bool leave_out(const std::vector<HostDefect>& defects, clang::SourceManager& sources);

    // From now on the source sees what headers of the host's library, which nvcc includes by
    // itself, would have brought along for device code. Whether that is new.
    bool bring_in_library() noexcept { return !std::exchange(has_library_, true); }
    // #include lines in front of the source.
    std::string_view library() const noexcept;

    const std::string& source() const noexcept { return source_; }
    const std::map<std::string, std::string>& files() const noexcept { return files_; }
    // One sentence for each declaration that was left out.
    const std::vector<std::string>& notes() const noexcept { return notes_; }

  private:
    std::string source_;
    std::map<std::string, std::string> files_;  // by absolute path
    std::vector<std::string> notes_;
    bool has_library_ = false;
};

}  // namespace warpwise::cpu_compiler
