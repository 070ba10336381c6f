// A loaded program of a GPU. Instances of templates come later, as programs of their own: their
// variables are bound to those that are loaded (ptx_binding.hpp). The driver is asked for a kernel
// when a program first is: it loads the code of a kernel then, so that kernels which are not used
// cost nothing.
//
// Threading: as runtime::ModuleImpl.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "src/backends/cuda/device/device_state.hpp"
#include "src/backends/cuda/link/ptx_binding.hpp"
#include "src/backends/cuda/module/kernel.hpp"
#include "src/base/mutex.hpp"

namespace warpwise::cuda {

class CudaModule final : public runtime::ModuleImpl {
  public:
    explicit CudaModule(DeviceState& device) : device_(device), context_(device.context()) {}
    // None of its launches is under way.
    ~CudaModule() override;
    CudaModule(const CudaModule&) = delete;
    CudaModule& operator=(const CudaModule&) = delete;

    using ModuleImpl::extend;
    void extend(std::shared_ptr<const compiler::Program> program,
                std::shared_ptr<const compiler::CompileRequest> origin) override;
    runtime::KernelImpl* kernel(std::string_view symbol) override;
    runtime::DeviceAddress global(std::string_view symbol) override;

  private:
    struct Unload {
        PrimaryContext* context = nullptr;
        void operator()(ModuleHandle module) const noexcept;
    };
    using Loaded = std::unique_ptr<std::remove_pointer_t<ModuleHandle>, Unload>;
    struct Entry {
        ModuleHandle module = nullptr;
        const compiler::KernelInfo* info = nullptr;
        std::unique_ptr<CudaKernel> kernel;  // null until a program asks for it
    };

    Loaded load(const compiler::Program& program, const VariableAddresses& known) const;

    DeviceState& device_;
    PrimaryContext& context_;
    Mutex mutex_;
    std::vector<std::shared_ptr<const compiler::Program>> programs_ WARPWISE_GUARDED_BY(mutex_);
    std::vector<Loaded> modules_ WARPWISE_GUARDED_BY(mutex_);
    std::map<std::string, Entry, std::less<>> kernels_ WARPWISE_GUARDED_BY(mutex_);
    VariableAddresses globals_ WARPWISE_GUARDED_BY(mutex_);
};

}  // namespace warpwise::cuda
