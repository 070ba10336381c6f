// What a source may lack because only its host code needs it: headers of the host, and declarations
// that do not compile without them. A source that is a whole program keeps its kernels that way.
//
// Invariant: an error that stands in device code is never passed over: the kernels that come to it
// are refused.
#pragma once

#include <clang/Lex/PPCallbacks.h>
#include <clang/Lex/Preprocessor.h>

#include <map>
#include <optional>
#include <set>
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

// A declaration that is left out of the next try, and why.
struct HostDefect {
    TextRange range;
    std::string reason;
};

// The body of a device function that is not to be compiled, and the error in it.
struct DeviceDefect {
    TextRange body;
    std::string file;
    int line = 0, column = 0;
    std::string reason;
    bool is_unsupported = false;
    // Where the error stands in a kernel's head: the inside of its parentheses, which goes too.
    std::optional<TextRange> parameters;
    // Where it stands in another declaration: that goes as a whole, and `body` is all of it.
    bool is_whole = false;
};

// The errors of a try that stand in host code and come from something absent. Call it while the
// source manager lives.
std::vector<HostDefect> find_host_defects(const DiagnosticCollector& log,
                                          const clang::SourceManager& sources,
                                          const DeclarationMap& declarations, bool lacks_headers);

// The errors of a try that stand in device code and come from something absent.
std::vector<DeviceDefect> find_device_defects(const DiagnosticCollector& log,
                                              const clang::SourceManager& sources,
                                              const DeclarationMap& declarations,
                                              bool lacks_headers);

// Places of '%' in inline PTX that stand for themselves, as nvcc lets them, by path; last first.
std::vector<TextRange> find_bare_percents(const DiagnosticCollector& log,
                                          const clang::SourceManager& sources);

// Lines of `#pragma unroll` that clang takes for errors and nvcc for nothing: no loop follows, or
// the number of turns is none. By path; last first.
std::vector<TextRange> find_idle_pragmas(const DiagnosticCollector& log,
                                         const clang::SourceManager& sources);

// A launch of a kernel in device code, from the kernel's name to the parenthesis behind its
// arguments.
struct LaunchInDevice {
    TextRange range;
    std::string name;  // of the kernel, with namespaces and template arguments
    std::string config, arguments;
    unsigned line = 0;
};
// Last first.
std::vector<LaunchInDevice> find_nested_launches(const DiagnosticCollector& log,
                                                 const clang::SourceManager& sources);
// The numbers of launches that have been rewritten, and do not compile that way.
std::set<unsigned> find_failed_launches(const DiagnosticCollector& log,
                                        const clang::SourceManager& sources);

// Names of types in the prelude, `texture` and `surface`, that the source has of its own.
std::vector<std::string> find_own_names(const DiagnosticCollector& log);

// Headers of CUDA whose names the source uses without including them: what a header that is missing
// would have included, and what nvcc includes by itself.
std::vector<std::string> find_wanted_headers(const DiagnosticCollector& log, bool lacks_headers);

// Whether names that templates use before their declaration may have caused the errors.
bool lacks_names(const DiagnosticCollector& log);

// The texts of files without the declarations left out so far.
class HostEdits {
  public:
    explicit HostEdits(const std::string& source) : source_(source) {}

    // Whether anything new was left out. Call it while the source manager lives.
    bool leave_out(const std::vector<HostDefect>& defects, clang::SourceManager& sources);

    // From now on device code that cannot be compiled is refused by itself, not with its source.
    void allow_refusals() noexcept { may_refuse_ = true; }
    bool may_refuse() const noexcept { return may_refuse_; }
    // Puts a call of the service that stands for refused code in the place of each body.
    bool refuse(const std::vector<DeviceDefect>& defects, clang::SourceManager& sources);
    // By the number that stands in the call.
    const std::vector<DeviceDefect>& refusals() const noexcept { return refusals_; }
    bool double_percents(const std::vector<TextRange>& places, clang::SourceManager& sources);
    // Writes each as a call of the device headers; see nested_launches.cpp.
    bool rewrite_launches(const std::vector<LaunchInDevice>& launches,
                          clang::SourceManager& sources);
    // In another way.
    bool rewrite_again(const std::set<unsigned>& failed, clang::SourceManager& sources);
    bool drop_lines(const std::vector<TextRange>& lines, clang::SourceManager& sources);

    // From now on the source sees what headers of the host's library, which nvcc includes by
    // itself, would have brought along for device code. Whether that is new.
    bool bring_in_library() noexcept { return !std::exchange(has_library_, true); }
    // From now on the source sees these headers, which one that is missing would have included.
    bool bring_in(const std::vector<std::string>& headers);
    // From now on names of the prelude that the source declares anew mean the source's.
    bool give_up_names(const std::vector<std::string>& names);
    // Lines in front of the source.
    std::string library() const;

    const std::string& source() const noexcept { return source_; }
    const std::map<std::string, std::string>& files() const noexcept { return files_; }
    // One sentence for each declaration that was left out.
    const std::vector<std::string>& notes() const noexcept { return notes_; }

  private:
    // The text of the range's file, to be changed; nullptr when there is none.
    std::string* text_of(const TextRange& range, clang::SourceManager& sources);

    std::string source_;
    std::map<std::string, std::string> files_;  // by absolute path
    std::vector<std::string> notes_;
    std::vector<DeviceDefect> refusals_;
    struct Rewritten {
        LaunchInDevice launch;
        unsigned way = 0;
    };
    std::vector<Rewritten> launches_;
    std::set<std::string> given_up_, headers_;
    bool has_library_ = false;
    bool may_refuse_ = false;
};

}  // namespace warpwise::cpu_compiler
