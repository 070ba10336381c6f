// A Python function as a CUDA C++ kernel for given types of arguments.
//
// Threading: pure.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "src/script/emit/function_emitter.hpp"
#include "src/script/options.hpp"
#include "src/script/program.hpp"
#include "warpwise/signature.hpp"

namespace warpwise::script {

struct Translated {
    std::string source;
    KernelSignature signature;  // a parameter for each word
    std::vector<KernelWord> words;
    std::set<std::size_t> written;  // arguments that are arrays it writes
    // Arguments that are arrays, which it indexes along the last axis by constants or in loops.
    std::set<std::size_t> few_items;
    std::vector<Type> arguments;
    bool is_cooperative = false;  // it waits for the whole grid
    std::vector<Raise> raises;    // by their numbers, from 1; with checks
};

// Throws CompileError and UnsupportedError whose places are in the Python source.
Translated translate(const Program& program, std::vector<Type> arguments,
                     const TranslateOptions& options = {});

// The program's first function as `extern "C" __device__` of that name: its result is returned; or
// stored at a first argument, and 0 returned (`returns_status`), as Numba's functions do. A number
// is converted to the type `declared`, unless that is null; throws ArgumentError where it cannot
// be.
std::string device_source(const Program& program, std::vector<Type> arguments,
                          const std::string& name, bool returns_status, Type declared,
                          const TranslateOptions& options = {});

// The type that the program's first function returns, as a function that kernels call.
Type result_of(const Program& program, std::vector<Type> arguments,
               const TranslateOptions& options = {});

}  // namespace warpwise::script
