// A loaded program of the CPU device: its code, its kernels, its global variables.
//
// Threading: every function may be called from any thread.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "src/backends/cpu/module/compiler.hpp"
#include "src/backends/cpu/module/kernel.hpp"
#include "src/backends/cpu/module/object_loader.hpp"
#include "src/base/mutex.hpp"

namespace warpwise::cpu {

// What is loaded. Shared with the thread that compiles forms of its kernels.
class LoadedModule : public std::enable_shared_from_this<LoadedModule> {
  public:
    explicit LoadedModule(CpuCompiler* compiler) : compiler_(compiler) {}

    void extend(std::shared_ptr<const compiler::Program> program,
                const std::shared_ptr<const compiler::CompileRequest>& origin);
    // Loads another form of a kernel that is here, over the variables that are here.
    const CpuKernel& add_form(std::shared_ptr<const compiler::Program> program,
                              const std::string& symbol);
    CpuKernel* kernel(std::string_view symbol);
    runtime::DeviceAddress global(std::string_view symbol);

  private:
    struct Part {
        std::shared_ptr<const compiler::Program> program;
        std::unique_ptr<LoadedObject> object;
    };
    using Kernels = std::map<std::string, std::unique_ptr<CpuKernel>, std::less<>>;
    using Globals = std::map<std::string, runtime::DeviceAddress, std::less<>>;

    void allow_forms(CpuKernel& kernel, const std::shared_ptr<const compiler::Program>& program,
                     const std::shared_ptr<const compiler::CompileRequest>& origin);

    CpuCompiler* const compiler_;  // null: kernels have one form
    Mutex mutex_;
    std::vector<Part> parts_ WARPWISE_GUARDED_BY(mutex_);
    std::vector<std::unique_ptr<CpuKernel>> forms_ WARPWISE_GUARDED_BY(mutex_);
    Kernels kernels_ WARPWISE_GUARDED_BY(mutex_);
    Globals globals_ WARPWISE_GUARDED_BY(mutex_);
};

class CpuModule final : public runtime::ModuleImpl {
  public:
    explicit CpuModule(CpuCompiler* compiler = nullptr)
        : loaded_(std::make_shared<LoadedModule>(compiler)) {}

    using ModuleImpl::extend;
    void extend(std::shared_ptr<const compiler::Program> program,
                std::shared_ptr<const compiler::CompileRequest> origin) override {
        loaded_->extend(std::move(program), origin);
    }
    runtime::KernelImpl* kernel(std::string_view symbol) override {
        return loaded_->kernel(symbol);
    }
    runtime::DeviceAddress global(std::string_view symbol) override {
        return loaded_->global(symbol);
    }

  private:
    const std::shared_ptr<LoadedModule> loaded_;
};

}  // namespace warpwise::cpu
