// What the two halves of the compiler library hand each other.
//
//   frontend/ (clang):  translate(request)               -> Translation, an LLVM module and its
//   facts lowering/ (LLVM):   generate(translation, ...)       -> Program, the binary
//
// Both run on the big stack and under the crash guard of guard.hpp. Neither has global state, but
// for the prelude (prelude.hpp) and what is kept of sources (kept_forms.hpp), which change no
// result.
#pragma once

#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "src/compiler/compiler.hpp"

namespace llvm {
class LLVMContext;
class Module;
}  // namespace llvm

namespace warpwise::cpu_compiler {

// The folder the built-in headers seem to lie in: debug locations below it are ours, and the place
// to report is the nearest inlinedAt that is not.
inline constexpr std::string_view kHeaderFolder = "/__warpwise__";

using compiler::BlockShape;
using compiler::Executor;

// The module is clang's raw output (no LLVM pass has run) for nvptx64, line tables included.
// For every entry of `kernels`:
//  - the module defines a function named signature.symbol, external, listed as a kernel in
//    nvvm.annotations; all other kernels have been removed or made internal device functions;
//  - function parameter i is signature.parameters[i]: structs, vector and complex types as
//    `ptr byval`, everything else (pointers, numbers, bool as i1) direct;
//  - signature, launch bounds included, is final. static_shared_bytes, local_bytes, flags and
//    executor are left for generate().
// For every entry of `globals`: an external variable `symbol` in address space 1 or 4, defined here
// with its initial value. Static ones have been made external.
// Shared variables are in address space 3, extern arrays as declarations of size 0.
struct Translation {
    Translation();
    Translation(Translation&&) noexcept;
    Translation& operator=(Translation&&) noexcept;
    ~Translation();

    std::unique_ptr<llvm::LLVMContext> context;
    std::unique_ptr<llvm::Module> module;  // after context: it must go first
    std::vector<compiler::KernelInfo> kernels;
    std::vector<compiler::GlobalInfo> globals;
    std::vector<std::string> templates;
    std::vector<compiler::Dependency> dependencies;
    compiler::CompileMode mode;  // of the request
    // What __ww_refused(i) in the module replaces: code that did not compile.
    std::vector<compiler::Refusal> refusals;
    std::vector<compiler::KernelInfo> refused;  // kernels that turned out to need such code
    std::exception_ptr whole_error;             // what to raise when that is all of them
    std::string log;                            // warnings so far; generate() may append
    std::string name;    // request.name: the file name debug locations carry for `source`
    std::string source;  // request.source, for snippets
    // For format "signatures": the source without host code; see compiler::read_signatures().
    std::string device_text;
};

// Parses and generates IR. request.target and request.format decide only whether __WARPWISE_CPU__
// is defined (not for "ptx"). Throws CompileError, UnsupportedError, ArgumentError.
Translation translate(const compiler::CompileRequest& request);

// The source with its macros expanded and headers in place of their #includes: format
// "preprocessed". Host headers that are not there are left out.
compiler::Program preprocess(const compiler::CompileRequest& request);

// Code for `target`, an x86-64 level ("x86-64-v3"), as `format`: "object", "asm", "llvm" (for "ptx"
// the target is "sm_NN"). Moves kernels, globals, templates, dependencies and log into the Program.
compiler::Program generate(Translation&& translation, std::string_view target,
                           std::string_view format);

// "name.cu:3:5: error: message", the source line and a caret below it; file and line as given when
// the text is not at hand. For diagnostics found after parsing.
std::string diagnostic_text(const Translation& translation, std::string_view file, int line,
                            int column, std::string_view message);

}  // namespace warpwise::cpu_compiler
