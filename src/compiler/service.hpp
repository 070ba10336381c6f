// The entry point of libwarpwise_compiler: clang and LLVM, in a shared library of their own that is
// opened at the first cache miss and never before.
//
// The library exports one C function, warpwise_compiler_service(), that returns this interface.
// Exceptions of warpwise/error.hpp pass through it: both libraries share one libwarpwise.
//
// After a crash inside clang (caught, reported as CompileError with the stage that crashed) the
// service runs later compiles in a child process (worker/child.hpp).
//
// Threading: service() and all of CompilerService may be called from any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "src/compiler/compiler.hpp"

namespace warpwise::compiler {

inline constexpr std::uint32_t kServiceVersion = 7;

class CompilerService {
  public:
    virtual ~CompilerService() = default;

    // Code for `request.target`: a level of processors ("x86-64-v3") or "native"; for format "ptx"
    // a GPU ("sm_80").
    virtual Program compile(const CompileRequest& request) = 0;
    // Parses only.
    virtual Program read_signatures(const CompileRequest& request) = 0;
    // Precompiles the built-in headers into a file, for the build: a machine's first compile then
    // need not.
    virtual void write_default_prelude(const std::string& path) = 0;
};

// Opens the library on first use. Throws DeviceError naming the file that is missing or unusable.
CompilerService& service();
// True once service() has been called with success: tests assert that a cache hit leaves it false.
WARPWISE_API bool service_is_open() noexcept;

using ServiceFactory = CompilerService* (*)(std::uint32_t version);
inline constexpr const char* kServiceSymbol = "warpwise_compiler_service";

// A hash of the built-in device headers and of the version of the compiler library, compiled into
// libwarpwise, so that fingerprints need not open the library.
std::string_view compiler_identity() noexcept;

}  // namespace warpwise::compiler
