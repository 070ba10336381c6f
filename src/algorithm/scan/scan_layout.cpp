// The sizes that skeleton/scan.cuh has, too.
#include "src/algorithm/scan/scan_layout.hpp"

#include <fmt/format.h>

namespace warpwise::algorithm {
namespace {

constexpr std::int64_t kSerialTile = 8320;  // __ww_serial_tile
constexpr int kThreads = 256;

// Values that a thread keeps in registers.
int items_of(std::size_t value_bytes) {
    if (value_bytes <= 4) return 16;
    if (value_bytes <= 8) return 8;
    return value_bytes <= 16 ? 4 : 1;
}

std::int64_t divided_up(std::int64_t a, std::int64_t b) {
    return (a + b - 1) / b;
}

}  // namespace

std::string ScanLayout::instance(const std::string& type, bool needs_previous) const {
    return fmt::format("__ww_scan<{}, {}, {}, {}, {}>", type, serial, threads, items,
                       needs_previous);
}

ScanLayout scan_layout(bool serial, std::size_t value_bytes, std::int64_t rows,
                       std::int64_t length) {
    ScanLayout layout;
    layout.serial = serial;
    layout.threads = serial ? 1 : kThreads;
    layout.items = serial ? 1 : items_of(value_bytes);
    layout.tile = serial ? kSerialTile : std::int64_t{layout.threads} * layout.items;
    layout.rows = rows;
    layout.tiles = divided_up(length, layout.tile);
    // Of tiles, groups of 32 of them and groups of those: a flag and a value each, or both at once.
    const std::int64_t states =
        rows * (layout.tiles + divided_up(layout.tiles, 32) + divided_up(layout.tiles, 1024));
    const std::int64_t words = divided_up(static_cast<std::int64_t>(value_bytes), 4);
    layout.cleared_bytes = 16 + states * (value_bytes <= 4 ? 8 : 4);
    layout.workspace_bytes = layout.cleared_bytes + (value_bytes <= 4 ? 0 : states * words * 4);
    return layout;
}

}  // namespace warpwise::algorithm
