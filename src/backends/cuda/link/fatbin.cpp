// The layout is that of nvcc's fatbinary, as CUDA 12 and 13 write it: a header, then entries, each
// with a header of its own.
#include "src/backends/cuda/link/fatbin.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "src/backends/cuda/link/binaries.hpp"
#include "src/backends/cuda/link/binary_signatures.hpp"
#include "src/backends/cuda/link/nvjitlink.hpp"
#include "src/base/text.hpp"
#include "warpwise/error.hpp"

namespace warpwise::cuda {
namespace {

struct Header {
    std::uint32_t magic;
    std::uint16_t version;
    std::uint16_t header_bytes;
    std::uint64_t bytes;  // of all entries
};
static_assert(sizeof(Header) == 16);

struct EntryHeader {
    std::uint16_t kind;
    std::uint16_t version;
    std::uint32_t header_bytes;
    std::uint64_t bytes;
    std::uint32_t compressed_bytes;
    std::uint32_t others;
    std::uint16_t minor;
    std::uint16_t major;
    std::uint32_t architecture;
    std::uint64_t more;
    std::uint64_t flags;
};
static_assert(sizeof(EntryHeader) == 48);

constexpr std::uint16_t kPtx = 1;
constexpr std::uint16_t kCubin = 2;
constexpr std::uint64_t kCompressed = 0x2000 | 0x8000;  // LZ4, Zstandard

struct Entry {
    EntryHeader header;
    std::span<const std::byte> image;

    bool is_compressed() const { return (header.flags & kCompressed) != 0; }
    std::string text() const {
        return fmt::format("{} for sm_{}", header.kind == kPtx ? "PTX" : "a cubin",
                           header.architecture);
    }
};

template <class T>
T get(std::span<const std::byte> image, std::uint64_t offset, std::string_view name) {
    if (offset > image.size() || image.size() - offset < sizeof(T)) {
        throw ArgumentError(ArgumentError::Kind::Value,
                            fmt::format("{} is no whole fatbin", quote(name)));
    }
    T value;
    std::memcpy(&value, image.data() + offset, sizeof value);
    return value;
}

std::vector<Entry> entries_of(std::span<const std::byte> image, std::string_view name) {
    std::vector<Entry> entries;
    const auto header = get<Header>(image, 0, name);
    const std::uint64_t end =
        std::min<std::uint64_t>(header.header_bytes + header.bytes, image.size());
    for (std::uint64_t at = header.header_bytes; at < end;) {
        const auto entry = get<EntryHeader>(image, at, name);
        const std::uint64_t begin = at + entry.header_bytes;
        if (entry.header_bytes < sizeof entry || begin > end || entry.bytes > end - begin) break;
        entries.push_back({entry, image.subspan(begin, entry.bytes)});
        at = begin + entry.bytes;
    }
    return entries;
}

// The newest that runs on `target`: cubins of its generation go before PTX.
const Entry* best_of(const std::vector<Entry>& entries, std::string_view target) {
    const auto number = static_cast<std::uint32_t>(architecture_number(target));
    const Entry* best = nullptr;
    const auto rank = [](const Entry& entry) {
        return (entry.header.kind == kCubin ? 1000 : 0) + entry.header.architecture;
    };
    for (const Entry& entry : entries) {
        const std::uint32_t own = entry.header.architecture;
        const bool fits =
            entry.header.kind == kPtx || (entry.header.kind == kCubin && own / 10 == number / 10);
        if (!fits || own > number) continue;
        if (best == nullptr || rank(entry) > rank(*best)) best = &entry;
    }
    return best;
}

compiler::Program unpacked(std::span<const std::byte> image, std::string_view name,
                           std::string_view target) {
    const LinkItem item{LinkKind::Fatbin, std::string(name), image};
    const LinkResult linked = run_nvjitlink({&item, 1}, {fmt::format("-arch={}", target)});
    if (!linked.is_good) {
        throw ArgumentError(ArgumentError::Kind::Value,
                            fmt::format("{} cannot be unpacked: {}", quote(name), linked.log));
    }
    return read_cubin(linked.cubin, name);
}

}  // namespace

compiler::Program read_fatbin(std::span<const std::byte> image, std::string_view name,
                              std::string_view target) {
    const std::vector<Entry> entries = entries_of(image, name);
    const Entry* const entry = best_of(entries, target);
    if (entry == nullptr) {
        std::vector<std::string> texts;
        texts.reserve(entries.size());
        for (const Entry& one : entries) texts.push_back(one.text());
        throw ArgumentError(ArgumentError::Kind::Value,
                            fmt::format("{} has nothing for {}; it has {}", quote(name), target,
                                        texts.empty() ? "no code" : join(texts)));
    }
    if (entry->is_compressed()) return unpacked(image, name, target);
    if (entry->header.kind == kCubin) return read_cubin(entry->image, name);
    const std::string_view text(reinterpret_cast<const char*>(entry->image.data()),
                                entry->image.size());
    return read_ptx(text.substr(0, text.find('\0')), name);
}

}  // namespace warpwise::cuda
