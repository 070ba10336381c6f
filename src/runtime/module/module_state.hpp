// A loaded module: the back end's module, and every program that went into it.
//
// It only grows: KernelInfo and GlobalInfo pointers stay valid while the module lives.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/mutex.hpp"
#include "src/runtime/backend.hpp"
#include "src/runtime/image/references.hpp"
#include "src/runtime/module/kernel_state.hpp"

namespace warpwise::runtime {

class BufferState;
class Context;

using VariableRole = compiler::GlobalInfo::Role;

class ModuleState : public std::enable_shared_from_this<ModuleState> {
  public:
    // Loads `program`. Throws what the back end throws; then nothing was loaded.
    static std::shared_ptr<ModuleState> load(
        std::shared_ptr<Context> context, const std::shared_ptr<const compiler::Program>& program,
        const std::shared_ptr<const compiler::CompileRequest>& origin = nullptr);

    Context& context() const noexcept { return *context_; }
    const std::shared_ptr<Context>& shared_context() const noexcept { return context_; }
    // Adds what `program` has and the module does not. Several threads may do so at once: no lock
    // is held while the back end loads.
    void extend(const std::shared_ptr<const compiler::Program>& program,
                const std::shared_ptr<const compiler::CompileRequest>& origin = nullptr);

    // What there is so far, in the order of the source.
    std::vector<const compiler::KernelInfo*> kernels();
    std::vector<const compiler::GlobalInfo*> globals(VariableRole role = VariableRole::Plain);
    std::vector<std::string> templates();

    std::shared_ptr<KernelState> kernel(const compiler::KernelInfo& info);
    std::shared_ptr<BufferState> global(const compiler::GlobalInfo& info);
    // By name. Throws ArgumentError listing what there is.
    std::shared_ptr<ReferenceState> reference(std::string_view name, VariableRole role);
    // Texture and surface references among the variables.
    References& references() noexcept { return references_; }

  private:
    explicit ModuleState(std::shared_ptr<Context> context);
    bool has_kernels_of(const compiler::Program& program);
    DeviceAddress address_of(const compiler::GlobalInfo& info);

    const std::shared_ptr<Context> context_;
    const std::unique_ptr<ModuleImpl> impl_;
    References references_;
    Mutex mutex_;
    std::vector<std::shared_ptr<const compiler::Program>> programs_ WARPWISE_GUARDED_BY(mutex_);
    std::map<std::string_view, const compiler::KernelInfo*> kernels_ WARPWISE_GUARDED_BY(mutex_);
    std::map<std::string_view, const compiler::GlobalInfo*> globals_ WARPWISE_GUARDED_BY(mutex_);
};

}  // namespace warpwise::runtime
