// The CUDA driver: a table of its functions (driver.def), filled at first use.
//
// Where it lies: WARPWISE_CUDA_DRIVER, else libcuda.so.1 as the dynamic linker finds it. A driver
// that is missing, too old, without a device or that fails to start is no error here: there is no
// GPU then, and a reason. It is opened once in a process and never closed.
//
// After fork() the child has no CUDA: driver() throws there, and so does all that goes through it.
//
// Threading: every function may be called from any thread.
#pragma once

#include <atomic>
#include <string>
#include <variant>

#include "src/backends/cuda/driver/abi.hpp"

namespace warpwise::cuda {

inline constexpr int kOldestDriver = 12000;  // the version of CUDA it must support

struct Driver {
#define WARPWISE_DRIVER(member, name, version, arguments) Status(*member) arguments = nullptr;
#include "src/backends/cuda/driver/driver.def"
#undef WARPWISE_DRIVER
    int version = 0;  // of CUDA, at most supported: 13000
};

// The functions of the library at `path`, initialised; or why there are none.
std::variant<Driver, std::string> open_driver(const std::string& path);

// Null without a usable driver; why_no_driver() has the reason.
const Driver* find_driver();
const std::string& why_no_driver();
// Set once it has been opened; null before, and in a child of fork().
extern std::atomic<const Driver*> g_usable_driver;
const Driver& open_driver_or_refuse();
// For those who hold something of a device, so that there is one. Throws DeviceError in a child of
// fork().
inline const Driver& driver() {
    const Driver* const usable = g_usable_driver.load(std::memory_order_acquire);
    return usable != nullptr ? *usable : open_driver_or_refuse();
}
// The same, where nothing can be thrown: null in a child of fork().
const Driver* driver_or_null() noexcept;

// "CUDA_ERROR_ILLEGAL_ADDRESS (an illegal memory access was encountered)".
std::string describe(const Driver& driver, Status status);

}  // namespace warpwise::cuda
