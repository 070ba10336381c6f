// What only this back end knows of a kernel: written by its compiler, read by its run time, opaque
// to everything in between (compiler::KernelInfo::backend_data).
//
// Invariant: decode_record() returns what encode_record() was given. Changes of the layout raise
// kAbiVersion.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/backends/cpu/abi.hpp"
#include "src/base/byte_stream.hpp"
#include "src/compiler/compile_mode.hpp"

namespace warpwise::cpu {

// How one line of the source accesses memory: LineReport.
struct AccessRow {
    std::string file;
    std::uint32_t line = 0;
    std::array<std::uint32_t, 5> counts{};  // vectors, strided, gathers, scatters, lane by lane
};

struct KernelRecord {
    compiler::Executor executor = compiler::Executor::Reference;  // never Auto
    std::uint32_t flags = 0;                                      // bits: KernelFlag
    std::uint32_t frame_bytes = 0;   // what a gang keeps while it waits for its block
    std::uint32_t lane_by_lane = 0;  // instructions done thread by thread, in a thousand
    std::vector<AccessRow> accesses;

    std::uint32_t gang_columns() const noexcept {
        return std::max(flags >> kGangColumnsShift & kGangColumnsMask, 1U);
    }
    std::uint32_t gang_rows() const noexcept { return std::max(flags >> kGangRowsShift, 1U); }
};

inline std::vector<std::byte> encode_record(const KernelRecord& record) {
    ByteWriter out;
    out.put(static_cast<std::uint8_t>(record.executor)).put(record.flags);
    out.put(record.frame_bytes).put(record.lane_by_lane);
    out.put(static_cast<std::uint64_t>(record.accesses.size()));
    for (const AccessRow& row : record.accesses) {
        out.put(std::string_view(row.file)).put(row.line);
        for (const std::uint32_t count : row.counts) out.put(count);
    }
    return std::move(out).take();
}

// Throws DeviceError on bytes that are no record.
inline KernelRecord decode_record(std::span<const std::byte> bytes) {
    ByteReader in(bytes, "record of a kernel");
    KernelRecord record;
    const auto executor = in.get<std::uint8_t>();
    in.require(executor >= static_cast<std::uint8_t>(compiler::Executor::Reference) &&
                   executor <= static_cast<std::uint8_t>(compiler::Executor::Regions),
               "names an unknown executor");
    record.executor = static_cast<compiler::Executor>(executor);
    record.flags = in.get<std::uint32_t>();
    record.frame_bytes = in.get<std::uint32_t>();
    record.lane_by_lane = in.get<std::uint32_t>();
    constexpr std::size_t kLeastRowBytes = 32;
    record.accesses.resize(in.get_count(kLeastRowBytes));
    for (AccessRow& row : record.accesses) {
        row.file = in.get_text();
        row.line = in.get<std::uint32_t>();
        for (std::uint32_t& count : row.counts) count = in.get<std::uint32_t>();
    }
    in.require_end();
    return record;
}

}  // namespace warpwise::cpu
