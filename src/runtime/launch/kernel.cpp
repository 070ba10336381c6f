// Kernel and Argument: the public face of KernelState and the launch path.
#include "warpwise/kernel.hpp"

#include <algorithm>
#include <utility>

#include "src/runtime/device/context.hpp"
#include "src/runtime/image/image_state.hpp"
#include "src/runtime/launch/kernel_state.hpp"
#include "src/runtime/launch/launch.hpp"
#include "src/runtime/module/module_state.hpp"
#include "src/runtime/refuse.hpp"

namespace warpwise {
namespace runtime {
namespace {

KernelAttributes attributes_of(const KernelImpl& impl, const compiler::KernelInfo& info,
                               const DeviceLimits& limits) {
    const std::uint32_t own = impl.max_threads_per_block;
    const std::uint32_t shared = std::max(info.static_shared_bytes, impl.static_shared_bytes);
    const std::uint32_t all = limits.max_shared_bytes_per_block;
    return {.static_shared_bytes = shared,
            .max_threads_per_block = own == 0 ? limits.max_threads_per_block
                                              : std::min(own, limits.max_threads_per_block),
            .num_regs = impl.num_regs,
            .local_bytes = std::max(info.local_bytes, impl.local_bytes),
            .constant_bytes = impl.constant_bytes,
            .max_dynamic_shared_bytes = all - std::min(shared, all),
            .ptx_version = impl.ptx_version,
            .binary_version = impl.binary_version,
            .caches_globals_in_l1 = impl.caches_globals_in_l1,
            .cluster = impl.cluster,
            .executor = impl.executor(),
            .lane_by_lane = impl.lane_by_lane()};
}

std::vector<ParameterCheck> checks_of(const KernelSignature& signature) {
    std::vector<ParameterCheck> checks;
    for (const Parameter& parameter : signature.parameters) {
        // One to elements beyond 4 GiB is left to the slow path, as what is neither.
        const bool is_pointer = parameter.passing == Parameter::Passing::Pointer &&
                                std::in_range<std::uint32_t>(parameter.dtype.size());
        const bool is_number =
            parameter.passing == Parameter::Passing::Scalar && parameter.dtype.lanes() == 1;
        checks.push_back(
            {.offset = parameter.offset,
             .element_bytes = static_cast<std::uint32_t>(parameter.dtype.size()),
             .alignment_mask = static_cast<std::uint32_t>(parameter.dtype.alignment() - 1),
             .is_pointer = is_pointer,
             .number = is_number ? parameter.dtype.kind() : Kind::Void});
    }
    return checks;
}

LaunchBounds bounds_of(const KernelImpl& impl, const KernelAttributes& attributes,
                       const DeviceLimits& limits) {
    LaunchBounds bounds{.threads = attributes.max_threads_per_block,
                        .dynamic_shared_bytes = attributes.max_dynamic_shared_bytes,
                        .are_all = attributes.cluster[0] == 0 && impl.info->block[0] == 0};
    for (int axis = 0; axis < 3; ++axis) {
        // A grid beyond it takes the slow path, which has the whole number.
        bounds.grid[axis] = static_cast<std::uint32_t>(
            std::min<std::uint64_t>(limits.max_grid_dim[axis], UINT32_MAX));
        bounds.block[axis] = limits.max_block_dim[axis];
    }
    return bounds;
}

bool has_padding(const KernelSignature& signature) {
    std::size_t used = 0;
    for (const Parameter& parameter : signature.parameters) used += parameter.size;
    return used != signature.argument_bytes;
}

constexpr std::uint32_t kPreferredBlock = 256;  // enough to hide latency, few enough to balance

}  // namespace

KernelState::KernelState(std::shared_ptr<ModuleState> module, Context& context, KernelImpl& impl,
                         const compiler::KernelInfo& info)
    : context_(context),
      impl_(impl),
      checks_(checks_of(info.signature)),
      argument_bytes_(static_cast<std::uint32_t>(info.signature.argument_bytes)),
      has_padding_(runtime::has_padding(info.signature)),
      bounds_(
          bounds_of(impl, attributes_of(impl, info, context.info().limits), context.info().limits)),
      module_(std::move(module)),
      keep_alive_(module_),
      info_(info),
      attributes_(attributes_of(impl, info, context.info().limits)) {}

}  // namespace runtime

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
    return std::min(runtime::kPreferredBlock, own.max_threads_per_block);
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
