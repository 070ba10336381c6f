// Reads CUPTI's records.
#pragma once

#include <cstdint>
#include <optional>

#include "src/backends/cuda/profile/cupti_abi.hpp"
#include "warpwise/profile.hpp"

namespace warpwise::cuda {

// One that has ended, with CUPTI's own times and numbers.
struct CuptiRecord {
    static constexpr std::uint32_t kNoDevice = ~std::uint32_t{0};

    std::uint64_t start = 0;                            // nanoseconds of CUPTI's clock
    std::uint32_t devices[2] = {kNoDevice, kNoDevice};  // two for a copy between them
    const char* symbol = nullptr;                       // of a kernel; lives as long as CUPTI
    ProfileRecord record;                               // without name, start and device

    bool is_of(std::uint32_t device) const noexcept {
        return devices[0] == device || devices[1] == device;
    }
};

// Nothing for kinds that a profile does not show, and for what has not ended.
std::optional<CuptiRecord> read_activity(const cupti::Activity& activity);

// With its name; the start is left to the caller.
ProfileRecord to_profile_record(const CuptiRecord& record);

}  // namespace warpwise::cuda
