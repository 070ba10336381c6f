// The order in which a source that does not parse is changed.
#include "src/backends/cpu/compiler/frontend/source_form.hpp"

#include <clang/Basic/DiagnosticLex.h>

#include <map>
#include <string>

namespace warpwise::cpu_compiler {

namespace {

// From this parse on host and device code are left out in one step.
constexpr int kLastRounds = kMostParses - 2;

bool lacks_own_header(const DiagnosticCollector& log) {
    for (const DiagnosticCollector::ErrorSite& site : log.error_sites()) {
        if (site.id == clang::diag::err_pp_file_not_found) return true;
    }
    return false;
}

class Reviser {
  public:
    Reviser(SourceForm& form, bool may_refuse_parts)
        : form_(form), may_refuse_parts_(may_refuse_parts) {}

    // After parse number `count` has failed: whether the next one reads anything new.
    bool revise(const FailedParse& failed, int count) {
        Fallback& fallback = form_.fallback;
        const bool skips_more = skip_own_headers(failed);
        const bool is_extended = form_.preamble.extend(failed);
        if (fallback.adapt(failed, may_refuse_parts_) || is_extended || skips_more) return true;
        const bool is_less = fallback.leave_out_host_code(failed);
        if (is_less && count < kLastRounds) return true;
        const bool is_late = lacks_names_in_templates(failed) && form_.preamble.use_late_lookup();
        if (!may_refuse_parts_) return is_less || is_late;
        // What late lookup may find is not refused.
        if (is_late && count < kLastRounds) return true;
        fallback.allow_refusals();
        return fallback.refuse_device_code(failed) || is_less || is_late;
    }

  private:
    // At once: a missing header ends a parse, so every change before it costs a parse of its own.
    bool skip_own_headers(const FailedParse& failed) {
        Fallback& fallback = form_.fallback;
        if (!may_refuse_parts_ || fallback.may_refuse()) return false;
        if (!lacks_own_header(failed.log)) return false;
        fallback.allow_refusals();
        return true;
    }

    SourceForm& form_;
    const bool may_refuse_parts_;
};

// Headers that were changed in memory count as they were first read.
std::vector<compiler::Dependency> as_list(const std::map<std::string, std::uint64_t>& hashes) {
    std::vector<compiler::Dependency> files;
    files.reserve(hashes.size());
    for (const auto& [path, hash] : hashes) files.push_back({path, hash});
    return files;
}

}  // namespace

ParseText SourceForm::text() const {
    return {fallback.source(), preamble.text(), fallback.files(), preamble.has_late_lookup(),
            fallback.may_refuse()};
}

Parses parse_until_done(const ParseInput& input, SourceForm& form) {
    Reviser reviser(form, may_refuse_parts(input.request));
    Parses parses;
    std::map<std::string, std::uint64_t> hashes;
    bool is_revised = true;
    while (is_revised && parses.count < kMostParses) {
        ++parses.count;
        is_revised = false;
        // A copy: a parse that fails changes the form while it ends.
        // NOLINTNEXTLINE(performance-unnecessary-copy-initialization)
        const SourceForm read = form;
        parses.last = std::make_shared<Parse>(input, read.text(), [&](const FailedParse& failed) {
            if (parses.count < kMostParses) is_revised = reviser.revise(failed, parses.count);
        });
        for (const auto& file : parses.last->dependencies()) hashes.emplace(file.path, file.hash);
        if (!parses.last->failed()) break;
        const bool has_all = !read.fallback.may_refuse() && !read.preamble.has_late_lookup();
        if (has_all) parses.unrefused = parses.last;
        if (parses.count == 1) parses.first = parses.last;
    }
    parses.dependencies = as_list(hashes);
    return parses;
}

}  // namespace warpwise::cpu_compiler
