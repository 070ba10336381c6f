// What only this back end knows of a kernel: written by its compiler, read by its run time, opaque
// to everything in between (compiler::KernelInfo::backend_data).
//
// Invariant: decode_record() returns what encode_record() was given. Changes of the layout raise
// kAbiVersion.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "src/base/byte_stream.hpp"
#include "src/compiler/compile_mode.hpp"

namespace warpwise::cpu {

struct KernelRecord {
    compiler::Executor executor = compiler::Executor::Reference;  // never Auto
    std::uint32_t flags = 0;                                      // bits: KernelFlag
    std::uint32_t frame_bytes = 0;   // what a gang keeps while it waits for its block
    std::uint32_t lane_by_lane = 0;  // instructions done thread by thread, in a thousand
};

inline std::vector<std::byte> encode_record(const KernelRecord& record) {
    ByteWriter out;
    out.put(static_cast<std::uint8_t>(record.executor)).put(record.flags);
    out.put(record.frame_bytes).put(record.lane_by_lane);
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
    in.require_end();
    return record;
}

}  // namespace warpwise::cpu
