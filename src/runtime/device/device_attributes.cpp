// Device::attribute() and attributes(): a driver's own answers, or those that follow from
// DeviceInfo.
#include <algorithm>
#include <utility>

#include "src/base/text.hpp"
#include "src/runtime/context.hpp"
#include "src/runtime/refuse.hpp"
#include "warpwise/device.hpp"
#include "warpwise/error.hpp"

namespace warpwise {
namespace {

using Attributes = std::vector<std::pair<std::string, std::int64_t>>;

constexpr const char* kNames[] = {
#define WARPWISE_DEVICE_ATTRIBUTE(number, name) #name,
#include "src/runtime/device/device_attributes.def"
#undef WARPWISE_DEVICE_ATTRIBUTE
};

// What a block gets without asking for more, and static variables at most, on every architecture.
constexpr std::uint32_t kPlainSharedBytes = 48 << 10;

// What means the same on every kind of device.
Attributes from_info(const DeviceInfo& info) {
    const DeviceLimits& limits = info.limits;
    return {{"max_threads_per_block", limits.max_threads_per_block},
            {"max_block_dim_x", limits.max_block_dim[0]},
            {"max_block_dim_y", limits.max_block_dim[1]},
            {"max_block_dim_z", limits.max_block_dim[2]},
            {"max_grid_dim_x", limits.max_grid_dim[0]},
            {"max_grid_dim_y", limits.max_grid_dim[1]},
            {"max_grid_dim_z", limits.max_grid_dim[2]},
            {"max_shared_memory_per_block",
             std::min(kPlainSharedBytes, limits.max_shared_bytes_per_block)},
            {"max_shared_memory_per_block_optin", limits.max_shared_bytes_per_block},
            {"warp_size", limits.warp_size},
            {"clock_rate", info.clock_khz},
            {"multiprocessor_count", info.multiprocessors},
            {"integrated", info.shares_host_memory ? 1 : 0},
            {"can_map_host_memory", 1},
            {"concurrent_kernels", 1},
            {"unified_addressing", 1},
            {"compute_capability_major", info.compute_capability[0]},
            {"compute_capability_minor", info.compute_capability[1]},
            {"cooperative_launch", 1}};
}

}  // namespace

Attributes Device::attributes() const {
    Attributes own = context_->backend().attributes(context_->ordinal());
    return own.empty() ? from_info(info()) : own;
}

std::int64_t Device::attribute(std::string_view name) const {
    const Attributes own = attributes();
    const auto found = std::ranges::find(own, name, &Attributes::value_type::first);
    if (found != own.end()) return found->second;
    const std::vector<std::string> names(std::begin(kNames), std::end(kNames));
    if (std::ranges::find(names, name) != names.end()) {
        throw UnsupportedError(
            fmt::format("{} does not report its {}; the device's attributes list what it does",
                        this->name(), name));
    }
    runtime::refuse_value("there is no attribute {} of devices{}", quote(name),
                          suggestion(name, names));
}

}  // namespace warpwise
