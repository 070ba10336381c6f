// What the driver knows of an address.
#pragma once

#include "src/backends/cuda/driver.hpp"
#include "src/runtime/backend.hpp"

namespace warpwise::cuda {

// With a context current: whether it is of memory that the driver can copy from and to by itself,
// at any time. Not so for pageable memory of the host.
inline bool is_known_to_driver(runtime::DeviceAddress address) {
    int type = 0;
    return driver().pointer_attribute(&type, PointerAttribute::MemoryType, address) ==
           Status::Success;
}

}  // namespace warpwise::cuda
