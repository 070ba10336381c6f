// Options, folders and headers of a compile, as Python gives them. All need the GIL and throw
// ArgumentError naming `role`.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "python/bindings/bindings.hpp"
#include "warpwise/module.hpp"

namespace warpwise::python {

std::string string_in(nb::handle value, const char* role);
// The result of os.fspath().
std::string path_text(nb::handle value, const char* role);
// Strings or paths; a single string is refused, because its characters are never intended.
std::vector<std::string> string_list(nb::handle values, const char* role);
// A dict from names to texts.
std::vector<std::pair<std::string, std::string>> header_list(nb::handle headers);
CompileOptions compile_options(nb::handle options, nb::handle include_dirs, std::string name,
                               nb::handle headers);

}  // namespace warpwise::python
