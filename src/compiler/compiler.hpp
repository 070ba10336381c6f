// The contract of compilers: source and options in, Program out. Needs no device.
//
// Data flow: runtime/source_module builds a CompileRequest -> compile_cached() looks its key up in
// memory and on disk -> on a miss the back end's Compiler runs -> Program -> ModuleImpl::extend()
// of the back end (src/runtime/backend.hpp).
//
// Every back end has the signatures of kernels from clang's front end, which lives in the compiler
// library (libwarpwise_compiler, opened at the first cache miss).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/compiler/compile_mode.hpp"
#include "src/compiler/program.hpp"
#include "warpwise/export.hpp"

namespace warpwise::compiler {

struct CompileRequest {
    std::string source;
    std::string name = "kernel.cu";    // what diagnostics call the source
    std::vector<std::string> options;  // as the user gave them, without those of the mode
    CompileMode mode;
    std::vector<std::string> include_dirs;
    std::vector<std::pair<std::string, std::string>> headers;  // in memory: name, text
    // Template instances to compile: "scale<float>". When not empty, `kernels` of the result are
    // just these, and module globals are declared as in the whole source, so that the loader can
    // bind them to those of a program loaded before.
    std::vector<std::string> name_expressions;
    std::string target;             // a Compiler's own word for a processor
    std::string format = "object";  // see Program::format
};

// Contract.
//  - compile() is a pure function of the request, the files it includes and fingerprint().
//  - It throws CompileError for the user's mistakes (place and log in the user's terms),
//    UnsupportedError for constructs the back end cannot run (named, with their line) and
//    ArgumentError for options that contradict each other or do not exist.
//  - It may be called from many threads at once and holds no lock of the library.
class WARPWISE_API Compiler {
  public:
    virtual ~Compiler() = default;

    virtual Program compile(const CompileRequest& request) = 0;
    // Loads what compile() uses and lets it do what it does once in a process. Throws as compile().
    virtual void open() {}
    // Everything besides the request that changes the result: versions, ABI, built-in headers.
    // Cheap: called on every lookup, opens no library.
    virtual std::string fingerprint() const = 0;
    // Whether it lives to the end of the process: only then may a compile go on behind a caller
    // who was interrupted.
    virtual bool is_permanent() const noexcept { return false; }

    // Programs that any processor of the kind request.target runs, not the one here alone: what is
    // installed with the library (prebuilt.hpp). fingerprint() of these; empty: there are none.
    virtual std::string portable_fingerprint() const { return {}; }
    // The kind whose programs a processor of this target runs: "sm_80" for "sm_86".
    virtual std::string portable_target(const std::string& target) const { return target; }
    // Whether it can be loaded here: a driver may be older than what has compiled it.
    virtual bool is_loadable(const Program& /*portable*/) const { return true; }
    // Called where portable_fingerprint() is not empty. As compile(), of the request's target.
    virtual Program compile_portable(const CompileRequest& request) { return compile(request); }
};

// The signatures of all kernels in `request`: format "signatures". Cached like the rest. Used by
// back ends whose own compiler does not report them (CUDA), and by the null back end. Those of the
// request's mode, without the compiler library, where the caller gave them.
//
// The binary is the source for a compiler that takes no host code: host functions and variables are
// blank, what has no mark of host or device is the device's, and a first line includes
// kReferencesHeader where there are texture or surface references. Empty when the source can be
// taken as it is.
inline constexpr std::string_view kReferencesHeader = "warpwise_references.h";
WARPWISE_API Program read_signatures(const CompileRequest& request);

// compile() behind the disk cache: key = request, fingerprint and the contents of all included
// files. Errors are not cached. Several processes may race on one key; each gets a whole Program.
WARPWISE_API Program compile_cached(Compiler& compiler, const CompileRequest& request);
// What the cache has of it; compiles nothing.
WARPWISE_API std::optional<Program> find_cached(Compiler& compiler, const CompileRequest& request);

// Calls `recorder` with what compile_cached() is asked for in this process from now on, in the
// asking thread: for the program that writes prebuilt.hpp's file.
using RequestRecorder = std::function<void(Compiler& compiler, const CompileRequest& request)>;
WARPWISE_API void record_requests(RequestRecorder recorder);

// The cache that the calling thread uses (warpwise/cache.hpp: CacheFolder), for another thread that
// compiles in its place: it uses the same while it has a SameCache.
WARPWISE_API const void* chosen_cache() noexcept;
class WARPWISE_API SameCache {
  public:
    explicit SameCache(const void* chosen) noexcept;
    ~SameCache();
    SameCache(const SameCache&) = delete;
    SameCache& operator=(const SameCache&) = delete;

  private:
    const void* outer_;
};

}  // namespace warpwise::compiler
