// Devices: the processors kernels run on. The CPU is one of them.
//
// A Device is a cheap value naming one device of one back end; its primary context (default stream,
// memory pool, loaded modules) is created at first use and lives until the process ends.
//
//   ww::Device cpu("cpu");
//   ww::DeviceScope scope(cpu);      // current for this thread, until the end of the scope
//
// Threading: every function may be called from any thread. The current device and the current
// stream are per thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "warpwise/export.hpp"

namespace warpwise {

class Pool;
class Stream;
namespace runtime {
class Context;
}

struct DeviceLimits {
    std::uint32_t max_threads_per_block = 0;
    std::uint32_t max_block_dim[3] = {};
    std::uint64_t max_grid_dim[3] = {};
    std::uint32_t max_shared_bytes_per_block = 0;
    std::uint32_t warp_size = 32;
    std::uint32_t max_cluster_blocks = 0;  // blocks of a thread block cluster; 0: no clusters
};

struct DeviceInfo {
    std::string name;                   // "AMD EPYC, 2 cores"
    std::string architecture;           // what programs are compiled for: "x86-64-v4", "sm_90"
    std::uint32_t multiprocessors = 0;  // cores the CPU device may use
    std::uint32_t clock_khz = 0;        // 0 where unknown
    std::uint64_t total_memory = 0;     // bytes the device may hand out
    // Of GPUs; 0 where unknown.
    std::uint64_t l2_cache_bytes = 0;
    std::uint32_t memory_clock_khz = 0;
    std::uint32_t memory_bus_bits = 0;
    std::uint32_t max_threads_per_multiprocessor = 0;
    std::uint32_t max_blocks_per_multiprocessor = 0;
    std::uint32_t shared_bytes_per_multiprocessor = 0;
    std::uint32_t registers_per_multiprocessor = 0;
    std::uint32_t compute_capability[2] = {8, 0};  // __CUDA_ARCH__ in kernels
    bool executes_kernels = true;                  // false for the null back end
    bool shares_host_memory = false;               // device addresses are host addresses
    // A kernel's fault is reported, and the device works on. False for GPUs: a fault ends CUDA for
    // the process.
    bool survives_faults = true;
    DeviceLimits limits;
};

// Priorities of streams: numbers from `least` (0) down to `greatest`, the most urgent.
struct PriorityRange {
    int least = 0;
    int greatest = 0;
};

struct MemoryInfo {
    // Bytes requests can still get. The CPU device counts its own memory to the byte; what other
    // processes use is looked at again when a request might not fit.
    std::uint64_t free = 0;
    std::uint64_t total = 0;  // bytes
};

class WARPWISE_API Device {
  public:
    // The current device of this thread: the innermost DeviceScope, else the default device
    // (WARPWISE_DEVICE, else the first GPU, else the CPU).
    Device();
    // By name: "cpu", "cuda", "cuda:1", "null". Throws DeviceError listing the devices there are.
    explicit Device(std::string_view name);

    const std::string& name() const noexcept;  // "cpu", "cuda:0"
    std::string_view kind() const noexcept;    // "cpu", "cuda", "null"
    int ordinal() const noexcept;
    const DeviceInfo& info() const;
    // By CUDA's name in small letters: "max_shared_memory_per_block_optin", "l2_cache_size". Throws
    // ArgumentError for a name that there is not, UnsupportedError for one that means nothing on
    // this kind of device.
    std::int64_t attribute(std::string_view name) const;
    // Those that attribute() answers here, with their values.
    std::vector<std::pair<std::string, std::int64_t>> attributes() const;
    MemoryInfo memory() const;
    Pool pool() const;       // the device's memory pool
    Pool host_pool() const;  // that of page-locked memory for this device
    Stream default_stream() const;
    // Of streams; 0 to 0 where streams have none, as on the CPU device, which ignores them.
    PriorityRange stream_priorities() const;
    // Begins, in the background, what the first kernel needs: loading the compiler and, on a GPU,
    // making the context, a tenth of a second each. Returns at once; a failure is reported by the
    // call that meets it. Nothing the second time.
    void prepare() const noexcept;
    // Waits for all work of the device; throws the first error of its launches, once.
    void synchronize() const;

    // Whether kernels of this device can be given access to memory of `peer`, another one.
    bool can_access_peer(const Device& peer) const;
    // Lets kernels of this device use all memory of `peer`, by address (Pointer), from now on;
    // copies between the two become direct. In one direction: the other is asked for by itself.
    // Order between the streams of both, and the life of the memory, are up to the caller.
    // Throws UnsupportedError where it cannot be, ArgumentError for the device itself.
    void enable_peer_access(const Device& peer) const;
    // Waits for the device, then ends that. Nothing when it was not enabled.
    void disable_peer_access(const Device& peer) const;

    friend bool operator==(const Device& a, const Device& b) noexcept {
        return a.context_ == b.context_;
    }

    // For the library's own components.
    explicit Device(std::shared_ptr<runtime::Context> context) noexcept;
    runtime::Context& context() const noexcept { return *context_; }

  private:
    std::shared_ptr<runtime::Context> context_;
};

// Every device that may be the default one, GPUs first. Touches drivers; starts no threads. The
// null back end is there by name only.
WARPWISE_API std::vector<Device> devices();

// Makes a device current for this thread while it lives; scopes nest.
class WARPWISE_API DeviceScope {
  public:
    explicit DeviceScope(const Device& device);
    ~DeviceScope();
    DeviceScope(const DeviceScope&) = delete;
    DeviceScope& operator=(const DeviceScope&) = delete;

  private:
    std::shared_ptr<runtime::Context> previous_;
};

}  // namespace warpwise
