// The sizes that skeleton/scan.cuh has, too.
#include "src/algorithm/scan/scan_layout.hpp"

#include <fmt/format.h>

#include "src/codegen/geometry.hpp"

namespace warpwise::algorithm {
namespace {

constexpr std::int64_t kSerialTile = 8320;  // __ww_serial_tile
constexpr int kMostThreads = 256;
// Bytes of a thread's values, which lie in shared memory: a tile has what hides the time in which
// it waits for those before it. Of a power of two values, 16 at once in registers.
constexpr std::size_t kThreadBytes = 128;
// A block's values; every 33rd place is empty. GPUs give 48 KiB without being asked for more.
constexpr std::size_t kBlockBytes = std::size_t{40} << 10;

// Tiles that are summed ahead, as scan_ahead.cuh has them: steps of 16 bytes a thread. With 32
// bytes a scan of 2^27 float64 takes 0.90 ms on an H200 instead of 0.79; blocks of 256 threads are
// as fast, of 1,024 slower by a quarter.
constexpr int kAheadThreads = 512;
constexpr std::size_t kStepBytes = 16;
constexpr int kSteps = 8;
// What is between the sum of a tile and its scan, which reads it again from the cache: more than
// all blocks that run at once hold, and little of the cache. 2^28 float32 on an H200 take 0.614 ms
// with 8 MB, 0.595 with 12, 0.612 with 16; copying them takes 0.509.
constexpr std::int64_t kBytesAhead = std::int64_t{12} << 20;
constexpr std::uint64_t kLeastCache = std::uint64_t{32} << 20;
// Of what is scanned: less stays in the cache from whoever wrote it.
constexpr std::int64_t kLeastBytes = 4 * kBytesAhead;
constexpr std::int64_t kLeastTiles = 8;  // of a row

int items_of(std::size_t value_bytes) {
    int items = 1;
    while (items < 32 && 2 * static_cast<std::size_t>(items) * value_bytes <= kThreadBytes) {
        items *= 2;
    }
    return items;
}

int threads_of(std::size_t value_bytes, int items) {
    int threads = kMostThreads;
    while (threads > 32 &&
           static_cast<std::size_t>(threads) * static_cast<std::size_t>(items) * value_bytes >
               kBlockBytes) {
        threads /= 2;
    }
    return threads;
}

// Of tiles, groups of 32 of them and groups of those: a flag and a value each, or both at once.
void set_states(ScanLayout& layout, std::size_t value_bytes, std::int64_t length) {
    layout.tiles = codegen::divided_up(length, layout.tile);
    const std::int64_t states =
        layout.rows * (layout.tiles + codegen::divided_up(layout.tiles, 32) +
                       codegen::divided_up(layout.tiles, 1024));
    const std::int64_t words = codegen::divided_up(static_cast<std::int64_t>(value_bytes), 4);
    layout.cleared_bytes = 16 + states * (value_bytes <= 4 ? 8 : 4);
    layout.workspace_bytes = layout.cleared_bytes + (value_bytes <= 4 ? 0 : states * words * 4);
}

}  // namespace

std::string ScanLayout::instance(const std::string& type, bool needs_previous) const {
    if (ahead > 0) {
        return fmt::format("__ww_scan_ahead<{}, {}, {}, {}, {}>", type, threads, kSteps,
                           needs_previous, ahead);
    }
    return fmt::format("__ww_scan<{}, {}, {}, {}, {}>", type, serial, threads, items,
                       needs_previous);
}

ScanLayout tiled_layout(int threads, int items, std::size_t value_bytes, std::int64_t rows,
                        std::int64_t length) {
    ScanLayout layout;
    layout.threads = threads;
    layout.items = items;
    layout.tile = std::int64_t{threads} * items;
    layout.rows = rows;
    set_states(layout, value_bytes, length);
    return layout;
}

ScanLayout scan_layout(bool serial, std::size_t value_bytes, std::int64_t rows,
                       std::int64_t length) {
    if (!serial) {
        const int items = items_of(value_bytes);
        return tiled_layout(threads_of(value_bytes, items), items, value_bytes, rows, length);
    }
    ScanLayout layout;
    layout.serial = true;
    layout.tile = kSerialTile;
    layout.rows = rows;
    set_states(layout, value_bytes, length);
    return layout;
}

std::optional<ScanLayout> ahead_layout(const DeviceInfo& device, std::size_t value_bytes,
                                       std::int64_t rows, std::int64_t length) {
    if (value_bytes != 4 && value_bytes != 8) return std::nullopt;
    if (device.l2_cache_bytes < kLeastCache) return std::nullopt;
    const int items = kSteps * static_cast<int>(kStepBytes / value_bytes);
    ScanLayout layout = tiled_layout(kAheadThreads, items, value_bytes, rows, length);
    const std::int64_t tile_bytes = layout.tile * static_cast<std::int64_t>(value_bytes);
    if (layout.tiles < kLeastTiles || rows * layout.tiles * tile_bytes < kLeastBytes) {
        return std::nullopt;
    }
    layout.ahead = kBytesAhead / tile_bytes;
    return layout;
}

}  // namespace warpwise::algorithm
