// What a launch asks of a kernel, computed once: its attributes, checks and bounds.
#include "src/runtime/module/kernel_state.hpp"

#include <algorithm>
#include <utility>

#include "src/runtime/context.hpp"

namespace warpwise::runtime {
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

}  // namespace warpwise::runtime
