// The file beside the library that holds the interpreter of GPUs as PTX. The build writes it with
// the compiler library (src/backends/cpu/compiler/worker_main.cpp).
#pragma once

#include <string>

#include "src/compiler/service.hpp"

namespace warpwise::codegen::interpret {

inline constexpr const char* kInterpreterFile = "warpwise-interpreter.ptx";

// Its first line: of the headers that the library was built with.
inline std::string interpreter_mark() {
    return "// Warpwise's interpreter, " + std::string(compiler::compiler_identity()) + "\n";
}

}  // namespace warpwise::codegen::interpret
