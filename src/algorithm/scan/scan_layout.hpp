// How a scan is cut into tiles, and the memory through which they synchronise: what
// skeleton/scan.cuh takes.
//
// Threading: pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "warpwise/device.hpp"

namespace warpwise::algorithm {

struct ScanLayout {
    bool serial = false;  // a thread is a block
    int threads = 1;
    int items = 1;  // of a thread
    std::int64_t tile = 1;
    std::int64_t tiles = 1;  // of a row
    std::int64_t rows = 1;
    std::int64_t ahead = 0;  // tiles that are summed before one is scanned; 0: scanned at once
    std::int64_t workspace_bytes = 0;
    std::int64_t cleared_bytes = 0;  // its first ones, zero when the kernel begins

    std::int64_t blocks() const noexcept {
        return ahead == 0 ? rows * tiles : 2 * (rows * tiles + ahead);
    }
    // As LibraryText has them.
    int resident_blocks() const noexcept { return ahead == 0 ? 0 : 2; }
    // "__ww_scan<T, true, 1, 1, false>", for values of type `type`; where tiles are summed ahead,
    // "__ww_scan_ahead<T, 512, 8, false, 192>", whose loads and stores take vectors.
    std::string instance(const std::string& type, bool needs_previous) const;
};

// `serial`: is_serial() of the device. Rows are not empty.
ScanLayout scan_layout(bool serial, std::size_t value_bytes, std::int64_t rows,
                       std::int64_t length);
// Tiles that are summed ahead: for numbers of 4 or 8 bytes, where memory is read faster so than by
// scan_layout(). Of the same length they are those of the same device always.
std::optional<ScanLayout> ahead_layout(const DeviceInfo& device, std::size_t value_bytes,
                                       std::int64_t rows, std::int64_t length);
// Of a kernel that exchanges values of tiles as scans do, with tiles of its own.
ScanLayout tiled_layout(int threads, int items, std::size_t value_bytes, std::int64_t rows,
                        std::int64_t length);

}  // namespace warpwise::algorithm
