// A loaded program of the CPU device: its code, its kernels, its global variables.
//
// Threading: extend(), kernel() and global() may be called from any thread.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "src/backends/cpu/kernel.hpp"
#include "src/backends/cpu/object_loader.hpp"
#include "src/base/mutex.hpp"

namespace warpwise::cpu {

class CpuModule final : public runtime::ModuleImpl {
  public:
    void extend(std::shared_ptr<const compiler::Program> program) override;
    runtime::KernelImpl* kernel(std::string_view symbol) override;
    runtime::DeviceAddress global(std::string_view symbol) override;

  private:
    struct Part {
        std::shared_ptr<const compiler::Program> program;
        std::unique_ptr<LoadedObject> object;
    };
    using Kernels = std::map<std::string, std::unique_ptr<CpuKernel>, std::less<>>;
    using Globals = std::map<std::string, runtime::DeviceAddress, std::less<>>;

    Mutex mutex_;
    std::vector<Part> parts_ WARPWISE_GUARDED_BY(mutex_);
    Kernels kernels_ WARPWISE_GUARDED_BY(mutex_);
    Globals globals_ WARPWISE_GUARDED_BY(mutex_);
};

}  // namespace warpwise::cpu
