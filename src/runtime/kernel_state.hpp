// A kernel ready to launch. Immutable; keeps its module alive.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "src/runtime/backend.hpp"
#include "warpwise/kernel.hpp"

namespace warpwise::runtime {

class Context;
class ModuleState;

// A parameter as the path of a launch without mistakes wants it.
struct ParameterCheck {
    std::uint32_t offset = 0;  // in the packed arguments
    bool is_pointer = false;
    Kind number = Kind::Void;          // of a number; Void for everything else
    std::size_t element_bytes = 0;     // of what a pointer points to
    std::uint64_t alignment_mask = 0;  // bits that an address must not have
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
    // Whether the packed arguments have bytes that belong to no parameter.
    bool has_padding() const noexcept { return has_padding_; }
    // What a queued launch keeps: the module.
    const std::shared_ptr<const void>& keep_alive() const noexcept { return keep_alive_; }

  private:
    const std::shared_ptr<ModuleState> module_;
    const std::shared_ptr<const void> keep_alive_;
    Context& context_;
    KernelImpl& impl_;
    const compiler::KernelInfo& info_;
    const KernelAttributes attributes_;
    const std::vector<ParameterCheck> checks_;
    const bool has_padding_;
};

}  // namespace warpwise::runtime
