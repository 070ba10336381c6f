// How a source is compiled, besides its text and its target. One typed value that
// travels as a whole: in the request, in the cache key, in the key of a kernel's forms, to the
// compile worker, and to code generation. Users' options become one in mode_options.hpp.
//
// A back end that does not know a member ignores it, but for `checks`: see require_supported().
//
// Threading: plain values.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/byte_stream.hpp"
#include "warpwise/export.hpp"
#include "warpwise/signature.hpp"

namespace warpwise::compiler {

// How the CPU device runs the threads of a block. Auto: as suits the kernel.
enum class Executor : std::uint8_t { Auto, Reference, Gang, Regions };
// Full: the fastest code. Quick: one vector for a value and no specialised copies, in half the
// time.
enum class Tier : std::uint8_t { Full, Quick };
// Checks that compiled code makes while it runs, as a set of bits.
enum class Checks : std::uint32_t {
    None = 0,
    Bounds = 1u << 0,         // accesses outside of an allocation
    Races = 1u << 1,          // unordered accesses of several threads
    Uninitialized = 1u << 2,  // reads of memory that nothing has written
    Barriers = 1u << 3,       // barriers that not all threads reach
};
using BlockShape = std::array<std::uint32_t, 3>;  // blockDim

constexpr Checks operator|(Checks a, Checks b) {
    return static_cast<Checks>(static_cast<std::uint32_t>(a) | static_cast<std::uint32_t>(b));
}

struct CompileMode {
    std::optional<Executor> executor;  // unset: WARPWISE_EXECUTOR
    std::optional<Tier> tier;          // unset: the back end's choice
    std::optional<BlockShape> block;   // the only shape of blocks that will be launched
    // Optional passes of the vectoriser to leave out; unset: WARPWISE_SKIP_PASS.
    std::optional<std::vector<std::string>> skipped_passes;
    std::string kernel;  // symbol of the only kernel to compile; empty: all
    Checks checks = Checks::None;
    bool contraction = true;  // a*b+c may be rounded once, as with nvcc's -fmad=true
    // The CPU device: a program beyond what any GPU takes is compiled, with a warning.
    bool allow_beyond_gpu = false;
    // Of all kernels of the program (the instances, where the request names some), where the caller
    // knows them; empty: read from the source. A back end that need not read the source then finds
    // no variables and no templates in it; one that reads it compares.
    std::vector<KernelSignature> signatures;

    Executor chosen_executor() const { return executor.value_or(Executor::Auto); }
    bool is_quick() const { return tier == Tier::Quick; }
    // By all members, as encoded.
    WARPWISE_API bool operator==(const CompileMode& other) const;
};

// "auto", "reference", "gang", "regions".
WARPWISE_API std::string_view name_of(Executor executor) noexcept;
WARPWISE_API std::optional<Executor> executor_named(std::string_view name) noexcept;

// All members, in declaration order; equal modes have equal bytes.
void put_mode(ByteWriter& out, const CompileMode& mode);
CompileMode get_mode(ByteReader& in);

// Throws UnsupportedError naming what no compiler of this version does: `checks`.
WARPWISE_API void require_supported(const CompileMode& mode);

// Throws ArgumentError unless `known` and `read` have the same kernels with the same parameters, by
// layout and type, and the same launch bounds.
WARPWISE_API void require_same_signatures(const std::vector<KernelSignature>& known,
                                          const std::vector<const KernelSignature*>& read);

}  // namespace warpwise::compiler
