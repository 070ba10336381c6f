// Which declarations of a source have errors that may be left out: those of host code, and device
// code that needs something absent.
//
// Invariant: an error of the user's own in device code is never passed over.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/backends/cpu/compiler/frontend/parse/failed_parse.hpp"

namespace warpwise::cpu_compiler {

// A declaration of host code, and the error in it.
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
    // Where the error stands in a kernel's head: the inside of its parentheses, left out too.
    std::optional<TextRange> parameters;
    // Of an error in another declaration: all of it is left out, and `body` is its range.
    bool is_whole = false;
};

// All errors in host code that come from something absent.
std::vector<HostDefect> find_host_defects(const FailedParse& failed);
// All errors in device code that come from something absent, one a body. Last first.
std::vector<DeviceDefect> find_device_defects(const FailedParse& failed);

}  // namespace warpwise::cpu_compiler
