// The environment of the process, as it was at the first call: setenv() on another
// thread may change `environ` while it is read, so it is read once, before threads of ours run.
//
// Threading: any thread; the first call must not run beside setenv().
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "warpwise/export.hpp"

namespace warpwise {

// The value of a variable, or nothing.
using Environment = std::function<std::optional<std::string>(const std::string& name)>;

// All variables, "NAME=value". Never destroyed.
WARPWISE_API const std::vector<std::string>& environment_snapshot();
// The same for exec and posix_spawn: pointers into the snapshot, and a null pointer.
WARPWISE_API std::vector<char*> environment_block();
// Reads the snapshot.
std::optional<std::string> process_environment(const std::string& name);

}  // namespace warpwise
