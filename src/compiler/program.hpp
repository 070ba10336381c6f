// What compiling gives: a binary for one target, and what the run time must know to load it.
//
// A Program is self-contained: it goes to disk and comes back in another process without the
// compiler. serialise() and deserialise() define that format; deserialise() checks every length and
// throws DeviceError on bytes that are not a whole Program of this format version.
//
// Threading: plain values.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "warpwise/export.hpp"
#include "warpwise/signature.hpp"

namespace warpwise::compiler {

// Why a kernel of an otherwise good program has no code.
struct Refusal {
    std::string message;  // empty: it has code
    std::string log;      // with the source line
    std::string file;
    int line = 0;
    bool is_unsupported = false;  // an UnsupportedError, else a CompileError
};

struct KernelInfo {
    KernelSignature signature;
    std::uint32_t static_shared_bytes = 0;
    std::uint32_t local_bytes = 0;         // stack of one thread, where the back end knows it
    std::vector<std::byte> backend_data;   // opaque: the back end's own encoding
    std::array<std::uint32_t, 3> block{};  // the only shape it can be launched with; 0: any
    Refusal refusal;
};

struct GlobalInfo {
    // What the host does with it: a texture or surface reference is bound to images. Of binaries
    // without signatures, every variable is plain.
    enum class Role : std::uint8_t { Plain, Texture, Surface };

    std::string name;          // as the source spells it, qualified: "table", "ns::count"
    std::string symbol;        // in the binary
    std::uint64_t size = 0;    // bytes
    bool is_constant = false;  // __constant__
    DType dtype;               // element type where it has one, else Void
    Role role = Role::Plain;
};

// Of a file that was looked for and not found: the program is stale once it exists.
inline constexpr std::uint64_t kAbsentFile = 0;

struct Dependency {
    std::string path;                  // a header read from disk
    std::uint64_t hash = kAbsentFile;  // hash64 of its contents
};

struct Program {
    std::string target;             // "x86-64-v4", "sm_90"
    std::string format;             // "object", "llvm", "asm", "cubin", "ptx", "signatures"
    std::vector<std::byte> binary;  // text formats: the characters; see also read_signatures()
    std::string log;                // warnings, with the user's lines; empty when none
    std::vector<KernelInfo> kernels;
    std::vector<GlobalInfo> globals;
    std::vector<std::string> templates;    // qualified names of kernel templates, "scale"
    std::vector<Dependency> dependencies;  // files outside the built-in headers
};

WARPWISE_API std::vector<std::byte> serialise(const Program& program);
WARPWISE_API Program deserialise(std::span<const std::byte> bytes);

}  // namespace warpwise::compiler
