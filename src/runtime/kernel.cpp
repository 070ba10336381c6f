// Kernel and Argument: the public face of KernelState and the launch path.
#include "warpwise/kernel.hpp"

#include <algorithm>
#include <utility>

#include "src/runtime/context.hpp"
#include "src/runtime/image_state.hpp"
#include "src/runtime/kernel_state.hpp"
#include "src/runtime/launch.hpp"
#include "src/runtime/module_state.hpp"
#include "src/runtime/refuse.hpp"

namespace warpwise {
namespace runtime {
namespace {

KernelAttributes attributes_of(const KernelImpl& impl, const compiler::KernelInfo& info,
                               const DeviceLimits& limits) {
    const std::uint32_t own = impl.max_threads_per_block;
    return {.static_shared_bytes = info.static_shared_bytes,
            .max_threads_per_block = own == 0 ? limits.max_threads_per_block
                                              : std::min(own, limits.max_threads_per_block),
            .num_regs = impl.num_regs,
            .local_bytes = info.local_bytes,
            .constant_bytes = impl.constant_bytes,
            .executor = impl.executor(),
            .lane_by_lane = info.lane_by_lane / 1000.0};
}

std::vector<ParameterCheck> checks_of(const KernelSignature& signature) {
    std::vector<ParameterCheck> checks;
    for (const Parameter& parameter : signature.parameters) {
        const bool is_number =
            parameter.passing == Parameter::Passing::Scalar && parameter.dtype.lanes() == 1;
        checks.push_back({.offset = parameter.offset,
                          .is_pointer = parameter.passing == Parameter::Passing::Pointer,
                          .number = is_number ? parameter.dtype.kind() : Kind::Void,
                          .element_bytes = parameter.dtype.size(),
                          .alignment_mask = parameter.dtype.alignment() - 1});
    }
    return checks;
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
    : module_(std::move(module)),
      keep_alive_(module_),
      context_(context),
      impl_(impl),
      info_(info),
      attributes_(attributes_of(impl, info, context.info().limits)),
      checks_(checks_of(info.signature)),
      has_padding_(runtime::has_padding(info.signature)) {}

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

void Kernel::launch(const LaunchConfig& config, std::span<const Argument> arguments) const {
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
    const std::uint64_t bytes = std::uint64_t{own.static_shared_bytes} + shared;
    const bool fits = block_size <= own.max_threads_per_block &&
                      bytes <= state_->context().info().limits.max_shared_bytes_per_block;
    return fits ? 1 : 0;
}

std::uint32_t Kernel::suggested_block_size() const {
    return std::min(runtime::kPreferredBlock, attributes().max_threads_per_block);
}

LaunchConfig Kernel::cover(std::int64_t n) const {
    if (n < 0) runtime::refuse_value("{}: {} elements cannot be covered", name(), n);
    const std::int64_t block = suggested_block_size();
    return {.grid = n / block + (n % block != 0 ? 1 : 0), .block = block};
}

}  // namespace warpwise
