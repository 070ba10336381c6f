// Which files the preprocessor would have taken, had they been there. A program compiled with
// second/a.h is stale once first/a.h appears; to notice that, the cache remembers what was absent.
//
// Reads the text of #include and __has_include only: names made by macros are not seen.
// Threading: pure functions of the request and the disk.
#pragma once

#include <string>
#include <vector>

#include "src/compiler/compiler.hpp"

namespace warpwise::compiler {

// Whether the result may depend on the working folder: something is looked for at a relative path.
bool depends_on_working_folder(const CompileRequest& request);

// The dependencies a compile reported, and besides them what its search for the headers named in
// the source, the headers in memory, the dependencies and -include options found: every place where
// a header would have been found first but is not (kAbsentFile), and files that are there without
// having been read (they may have answered a __has_include).
std::vector<Dependency> complete_dependencies(const CompileRequest& request,
                                              std::vector<Dependency> reported);

// hash64 of a file's contents; kAbsentFile when it is no readable file.
std::uint64_t hash_of_file(const std::string& path);

}  // namespace warpwise::compiler
