// One run of clang, in its CUDA mode, over a whole source: host functions are declared and their
// bodies skipped, device functions become a module. Invariant: every object of clang's is gone when
// the constructor returns.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "src/backends/cpu/compiler/frontend/diagnostics/diagnostics.hpp"
#include "src/backends/cpu/compiler/frontend/harvest/harvest.hpp"
#include "src/backends/cpu/compiler/frontend/harvest/name_expressions.hpp"
#include "src/backends/cpu/compiler/frontend/options.hpp"
#include "src/backends/cpu/compiler/frontend/parse/failed_parse.hpp"
#include "src/backends/cpu/compiler/translation.hpp"

namespace clang {
class CompilerInstance;
}

namespace warpwise::cpu_compiler {

// What all parses of one request share.
struct ParseInput {
    const compiler::CompileRequest& request;
    const FrontendOptions& options;
    const std::vector<std::string>& language;  // flags
    std::string_view prelude;
};

// What one parse reads.
struct ParseText {
    const std::string& source;
    std::string preamble;                             // lines between the prelude and the source
    const std::map<std::string, std::string>& files;  // in place of those on disk, by path
    bool has_late_lookup = false;                     // as Preamble has it
    bool may_skip_own_headers = false;                // as Fallback::allow_refusals() has it
};

// The preamble and the user's macros: a file that is read after the prelude and before the source.
std::string options_text(const FrontendOptions& options, std::string_view preamble);
// Clang's flags for `input`, with diagnostics to `log`.
void configure(clang::CompilerInstance& compiler, const ParseInput& input, bool late_lookup,
               DiagnosticCollector& log);

// Whether a kernel that cannot be compiled may be refused by itself.
bool may_refuse_parts(const compiler::CompileRequest& request);

class Parse {
  public:
    using OnFailure = std::function<void(const FailedParse&)>;
    Parse(const ParseInput& input, const ParseText& text, const OnFailure& on_failure);

    bool failed() const { return log_.has_errors() && !log_.only_expressions_fail(); }
    bool has_device_code() const;

    // Throws the errors, or those of name expressions, if there are any. `notes`: sentences for the
    // log. `furthest`: the parse that read least and failed too, which the log then mentions.
    void check(const std::vector<std::string>& notes, const Parse* furthest = nullptr);
    Translation&& take_translation() { return std::move(translation_); }
    std::vector<compiler::Dependency>& dependencies() { return translation_.dependencies; }

  private:
    void run(const ParseInput& input, const ParseText& text, const OnFailure& on_failure);
    void check_expressions() const;

    Translation translation_;
    NameExpressions names_;
    DiagnosticCollector log_;
    HarvestResult found_;
    std::vector<std::string> skipped_headers_;
    bool has_partial_headers_ = false;
};

}  // namespace warpwise::cpu_compiler
