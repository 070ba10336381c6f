// One fill where the pattern allows, else one a piece of the pattern.
#include "src/backends/cuda/copy/fills.hpp"

#include <algorithm>

namespace warpwise::cuda {
namespace {

bool has_equal_bytes(std::uint64_t pattern, std::size_t bytes) {
    const std::uint64_t mask = bytes == 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << 8 * bytes) - 1;
    return (pattern & mask) == ((pattern & 0xff) * 0x0101010101010101 & mask);
}

FillNode plain(const runtime::Fill& fill, unsigned element_bytes, std::size_t count) {
    const unsigned mask = element_bytes == 4 ? ~0U : (1U << 8 * element_bytes) - 1;
    return {.destination = fill.destination,
            .pitch = 0,
            .value = static_cast<unsigned>(fill.pattern) & mask,
            .element_bytes = element_bytes,
            .width = count,
            .height = 1};
}

// Every pattern_bytes a piece of the pattern: one column of it.
std::vector<FillNode> columns(const runtime::Fill& fill, unsigned element_bytes) {
    std::vector<FillNode> parts;
    const unsigned mask = element_bytes == 4 ? ~0U : 0xffU;
    for (std::size_t at = 0; at < fill.pattern_bytes; at += element_bytes) {
        parts.push_back({.destination = fill.destination + at,
                         .pitch = fill.pattern_bytes,
                         .value = static_cast<unsigned>(fill.pattern >> 8 * at) & mask,
                         .element_bytes = element_bytes,
                         .width = 1,
                         .height = fill.count});
    }
    return parts;
}

}  // namespace

std::vector<FillNode> split_fill(const runtime::Fill& fill) {
    const std::size_t bytes = fill.pattern_bytes;
    if (has_equal_bytes(fill.pattern, bytes)) return {plain(fill, 1, fill.count * bytes)};
    // The driver requires aligned addresses; those of single bytes always are.
    if (fill.destination % std::min<std::size_t>(bytes, 4) != 0) return columns(fill, 1);
    if (bytes <= 4) return {plain(fill, static_cast<unsigned>(bytes), fill.count)};
    return columns(fill, 4);
}

}  // namespace warpwise::cuda
