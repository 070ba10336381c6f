// A quick scan of a source for the variables in device memory that it defines, long before clang's
// front end has read it: NVRTC requires their names, and should not wait for them.
//
// Threading: pure functions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/compiler/compiler.hpp"

namespace warpwise::cuda {

// Names as NVRTC takes them, in the order of the source. Nothing where a scan cannot know: where
// a header that is not known may define some, and with variables in namespaces, under #if, of
// texture types, or made by macros. It may be wrong all the same: its user compares it with
// what the front end reports.
std::optional<std::vector<std::string>> guess_variables(const compiler::CompileRequest& request);

}  // namespace warpwise::cuda
