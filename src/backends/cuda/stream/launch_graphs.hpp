// Launches that repeat, as executable graphs of one kernel: giving such a graph to the GPU takes
// the driver 1.2 to 1.4 us, and a launch 3.2 to 3.4 (CUDA 13.0; docs/benchmarks/pycuda.md). On the
// GPU both take as long.
//
// A launch that comes again on one stream with the same kernel, grid, block and shared memory gets
// a graph; arguments that have changed are given to it before. The driver runs one run of a graph
// at a time, so that each stream has its own, and each takes 112 KiB of the device: their number is
// limited. Launches with attributes (cooperative, clusters) never get one.
//
// Ownership: graphs refer to kernels. They are dropped by forget() before a kernel's module is
// unloaded, which is after its launches have ended.
//
// Threading: every function may be called from any thread. clear() and forget() make the context
// current; launch() does nothing where another one is.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "src/backends/cuda/device/device_state.hpp"
#include "src/base/mutex.hpp"
#include "src/runtime/backend.hpp"

namespace warpwise::cuda {

class LaunchGraphs final : public KernelUser {
  public:
    // Without `is_used` nothing is ever given as a graph: so on a stream of another owner, who may
    // capture it.
    LaunchGraphs(PrimaryContext& context, bool is_used) : context_(context), is_used_(is_used) {}
    ~LaunchGraphs() override { clear(); }
    LaunchGraphs(const LaunchGraphs&) = delete;
    LaunchGraphs& operator=(const LaunchGraphs&) = delete;

    // The status of the driver, where the launch was given to it as a graph. Else nothing was done.
    std::optional<Status> launch(const Driver& driver, const runtime::Launch& launch,
                                 StreamHandle stream) noexcept {
        if (!is_used_) return {};
        return launch_again(driver, launch, stream);
    }
    // What WARPWISE_LAUNCH_GRAPHS asks for, and by itself with drivers that are quicker so.
    static bool are_wanted();
    void forget(const runtime::KernelImpl& kernel) noexcept override;
    void clear() noexcept;

  private:
    struct Shape {
        const runtime::KernelImpl* kernel = nullptr;
        std::array<std::uint32_t, 3> grid{};
        std::array<std::uint32_t, 3> block{};
        std::uint32_t dynamic_shared_bytes = 0;
        std::uint32_t preferences = 0;  // CudaKernel::preferences()
        friend bool operator==(const Shape&, const Shape&) = default;
    };
    struct Place {
        Shape shape;
        std::uint32_t uses = 0;  // launches of that shape, less those of others that came here
        bool is_refused = false;
        GraphHandle graph = nullptr;
        GraphNode node = nullptr;
        GraphExec executable = nullptr;
        std::vector<std::byte> arguments;  // that the executable graph has
    };

    std::optional<Status> launch_again(const Driver& driver, const runtime::Launch& launch,
                                       StreamHandle stream) noexcept;
    bool make(const Driver& driver, Place& place, const runtime::Launch& launch) noexcept
        WARPWISE_REQUIRES(mutex_);
    static void drop(const Driver& driver, Place& place) noexcept;

    PrimaryContext& context_;
    const bool is_used_;
    InlineMutex mutex_;
    std::array<Place, 32> places_ WARPWISE_GUARDED_BY(mutex_);
};

}  // namespace warpwise::cuda
