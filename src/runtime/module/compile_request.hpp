// From the user's options to what compilers take.
#pragma once

#include <string>

#include "src/compiler/compiler.hpp"
#include "warpwise/module.hpp"

namespace warpwise::runtime {

// Target and format are left to the caller. The default options of the settings come first, so
// that the user's own decide. What the options specify of the mode is in the mode, and no longer
// among them.
compiler::CompileRequest compile_request(std::string source, CompileOptions options);

// compiler::compile_cached() for such a request. An error about a default option names the
// environment variable that it comes from.
compiler::Program compile_program(compiler::Compiler& compiler,
                                  const compiler::CompileRequest& request);

}  // namespace warpwise::runtime
