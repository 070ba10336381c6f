// The form in which the parses of one request read its source, and what decides the next one.
//
// A source that parses needs none or a preamble: at most two parses. The rest is the fallback's.
// Invariant: a request is parsed at most kMostParses times, however broken its source is.
#pragma once

#include <memory>
#include <vector>

#include "src/backends/cpu/compiler/frontend/fallback/fallback.hpp"
#include "src/backends/cpu/compiler/frontend/parse/parse.hpp"
#include "src/backends/cpu/compiler/frontend/parse/preamble.hpp"

namespace warpwise::cpu_compiler {

// As it stands, with a preamble, four rounds of the fallback each of which may uncover the next,
// and two that leave out host and device code alike.
inline constexpr int kMostParses = 8;

struct SourceForm {
    explicit SourceForm(const std::string& source) : fallback(source) {}

    ParseText text() const;

    Preamble preamble;
    Fallback fallback;
};

// The parses of one request.
struct Parses {
    std::shared_ptr<Parse> first;      // the source as it stands, if that failed
    std::shared_ptr<Parse> unrefused;  // the last that failed with all of the device code
    std::shared_ptr<Parse> last;
    int count = 0;
    std::vector<compiler::Dependency> dependencies;  // with the hashes of what is on disk

    // The parse whose errors are the source's; null if none failed.
    Parse* failed() const noexcept { return unrefused ? unrefused.get() : first.get(); }
};

// Parses until a parse succeeds or nothing more can be left out; `form` is that of the last one.
Parses parse_until_done(const ParseInput& input, SourceForm& form);

}  // namespace warpwise::cpu_compiler
