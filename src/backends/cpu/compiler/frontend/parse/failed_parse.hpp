// What a parse that failed leaves for deciding how the next one reads the source. Invariant: valid
// only while clang's source manager and syntax tree live, that is, inside the callback.
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/Basic/SourceManager.h>

#include "src/backends/cpu/compiler/frontend/diagnostics/diagnostics.hpp"
#include "src/backends/cpu/compiler/frontend/parse/declarations.hpp"

namespace warpwise::cpu_compiler {

struct FailedParse {
    const DiagnosticCollector& log;
    clang::SourceManager& sources;
    const clang::ASTContext& context;
    const DeclarationMap& declarations;
    bool lacks_headers = false;  // an #include was skipped, or found a header carried in part
};

// Whether an error means only that a name is not declared.
bool is_missing_name(unsigned diagnostic);
// Whether the log has such an error.
bool lacks_names(const DiagnosticCollector& log);
// Whether a template, where late lookup may find it, has such an error.
bool lacks_names_in_templates(const FailedParse& failed);

}  // namespace warpwise::cpu_compiler
