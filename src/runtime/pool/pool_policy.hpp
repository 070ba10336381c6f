// How a pool takes memory from its device.
//
// Devices with memory of their own give segments that are cut into pieces: a driver's allocation
// costs hundreds of microseconds and its granule is 2 MiB. Memory of the host comes one block from
// malloc or mmap each: these are quick, checkers of memory see each block's end, and what is given
// back serves the rest of the machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

#include "warpwise/device.hpp"

#include "src/runtime/backend.hpp"

namespace warpwise::runtime {

struct PoolPolicy {
    MemoryKind kind = MemoryKind::Device;
    bool splits = true;  // else a segment is one block of the request's size
    bool reuses = true;  // else blocks have exact sizes and go back when their work has ended
    std::size_t small_request = std::size_t{1} << 20;  // at most: served from small segments
    std::size_t small_segment = std::size_t{2} << 20;
    std::size_t large_segment = std::size_t{32} << 20;  // at least; unless there is no more
    std::size_t granule = std::size_t{2} << 20;         // sizes of large segments are multiples
    // Kept but unused bytes beyond this go back to the device without need.
    std::uint64_t most_kept = std::numeric_limits<std::uint64_t>::max();

    // `choice`: of Settings::pool.
    static PoolPolicy of_device(const DeviceInfo& info, std::string_view choice) {
        PoolPolicy policy;
        if (choice == "none" || choice == "guard") {
            policy.splits = policy.reuses = false;
            policy.most_kept = 0;
            return policy;
        }
        policy.splits = !info.shares_host_memory;
        // The memory is shared with all other processes.
        if (info.shares_host_memory) policy.most_kept = info.total_memory / 8;
        return policy;
    }
    // Page-locked memory is missing from all the machine's other programs.
    static PoolPolicy of_page_locked(const DeviceInfo& info, std::string_view choice) {
        PoolPolicy policy;
        policy.kind = MemoryKind::PageLocked;
        policy.reuses = choice != "guard";
        policy.splits = !info.shares_host_memory;
        policy.large_segment = 0;
        policy.granule = std::size_t{64} << 10;
        policy.most_kept = policy.reuses ? std::uint64_t{1} << 30 : 0;
        return policy;
    }
};

}  // namespace warpwise::runtime
