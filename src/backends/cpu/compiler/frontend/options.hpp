// What the front end takes from a user's options. NVRTC's and nvcc's spellings are understood;
// those that mean nothing here are accepted and, where that may surprise, named in `warnings`.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace warpwise::cpu_compiler {

struct FrontendOptions {
    // "#define N 4" and "#undef N" lines, in the user's order. They take effect after the prelude,
    // which therefore never depends on them.
    std::vector<std::string> macro_lines;
    std::vector<std::string> include_dirs;     // -I
    std::vector<std::string> forced_includes;  // -include
    std::vector<std::string> warning_flags;    // -W...
    std::vector<std::string> limit_flags;      // -ftemplate-depth=N, ... as for clang's cc1
    std::string standard = "c++17";
    bool fast_math = false;  // approximate functions, division and square root; implies ftz
    bool flush_denormals = false;
    bool precise_divide = true;
    bool precise_sqrt = true;
    bool show_warnings = true;
    bool is_part = false;  // -rdc=true, -dc: other parts of the program are linked with it
    bool device_by_default = false;  // functions without attributes are device functions too
    std::vector<std::string> notes;  // for the log: "warning: option '...' has no effect on ..."
};

// Throws ArgumentError naming an unknown option and the known one nearest to it, a missing or
// malformed value.
FrontendOptions parse_options(std::span<const std::string> options);

}  // namespace warpwise::cpu_compiler
