// Variables in shared memory whose types have constructors that do something. nvcc accepts them
// inside functions, without an initialiser, and runs no constructor; clang refuses them.
// Invariant: what is written instead declares the same names, for the same objects.
#pragma once

#include <string>
#include <vector>

#include "src/backends/cpu/compiler/frontend/fallback/edits.hpp"
#include "src/backends/cpu/compiler/frontend/parse/failed_parse.hpp"

namespace warpwise::cpu_compiler {

struct SharedObjects {
    Replacement declaration;  // a statement, with its semicolon
    unsigned line = 0;        // in its file
    std::vector<std::string> names;
};

// Each declaration that clang refuses for its constructor or destructor.
std::vector<SharedObjects> find_shared_objects(const FailedParse& failed);

}  // namespace warpwise::cpu_compiler
