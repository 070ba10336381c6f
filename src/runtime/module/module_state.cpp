// Loading and growing of modules.
#include "src/runtime/module/module_state.hpp"

#include <utility>

#include "src/runtime/context.hpp"
#include "src/runtime/module/name_lookup.hpp"
#include "src/runtime/pool/buffer_state.hpp"
#include "src/runtime/pool/pool_state.hpp"
#include "src/runtime/refuse.hpp"

namespace warpwise::runtime {
namespace {

void refuse_uncompiled(const compiler::KernelInfo& info) {
    const compiler::Refusal& why = info.refusal;
    if (why.message.empty()) return;
    if (why.is_unsupported) throw UnsupportedError(why.message, why.log, why.file, why.line);
    throw CompileError(why.message, why.log, why.file, why.line);
}

}  // namespace

ModuleState::ModuleState(std::shared_ptr<Context> context)
    : context_(std::move(context)),
      impl_(context_->backend().make_module(context_->ordinal())),
      references_(*context_) {}

std::shared_ptr<ModuleState> ModuleState::load(
    std::shared_ptr<Context> context, const std::shared_ptr<const compiler::Program>& program,
    const std::shared_ptr<const compiler::CompileRequest>& origin) {
    std::shared_ptr<ModuleState> module(new ModuleState(std::move(context)));
    module->extend(program, origin);
    return module;
}

void ModuleState::extend(const std::shared_ptr<const compiler::Program>& program,
                         const std::shared_ptr<const compiler::CompileRequest>& origin) {
    // Two threads may have requested one template instance: the second finds it here. If the first
    // is still loading, both load it, and the back end keeps the kernel that it had.
    if (has_kernels_of(*program)) return;
    impl_->extend(program, origin);
    MutexLock lock(mutex_);
    programs_.push_back(program);
    for (const auto& kernel : program->kernels) {
        kernels_.try_emplace(kernel.signature.symbol, &kernel);
    }
    for (const auto& global : program->globals) globals_.try_emplace(global.symbol, &global);
}

bool ModuleState::has_kernels_of(const compiler::Program& program) {
    MutexLock lock(mutex_);
    if (programs_.empty()) return false;
    for (const auto& kernel : program.kernels) {
        if (!kernels_.contains(kernel.signature.symbol)) return false;
    }
    return true;
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

std::vector<const compiler::GlobalInfo*> ModuleState::globals(VariableRole role) {
    MutexLock lock(mutex_);
    std::vector<const compiler::GlobalInfo*> list;
    for (const auto& program : programs_) {
        for (const auto& global : program->globals) {
            if (global.role != role) continue;
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
    refuse_uncompiled(info);
    KernelImpl* const impl = impl_->kernel(info.signature.symbol);
    if (impl == nullptr) {
        throw DeviceError(
            fmt::format("the program lists the kernel {}, but {} did not find "
                        "its symbol {}",
                        info.signature.name, context_->name(), info.signature.symbol));
    }
    return std::make_shared<KernelState>(shared_from_this(), *context_, *impl, info);
}

DeviceAddress ModuleState::address_of(const compiler::GlobalInfo& info) {
    const DeviceAddress address = impl_->global(info.symbol);
    if (address == 0) {
        throw DeviceError(
            fmt::format("the program lists the variable {}, but {} did not "
                        "find its symbol {}",
                        info.name, context_->name(), info.symbol));
    }
    return address;
}

std::shared_ptr<BufferState> ModuleState::global(const compiler::GlobalInfo& info) {
    return context_->pool()->wrap(address_of(info), info.size, shared_from_this());
}

std::shared_ptr<ReferenceState> ModuleState::reference(std::string_view name, VariableRole role) {
    const char* const what =
        role == VariableRole::Texture ? "texture reference" : "surface reference";
    const compiler::GlobalInfo& info = match_global(name, globals(role), what);
    return ReferenceState::with_owner(references_.get(info.name, address_of(info)),
                                      shared_from_this());
}

}  // namespace warpwise::runtime
