// The forms in which recent sources parsed, for the next request of the same source: another
// instance of a template, another tier, which then needs one parse.
//
// Invariant: an entry counts only while every file that led to it has the same contents.
// Threading: any thread. Owns its entries; the oldest goes when there are too many.
#pragma once

#include <exception>
#include <memory>
#include <vector>

#include "src/backends/cpu/compiler/frontend/source_form.hpp"
#include "src/compiler/compiler.hpp"

namespace warpwise::cpu_compiler {

struct KeptForm {
    SourceForm form;
    std::vector<compiler::Dependency> dependencies;  // with the hashes of what is on disk
    std::exception_ptr whole_error;                  // of what the form refuses, if anything
};

// nullptr where nothing is known, or no longer true.
std::shared_ptr<const KeptForm> find_kept_form(const compiler::CompileRequest& request);
void keep_form(const compiler::CompileRequest& request, KeptForm form);

}  // namespace warpwise::cpu_compiler
