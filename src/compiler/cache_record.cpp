// Format and keys of cache records. Invariant: two requests that could give different programs have
// different keys.
#include "src/compiler/cache_record.hpp"

#include <filesystem>
#include <span>
#include <system_error>
#include <utility>

#include "src/base/byte_stream.hpp"
#include "src/compiler/include_search.hpp"

namespace warpwise::compiler {
namespace {

// Part of every key: raise when records change form, and old ones are never found again.
constexpr std::uint64_t kRecordVersion = 2;
constexpr std::uint8_t kHoldsProgram = 1;
constexpr std::uint8_t kHoldsVariants = 2;
// The least a variant and a file take, see ByteReader::get_count().
constexpr std::size_t kVariantBytes = 24;
constexpr std::size_t kFileBytes = 16;

Variant get_variant(ByteReader& in) {
    Variant variant;
    variant.program.high = in.get<std::uint64_t>();
    variant.program.low = in.get<std::uint64_t>();
    variant.files.resize(in.get_count(kFileBytes));
    for (Dependency& file : variant.files) {
        file.path = in.get_text();
        file.hash = in.get<std::uint64_t>();
    }
    return variant;
}

}  // namespace

std::vector<std::byte> serialise_record(const CacheRecord& record) {
    ByteWriter out;
    if (record.program) {
        out.put(kHoldsProgram).put(std::span<const std::byte>(serialise(*record.program)));
        return std::move(out).take();
    }
    out.put(kHoldsVariants).put(static_cast<std::uint64_t>(record.variants.size()));
    for (const Variant& variant : record.variants) {
        out.put(variant.program.high).put(variant.program.low);
        out.put(static_cast<std::uint64_t>(variant.files.size()));
        for (const Dependency& file : variant.files) out.put(file.path).put(file.hash);
    }
    return std::move(out).take();
}

CacheRecord deserialise_record(std::span<const std::byte> bytes) {
    ByteReader in(bytes, "cache record");
    CacheRecord record;
    const auto kind = in.get<std::uint8_t>();
    in.require(kind == kHoldsProgram || kind == kHoldsVariants, "is none, by its first byte");
    if (kind == kHoldsProgram) {
        record.program = deserialise(in.get_block());
    } else {
        const std::size_t count = in.get_count(kVariantBytes);
        for (std::size_t i = 0; i < count; ++i) record.variants.push_back(get_variant(in));
    }
    in.require_end();
    return record;
}

Hash128 request_key(const CompileRequest& request, std::string_view fingerprint) {
    Hasher hasher;
    hasher.add(kRecordVersion).add(fingerprint);
    hasher.add(request.source).add(request.name).add(request.target).add(request.format);
    hasher.add_all(request.options).add_all(request.include_dirs);
    hasher.add_all(request.name_expressions);
    ByteWriter mode;
    put_mode(mode, request.mode);
    hasher.add(std::span<const std::byte>(std::move(mode).take()));
    hasher.add(static_cast<std::uint64_t>(request.headers.size()));
    for (const auto& [name, text] : request.headers) hasher.add(name).add(text);
    if (depends_on_working_folder(request)) {
        std::error_code error;  // a working folder that was deleted is like one without a name
        hasher.add(std::filesystem::current_path(error).string());
    }
    return hasher.hash();
}

Hash128 program_key(const Hash128& request, const std::vector<Dependency>& files) {
    Hasher hasher;
    hasher.add(kRecordVersion).add(request.high).add(request.low);
    hasher.add(static_cast<std::uint64_t>(files.size()));
    for (const Dependency& file : files) hasher.add(file.path).add(file.hash);
    return hasher.hash();
}

}  // namespace warpwise::compiler
