// Kernel and Argument: the public face of KernelState and the launch path.
#include "warpwise/kernel.hpp"

#include <algorithm>
#include <utility>

#include "src/runtime/context.hpp"
#include "src/runtime/image/image_state.hpp"
#include "src/runtime/launch/launch.hpp"
#include "src/runtime/module/kernel_state.hpp"
#include "src/runtime/module/module_state.hpp"
#include "src/runtime/refuse.hpp"

namespace warpwise {
namespace {

constexpr std::uint32_t kPreferredBlock = 256;  // enough to hide latency, few enough to balance

}  // namespace

Argument::Argument(const Texture& texture) noexcept
    : form_(Form::Image), object_(texture.state().get()) {}

Argument::Argument(const Surface& surface) noexcept
    : form_(Form::Image), object_(surface.state().get()) {}

Argument Argument::structure(const void* bytes, const DType& dtype) noexcept {
    Argument argument;
    argument.form_ = Form::Struct;
    argument.from_ = dtype;
    argument.object_ = bytes;
    return argument;
}

Argument Argument::foreign(const ForeignObject& object) noexcept {
    Argument argument;
    argument.form_ = Form::Foreign;
    argument.object_ = &object;
    return argument;
}

Kernel::Kernel(std::shared_ptr<runtime::KernelState> state) noexcept : state_(std::move(state)) {}

[[gnu::hot]] void Kernel::launch(const LaunchConfig& config,
                                 std::span<const Argument> arguments) const {
    runtime::launch_kernel(state_, config, arguments);
}

const std::string& Kernel::name() const noexcept {
    return state_->signature().name;
}

const KernelSignature& Kernel::signature() const noexcept {
    return state_->signature();
}

const KernelAttributes& Kernel::attributes() const noexcept {
    return state_->attributes();
}

Device Kernel::device() const {
    return Device(state_->context().shared());
}

std::uint32_t Kernel::occupancy(std::uint32_t block_size, std::uint32_t shared) const {
    if (block_size == 0) {
        runtime::refuse_value("{}: the occupancy of blocks of 0 threads was asked for", name());
    }
    const KernelAttributes& own = attributes();
    const bool fits =
        block_size <= own.max_threads_per_block && shared <= own.max_dynamic_shared_bytes;
    return fits ? state_->impl().occupancy(block_size, shared) : 0;
}

std::uint32_t Kernel::suggested_block_size(std::uint32_t shared) const {
    const KernelAttributes& own = attributes();
    if (shared <= own.max_dynamic_shared_bytes) {
        if (const std::uint32_t best = state_->impl().best_block(shared); best != 0) return best;
    }
    return std::min(kPreferredBlock, own.max_threads_per_block);
}

std::uint32_t Kernel::max_cooperative_blocks(std::uint32_t block_size, std::uint32_t shared) const {
    if (!state_->impl().bounds_cooperative()) {
        throw UnsupportedError(fmt::format(
            "{}: {} has no limit on the blocks of a cooperative launch", name(), device().name()));
    }
    return occupancy(block_size, shared) * state_->context().info().multiprocessors;
}

KernelReport Kernel::report() const {
    return {.kernel = name(), .device = device().name(), .forms = state_->impl().reported_forms()};
}

void Kernel::compile_fully(const Dim3& block) const {
    const std::array<std::int64_t, 3> extents{block.x, block.y, block.z};
    const DeviceLimits& limits = state_->context().info().limits;
    std::array<std::uint32_t, 3> shape{};
    std::uint64_t threads = 1;
    for (std::size_t axis = 0; axis < extents.size(); ++axis) {
        const std::int64_t most = limits.max_block_dim[axis];
        if (extents[axis] < 1 || extents[axis] > most) {
            runtime::refuse_value(
                "{}: a block of ({}, {}, {}) threads has no form; axis {} may be "
                "1 to {}",
                name(), block.x, block.y, block.z, axis, most);
        }
        shape[axis] = static_cast<std::uint32_t>(extents[axis]);
        threads *= shape[axis];
    }
    if (threads > attributes().max_threads_per_block) {
        runtime::refuse_value(
            "{}: a block of ({}, {}, {}) has {} threads, and at most {} can be "
            "launched",
            name(), block.x, block.y, block.z, threads, attributes().max_threads_per_block);
    }
    state_->impl().compile_fully(shape);
}

void Kernel::prefer_cache(CachePreference preference) const {
    state_->impl().prefer_cache(preference);
}

void Kernel::set_shared_carveout(int percent) const {
    if (percent < -1 || percent > 100) {
        runtime::refuse_value(
            "{}: the share of shared memory is {} percent, but it must be 0 to 100, or -1 for the "
            "driver's choice",
            name(), percent);
    }
    state_->impl().set_shared_carveout(percent);
}

LaunchConfig Kernel::cover(std::int64_t n, std::uint32_t shared) const {
    if (n < 0) runtime::refuse_value("{}: {} elements cannot be covered", name(), n);
    const std::int64_t block = suggested_block_size(shared);
    return {.grid = n / block + (n % block != 0 ? 1 : 0), .block = block, .shared = shared};
}

}  // namespace warpwise
