// What the driver knows of an address.
#pragma once

#include <optional>

#include "src/backends/cuda/driver/driver.hpp"
#include "src/runtime/backend.hpp"

namespace warpwise::cuda {

// With a context current: whether it is of memory that the driver can copy from and to by itself,
// at any time. Not so for pageable memory of the host.
inline bool is_known_to_driver(runtime::DeviceAddress address) {
    int type = 0;
    return driver().pointer_attribute(&type, PointerAttribute::MemoryType, address) ==
           Status::Success;
}

// The device whose memory it is, or that page-locked or managed memory was made on.
inline std::optional<int> ordinal_of(runtime::DeviceAddress address) {
    int ordinal = 0;
    const Status status =
        driver().pointer_attribute(&ordinal, PointerAttribute::DeviceOrdinal, address);
    if (status != Status::Success || ordinal < 0) return std::nullopt;
    return ordinal;
}

}  // namespace warpwise::cuda
