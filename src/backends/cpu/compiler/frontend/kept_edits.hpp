// What sources lately needed before they compiled, for the next request of the same source: another
// instance of a template, another tier. Then one run of clang does where some dozens did.
//
// Invariant: an entry counts only while every file that led to it has the same contents.
// Threading: any thread. Owns its entries; the oldest goes when there are too many.
#pragma once

#include <exception>
#include <memory>
#include <vector>

#include "src/backends/cpu/compiler/frontend/host_code.hpp"
#include "src/compiler/compiler.hpp"

namespace warpwise::cpu_compiler {

struct KeptEdits {
    HostEdits edits;
    bool late_lookup = false;
    std::vector<compiler::Dependency> dependencies;  // with the hashes of what is on disk
    std::exception_ptr whole_error;                  // of what the edits refuse, if anything
};

// nullptr where nothing is known, or no longer true.
std::shared_ptr<const KeptEdits> find_kept_edits(const compiler::CompileRequest& request);
void keep_edits(const compiler::CompileRequest& request, KeptEdits edits);

}  // namespace warpwise::cpu_compiler
