// A kernel ready to launch. Immutable; keeps its module alive.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "src/runtime/backend.hpp"
#include "warpwise/kernel.hpp"

namespace warpwise::runtime {

class Context;
class ModuleState;

// A parameter as the path of a launch without mistakes wants it. Small: between two launches a
// driver has the caches for itself, and each line that is read again costs.
struct ParameterCheck {
    std::uint32_t offset = 0;          // in the packed arguments
    std::uint32_t element_bytes = 0;   // of what a pointer points to
    std::uint32_t alignment_mask = 0;  // bits that an address must not have
    bool is_pointer = false;
    Kind number = Kind::Void;  // of a number; Void for everything else
};

// Launches within these need no look at the kernel's attributes and the device's limits.
struct LaunchBounds {
    std::array<std::uint32_t, 3> grid{};
    std::array<std::uint32_t, 3> block{};
    std::uint32_t threads = 0;
    std::uint32_t dynamic_shared_bytes = 0;
    bool are_all = false;  // there is no more to check: no cluster, no block of the kernel's own
};

class KernelState {
  public:
    KernelState(std::shared_ptr<ModuleState> module, Context& context, KernelImpl& impl,
                const compiler::KernelInfo& info);

    Context& context() const noexcept { return context_; }
    ModuleState& module() const noexcept { return *module_; }
    KernelImpl& impl() const noexcept { return impl_; }
    const KernelSignature& signature() const noexcept { return info_.signature; }
    const KernelAttributes& attributes() const noexcept { return attributes_; }
    std::span<const ParameterCheck> checks() const noexcept { return checks_; }
    const LaunchBounds& bounds() const noexcept { return bounds_; }
    std::size_t argument_bytes() const noexcept { return argument_bytes_; }
    // Whether the packed arguments have bytes that belong to no parameter.
    bool has_padding() const noexcept { return has_padding_; }
    // What a queued launch keeps: the module.
    const std::shared_ptr<const void>& keep_alive() const noexcept { return keep_alive_; }

  private:
    // In the order of a launch; the rest is for questions and refusals.
    Context& context_;
    KernelImpl& impl_;
    const std::vector<ParameterCheck> checks_;
    const std::uint32_t argument_bytes_;
    const bool has_padding_;
    const LaunchBounds bounds_;
    const std::shared_ptr<ModuleState> module_;
    const std::shared_ptr<const void> keep_alive_;
    const compiler::KernelInfo& info_;
    const KernelAttributes attributes_;
};

}  // namespace warpwise::runtime
