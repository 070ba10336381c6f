// Turns clang's wording into what helps a CUDA user: constructs this version lacks, headers that
// belong to the host, launches inside a source.
#pragma once

#include <clang/Basic/Diagnostic.h>

#include <optional>
#include <string>

namespace warpwise::cpu_compiler {

struct Advice {
    std::string message;          // replaces clang's
    bool is_unsupported = false;  // the construct is legal CUDA that this version cannot run
    std::string note;             // a line for the log, may be empty
};

// nullopt: clang's own words will do.
std::optional<Advice> advise(const clang::Diagnostic& info, const std::string& message);

// The first 'name' in a message of clang's; empty without.
std::string quoted_name(const std::string& message);

// Whether a missing header is one of the host's: of its C or C++ library, its system, or a library
// that host code calls. Device code can lack it.
bool is_host_header(const std::string& name);
// A sentence on a missing header that is passed over.
std::string missing_header_text(const std::string& name);

}  // namespace warpwise::cpu_compiler
