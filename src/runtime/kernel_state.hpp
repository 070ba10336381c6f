// A kernel ready to launch. Immutable; keeps its module alive, and is what a queued launch keeps.
#pragma once

#include <memory>

#include "src/runtime/backend.hpp"
#include "warpwise/kernel.hpp"

namespace warpwise::runtime {

class Context;
class ModuleState;

class KernelState {
  public:
    KernelState(std::shared_ptr<ModuleState> module, Context& context, KernelImpl& impl,
                const compiler::KernelInfo& info);

    Context& context() const noexcept { return context_; }
    ModuleState& module() const noexcept { return *module_; }
    KernelImpl& impl() const noexcept { return impl_; }
    const KernelSignature& signature() const noexcept { return info_.signature; }
    const KernelAttributes& attributes() const noexcept { return attributes_; }

  private:
    const std::shared_ptr<ModuleState> module_;
    Context& context_;
    KernelImpl& impl_;
    const compiler::KernelInfo& info_;
    const KernelAttributes attributes_;
};

}  // namespace warpwise::runtime
