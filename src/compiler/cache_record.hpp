// What the cache keeps under the key of a request: the program itself when no file on disk had a
// part in it, else a manifest, which maps the contents of those files to programs.
// (The scheme of ccache's direct mode.)
//
// Threading: plain values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "src/base/hash.hpp"
#include "src/compiler/compiler.hpp"

namespace warpwise::compiler {

// One compile of the request: the files as they were then, and the key of what came out.
struct Variant {
    std::vector<Dependency> files;
    Hash128 program;
};

struct CacheRecord {
    std::optional<Program> program;
    std::vector<Variant> variants;  // newest first; empty when there is a program
};

// More than a header is likely to alternate between; each is checked on a lookup.
inline constexpr std::size_t kMaxVariants = 16;

std::vector<std::byte> serialise_record(const CacheRecord& record);
// Throws DeviceError on bytes that are no record.
CacheRecord deserialise_record(std::span<const std::byte> bytes);

Hash128 request_key(const CompileRequest& request, std::string_view fingerprint);
Hash128 program_key(const Hash128& request, const std::vector<Dependency>& files);

}  // namespace warpwise::compiler
