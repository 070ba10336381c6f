// Loading and growing of modules.
#include "src/runtime/module_state.hpp"

#include <algorithm>
#include <utility>

#include "src/runtime/buffer_state.hpp"
#include "src/runtime/context.hpp"
#include "src/runtime/pool_state.hpp"
#include "src/runtime/refuse.hpp"

namespace warpwise::runtime {

ModuleState::ModuleState(std::shared_ptr<Context> context)
    : context_(std::move(context)), impl_(context_->backend().make_module(context_->ordinal())) {}

std::shared_ptr<ModuleState> ModuleState::load(
    std::shared_ptr<Context> context, const std::shared_ptr<const compiler::Program>& program) {
    std::shared_ptr<ModuleState> module(new ModuleState(std::move(context)));
    module->extend(program);
    return module;
}

void ModuleState::extend(const std::shared_ptr<const compiler::Program>& program) {
    MutexLock loading(loading_);
    bool is_known = false;
    {
        MutexLock lock(mutex_);
        is_known = !programs_.empty();
        for (const auto& kernel : program->kernels) {
            is_known = is_known && kernels_.contains(kernel.signature.symbol);
        }
    }
    // Two threads may have asked for one template instance: the second finds it here.
    if (is_known) return;
    impl_->extend(program);
    MutexLock lock(mutex_);
    programs_.push_back(program);
    for (const auto& kernel : program->kernels) {
        kernels_.try_emplace(kernel.signature.symbol, &kernel);
    }
    for (const auto& global : program->globals) globals_.try_emplace(global.symbol, &global);
}

std::vector<const compiler::KernelInfo*> ModuleState::kernels() {
    MutexLock lock(mutex_);
    std::vector<const compiler::KernelInfo*> list;
    for (const auto& program : programs_) {
        for (const auto& kernel : program->kernels) {
            if (kernels_.at(kernel.signature.symbol) == &kernel) list.push_back(&kernel);
        }
    }
    return list;
}

std::vector<const compiler::GlobalInfo*> ModuleState::globals() {
    MutexLock lock(mutex_);
    std::vector<const compiler::GlobalInfo*> list;
    for (const auto& program : programs_) {
        for (const auto& global : program->globals) {
            if (globals_.at(global.symbol) == &global) list.push_back(&global);
        }
    }
    return list;
}

std::vector<std::string> ModuleState::templates() {
    MutexLock lock(mutex_);
    return programs_.front()->templates;
}

std::shared_ptr<KernelState> ModuleState::kernel(const compiler::KernelInfo& info) {
    KernelImpl* const impl = impl_->kernel(info.signature.symbol);
    if (impl == nullptr) {
        throw DeviceError(
            fmt::format("the program says it has the kernel {}, but {} did not find "
                        "its symbol {}",
                        info.signature.name, context_->name(), info.signature.symbol));
    }
    return std::make_shared<KernelState>(shared_from_this(), *context_, *impl, info);
}

std::shared_ptr<BufferState> ModuleState::global(const compiler::GlobalInfo& info) {
    const DeviceAddress address = impl_->global(info.symbol);
    if (address == 0) {
        throw DeviceError(
            fmt::format("the program says it has the variable {}, but {} did not "
                        "find its symbol {}",
                        info.name, context_->name(), info.symbol));
    }
    return context_->pool()->wrap(address, info.size, shared_from_this());
}

}  // namespace warpwise::runtime
