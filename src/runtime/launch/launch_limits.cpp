// Checks in the order of the header's words: grid, block, threads of a block, shared memory.
#include "src/runtime/launch/launch_limits.hpp"

#include "src/runtime/context.hpp"
#include "src/runtime/refuse.hpp"

namespace warpwise::runtime {
namespace {

constexpr char kAxes[] = {'x', 'y', 'z'};

std::string extents(const Dim3& dim) {
    return fmt::format("({}, {}, {})", dim.x, dim.y, dim.z);
}

template <class... Parts>
[[noreturn]] void refuse_launch(const KernelState& kernel, fmt::format_string<Parts...> format,
                                Parts&&... parts) {
    throw LaunchError(
        kernel.signature().name + ": " + fmt::format(format, std::forward<Parts>(parts)...),
        kernel.signature().name, std::nullopt, std::nullopt);
}

// Without arrays: their copies would wait for the caller's stores.
template <class Limits>
bool is_within(const Dim3& dim, const Limits& limits) {
    const auto fits = [](std::int64_t value, std::uint64_t limit) {
        return static_cast<std::uint64_t>(value) - 1 < limit;
    };
    return fits(dim.x, limits[0]) && fits(dim.y, limits[1]) && fits(dim.z, limits[2]);
}

template <class Limit>
[[gnu::noinline]] void refuse_extents(const KernelState& kernel, const char* what, const Dim3& dim,
                                      const Limit (&limits)[3]) {
    const std::int64_t values[] = {dim.x, dim.y, dim.z};
    for (int axis = 0; axis < 3; ++axis) {
        const std::int64_t value = values[axis];
        if (value < 1) {
            refuse_value("{}: the {} is {}, but its {} must be at least 1", kernel.signature().name,
                         what, extents(dim), kAxes[axis]);
        }
        if (static_cast<std::uint64_t>(value) > limits[axis]) {
            refuse_launch(kernel, "the {} is {}, but {} allows at most {} in {}", what,
                          extents(dim), kernel.context().name(), limits[axis], kAxes[axis]);
        }
    }
}

std::array<std::uint32_t, 3> extents_of(const Dim3& dim) {
    return {static_cast<std::uint32_t>(dim.x), static_cast<std::uint32_t>(dim.y),
            static_cast<std::uint32_t>(dim.z)};
}

void check_threads(const KernelState& kernel, const LaunchConfig& config, const Launch& launch) {
    const std::uint64_t threads =
        std::uint64_t{launch.block[0]} * launch.block[1] * launch.block[2];
    const std::uint32_t limit = kernel.attributes().max_threads_per_block;
    if (threads <= limit) return;
    const bool is_own = limit < kernel.context().info().limits.max_threads_per_block;
    refuse_launch(
        kernel, "a block of {} has {} threads, but {} allows at most {}", extents(config.block),
        threads,
        is_own ? "the kernel (by its __launch_bounds__ or its registers)" : kernel.context().name(),
        limit);
}

void check_shape(const KernelState& kernel, const LaunchConfig& config, const Launch& launch) {
    const std::array<std::uint32_t, 3>& only = kernel.impl().info->block;
    if (only[0] == 0 || only == launch.block) return;
    refuse_launch(kernel, "the block is {}, but the kernel was compiled for blocks of ({}, {}, {})",
                  extents(config.block), only[0], only[1], only[2]);
}

void check_shared(const KernelState& kernel, std::int64_t dynamic) {
    if (dynamic < 0) {
        refuse_value("{}: shared memory of {} bytes was asked for; it must not be negative",
                     kernel.signature().name, dynamic);
    }
    const std::uint64_t own = kernel.attributes().static_shared_bytes;
    const std::uint64_t limit = kernel.context().info().limits.max_shared_bytes_per_block;
    if (own + static_cast<std::uint64_t>(dynamic) <= limit) [[likely]]
        return;
    refuse_launch(
        kernel,
        "a block needs {} bytes of shared memory ({} of the kernel's own and {} asked for "
        "at launch), but {} has {}",
        own + static_cast<std::uint64_t>(dynamic), own, dynamic, kernel.context().name(), limit);
}

// All blocks of a cooperative launch run at the same time.
void check_cooperative(const KernelState& kernel, const Launch& launch) {
    KernelImpl& impl = kernel.impl();
    if (!impl.bounds_cooperative()) return;
    const std::uint32_t threads = launch.block[0] * launch.block[1] * launch.block[2];
    const std::uint64_t each = impl.occupancy(threads, launch.dynamic_shared_bytes);
    const std::uint64_t fit = each * kernel.context().info().multiprocessors;
    // In 64 bits, a grid of extents within the limits may still overflow.
    const std::uint64_t plane = std::uint64_t{launch.grid[0]} * launch.grid[1];
    if (plane <= fit && plane * launch.grid[2] <= fit) return;
    refuse_launch(kernel,
                  "a cooperative launch of ({}, {}, {}) blocks of {} threads is too large: {} runs "
                  "{} such blocks at the same time, {} on each of its {} multiprocessors",
                  launch.grid[0], launch.grid[1], launch.grid[2], threads, kernel.context().name(),
                  fit, each, kernel.context().info().multiprocessors);
}

void check_cluster_shape(const KernelState& kernel, const Dim3& cluster, Launch& launch) {
    const std::uint32_t limit = kernel.context().info().limits.max_cluster_blocks;
    const std::int64_t sizes[] = {cluster.x, cluster.y, cluster.z};
    std::uint64_t blocks = 1;
    for (int axis = 0; axis < 3; ++axis) {
        const std::int64_t value = sizes[axis];
        if (value < 1) {
            refuse_value("{}: the cluster is {}, but its {} must be at least 1",
                         kernel.signature().name, extents(cluster), kAxes[axis]);
        }
        blocks = value > limit ? limit + 1 : std::min<std::uint64_t>(blocks * value, limit + 1);
    }
    if (blocks > limit) {
        refuse_launch(kernel, "a cluster of {} blocks is asked for, but {} allows at most {}",
                      extents(cluster), kernel.context().name(), limit);
    }
    for (int axis = 0; axis < 3; ++axis) {
        launch.cluster[axis] = static_cast<std::uint32_t>(sizes[axis]);
    }
}

void check_cluster(const KernelState& kernel, const LaunchConfig& config, Launch& launch) {
    const std::array<std::uint32_t, 3>& own = kernel.attributes().cluster;
    if (!config.cluster && own[0] == 0) [[likely]]
        return;
    if (kernel.context().info().limits.max_cluster_blocks == 0) {
        // A cluster of one block is none.
        if (config.cluster == Dim3(1)) return;
        throw UnsupportedError(
            fmt::format("{}: {} has no thread block clusters; they take a GPU of sm_90 or newer",
                        kernel.signature().name, kernel.context().name()));
    }
    if (config.cluster) check_cluster_shape(kernel, *config.cluster, launch);
    if (own[0] != 0 && config.cluster && launch.cluster != own) {
        refuse_launch(kernel, "the cluster is {}, but the kernel has __cluster_dims__({}, {}, {})",
                      extents(*config.cluster), own[0], own[1], own[2]);
    }
    if (own[0] != 0) launch.cluster = own;
    for (int axis = 0; axis < 3; ++axis) {
        if (launch.grid[axis] % launch.cluster[axis] == 0) continue;
        refuse_launch(kernel, "the grid is {} in {}, which is no multiple of the cluster's {}",
                      launch.grid[axis], kAxes[axis], launch.cluster[axis]);
    }
    if (kernel.impl().active_clusters(launch) > 0) return;
    refuse_launch(kernel,
                  "a cluster of ({}, {}, {}) blocks of {} threads and {} bytes of dynamic shared "
                  "memory does not fit {}",
                  launch.cluster[0], launch.cluster[1], launch.cluster[2], extents(config.block),
                  config.shared, kernel.context().name());
}

}  // namespace

[[gnu::hot]] bool set_plain_extents(const KernelState& kernel, const LaunchConfig& config,
                                    Launch& launch) noexcept {
    const LaunchBounds& bounds = kernel.bounds();
    if (!bounds.are_all || config.cooperative || config.programmatic || config.cluster ||
        !is_within(config.grid, bounds.grid) || !is_within(config.block, bounds.block) ||
        static_cast<std::uint64_t>(config.shared) > bounds.dynamic_shared_bytes) {
        return false;
    }
    const std::array<std::uint32_t, 3> block = extents_of(config.block);
    // In 64 bits: no device has an extent of a block beyond 2^20.
    if (std::uint64_t{block[0]} * block[1] * block[2] > bounds.threads) return false;
    launch.block = block;
    launch.grid = extents_of(config.grid);
    launch.dynamic_shared_bytes = static_cast<std::uint32_t>(config.shared);
    return true;
}

[[gnu::hot]] void set_extents(const KernelState& kernel, const LaunchConfig& config,
                              Launch& launch) {
    if (set_plain_extents(kernel, config, launch)) [[likely]]
        return;
    const DeviceLimits& limits = kernel.context().info().limits;
    if (!is_within(config.grid, limits.max_grid_dim)) [[unlikely]] {
        refuse_extents(kernel, "grid", config.grid, limits.max_grid_dim);
    }
    if (!is_within(config.block, limits.max_block_dim)) [[unlikely]] {
        refuse_extents(kernel, "block", config.block, limits.max_block_dim);
    }
    launch.grid = extents_of(config.grid);
    launch.block = extents_of(config.block);
    check_threads(kernel, config, launch);
    check_shape(kernel, config, launch);
    check_shared(kernel, config.shared);
    launch.dynamic_shared_bytes = static_cast<std::uint32_t>(config.shared);
    launch.cooperative = config.cooperative;
    launch.programmatic = config.programmatic;
    check_cluster(kernel, config, launch);
    if (config.cooperative) check_cooperative(kernel, launch);
}

}  // namespace warpwise::runtime
