// One run of clang over a source. translate() may need several: with host code left out, with late
// name lookup. Invariant: every object of clang's is gone when the constructor returns.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "src/backends/cpu/compiler/frontend/diagnostics.hpp"
#include "src/backends/cpu/compiler/frontend/harvest.hpp"
#include "src/backends/cpu/compiler/frontend/host_code.hpp"
#include "src/backends/cpu/compiler/frontend/name_expressions.hpp"
#include "src/backends/cpu/compiler/frontend/options.hpp"
#include "src/backends/cpu/compiler/translation.hpp"

namespace warpwise::cpu_compiler {

// What all attempts at one request share.
struct AttemptInput {
    const compiler::CompileRequest& request;
    const FrontendOptions& options;
    const std::vector<std::string>& language;  // flags
    std::string_view prelude;
};

// Whether a kernel that cannot be compiled may be refused by itself.
bool may_refuse_parts(const compiler::CompileRequest& request);

class Attempt {
  public:
    // With `late_lookup`, bodies of templates are parsed at the end of the source, where nvcc finds
    // names that a template uses before their declaration. What has to be left out of the next
    // attempt is added to `edits`.
    Attempt(const AttemptInput& input, HostEdits& edits, bool late_lookup);

    bool failed() const { return log_.has_errors() && !log_.only_expressions_fail(); }
    // After a failure: whether `edits` has changed, and whether late lookup may help.
    bool left_something_out() const noexcept { return left_something_out_; }
    bool wants_late_lookup() const noexcept { return wants_late_lookup_; }
    bool has_templates() const noexcept { return has_templates_; }
    bool has_device_code() const;

    // Throws the errors, or those of name expressions, if there are any. `furthest`: the attempt
    // that left out most and failed too, which the log then tells of.
    void check(const HostEdits& edits, const Attempt* furthest = nullptr);
    Translation&& take_translation() { return std::move(translation_); }
    std::vector<compiler::Dependency>& dependencies() { return translation_.dependencies; }

  private:
    // After a failure: decides what the next attempt does without.
    void look_for_edits(HostEdits& edits, clang::SourceManager& sources,
                        const DeclarationMap& declarations);
    void add_notes(const HostEdits& edits);
    void check_expressions() const;

    Translation translation_;
    NameExpressions names_;
    DiagnosticCollector log_;
    HarvestResult found_;
    std::vector<std::string> skipped_headers_;
    bool has_partial_headers_ = false;
    bool left_something_out_ = false;
    bool wants_late_lookup_ = false;
    bool has_templates_ = false;
};

}  // namespace warpwise::cpu_compiler
