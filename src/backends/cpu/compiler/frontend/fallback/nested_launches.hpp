// Launches of kernels in device code: where they stand, and how they are written for clang, which
// has no launches there. A launch is rewritten as a call of core/nested_launch.cuh; where that does
// not compile, in the next of three ways.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "src/backends/cpu/compiler/frontend/fallback/edits.hpp"
#include "src/backends/cpu/compiler/frontend/parse/failed_parse.hpp"

namespace warpwise::cpu_compiler {

class NestedLaunches {
  public:
    // What the launches that a parse refused become.
    std::vector<Replacement> replacements(const FailedParse& failed, Edits& edits);
    // Writes those that failed to compile in the next way. Whether any did.
    bool rewrite_failed(const FailedParse& failed, Edits& edits);

    // One sentence for each launch that fails at run time.
    const std::vector<std::string>& notes() const noexcept { return notes_; }

    // From the kernel's name to the parenthesis behind its arguments.
    struct Launch {
        TextRange range;
        std::string name;  // of the kernel, with namespaces and template arguments
        std::string config, arguments;
        unsigned line = 0;
        unsigned way = 0;
    };

  private:
    std::vector<Launch> launches_;  // by the number in the marks around each
    std::vector<std::string> notes_;
};

}  // namespace warpwise::cpu_compiler
