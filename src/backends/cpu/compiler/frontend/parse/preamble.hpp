// What the parser reads between the prelude and the source, because an earlier parse has shown that
// the source needs it: declarations of the host's library, headers that nvcc includes by itself.
//
// Invariant: the source itself is not changed. A source that parses needs one preamble at most, so
// that it is parsed at most twice.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "src/backends/cpu/compiler/frontend/parse/failed_parse.hpp"

namespace warpwise::cpu_compiler {

// A macro gives names of the source's own this prefix where the prelude has them too.
inline constexpr std::string_view kOwnPrefix = "__ww_own_";
// As the source writes it.
std::string without_own_prefix(std::string text);

class Preamble {
  public:
    // Adds all that the errors of one parse require. Whether the next parse reads anything new.
    bool extend(const FailedParse& failed);

    // Bodies of templates are parsed at the end of the source, where nvcc finds names that a
    // template uses before their declaration. Whether that is new.
    bool use_late_lookup() noexcept;
    bool has_late_lookup() const noexcept { return late_lookup_; }

    // Lines in front of the source.
    std::string text() const;

  private:
    bool has_library_ = false;  // what headers of the host's library bring along
    bool late_lookup_ = false;
    std::set<std::string> headers_;
    std::set<std::string> own_names_;  // of the prelude, that the source declares itself
};

}  // namespace warpwise::cpu_compiler
