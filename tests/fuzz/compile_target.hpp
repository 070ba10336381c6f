// What the fuzzers do with a request: compile it to machine code in this process, run nothing.
// Invariant: returns only when the compiler gave a program or an error that a user can read.
#pragma once

#include "src/compiler/compiler.hpp"

namespace warpwise::fuzz {

// Compiles for one of the levels of the instruction set, by the request's length. Ends the process
// with a report of libFuzzer's when our code crashes, produces malformed output or throws anything
// but an error of the library. A crash of clang's parser is contained by design (an error message,
// and a worker process from then on): it is reported on stderr and the process ends with status 0,
// since clang's state is lost; libFuzzer's -fork starts the next one.
void compile(compiler::CompileRequest request);

}  // namespace warpwise::fuzz
