// SourceModule: compiling through the cache, loading, and template instances on demand.
//
// No lock is held while anything compiles. Two threads that need one instance may both compile
// it; one of the results is loaded.
#include <map>
#include <utility>

#include "src/base/mutex.hpp"
#include "src/base/text.hpp"
#include "src/runtime/context.hpp"
#include "src/runtime/module/compile_request.hpp"
#include "src/runtime/module/module_state.hpp"
#include "src/runtime/module/name_lookup.hpp"
#include "src/runtime/pool/pool_state.hpp"
#include "src/runtime/refuse.hpp"
#include "warpwise/module.hpp"

namespace warpwise {

namespace runtime {

class SourceModuleState {
  public:
    SourceModuleState(compiler::CompileRequest request, std::shared_ptr<Context> context) {
        request.target = context->info().architecture;
        request_ = std::make_shared<const compiler::CompileRequest>(std::move(request));
        auto program = compile(*request_, *context);
        log_ = program->log;
        module_ = ModuleState::load(std::move(context), program, request_);
    }

    ModuleState& module() const noexcept { return *module_; }
    const std::string& log() const noexcept { return log_; }

    std::shared_ptr<KernelState> kernel(std::string_view name) {
        const std::string target = normalised_name(name);
        {
            MutexLock lock(mutex_);
            const auto known = instances_.find(target);
            if (known != instances_.end()) return module_->kernel(*known->second);
        }
        const auto match =
            match_kernel(target, module_->kernels(), module_->templates(), module_->globals());
        if (match.kernel != nullptr) return module_->kernel(*match.kernel);
        const compiler::KernelInfo& info = instantiate(match.expression);
        MutexLock lock(mutex_);
        instances_.try_emplace(target, &info);
        return module_->kernel(info);
    }

  private:
    static std::shared_ptr<const compiler::Program> compile(const compiler::CompileRequest& request,
                                                            Context& context) {
        return std::make_shared<const compiler::Program>(
            compile_program(context.backend().compiler(), request));
    }

    const compiler::KernelInfo& instantiate(const std::string& expression) {
        auto request = std::make_shared<compiler::CompileRequest>(*request_);
        request->name_expressions = {expression};
        request->mode.signatures.clear();  // of the whole source
        const auto program = compile(*request, module_->context());
        if (program->kernels.size() != 1) {
            std::vector<std::string> names;
            for (const auto& kernel : program->kernels) {
                names.push_back(kernel.signature.declaration());
            }
            refuse_value("{} names {} kernels{}; write it so that it names one", quote(expression),
                         names.size(), names.empty() ? "" : " (" + join(names) + ")");
        }
        module_->extend(program, request);
        const std::string& symbol = program->kernels.front().signature.symbol;
        for (const auto* kernel : module_->kernels()) {
            if (kernel->signature.symbol == symbol) return *kernel;
        }
        throw DeviceError(fmt::format("the kernel {} was loaded but is not in its module", symbol));
    }

    std::shared_ptr<const compiler::CompileRequest> request_;
    std::shared_ptr<ModuleState> module_;
    std::string log_;
    Mutex mutex_;
    // Instances by the spelling of the request, which need not be the compiler's.
    std::map<std::string, const compiler::KernelInfo*> instances_ WARPWISE_GUARDED_BY(mutex_);
};

}  // namespace runtime

SourceModule::SourceModule(std::string source, CompileOptions options)
    : SourceModule(std::move(source), std::move(options), Device()) {}

SourceModule::SourceModule(std::string source, CompileOptions options, const Device& device)
    : state_(std::make_shared<runtime::SourceModuleState>(
          runtime::compile_request(std::move(source), std::move(options)),
          device.context().shared())) {}

Kernel SourceModule::get_function(std::string_view name) const {
    return Kernel(state_->kernel(name));
}

Buffer SourceModule::get_global(std::string_view name) const {
    auto& module = state_->module();
    const auto globals = module.globals();
    const compiler::GlobalInfo& info = runtime::match_global(name, globals);
    return Buffer(module.global(info), 0, info.size);
}

TextureReference SourceModule::get_texref(std::string_view name) const {
    return TextureReference(state_->module().reference(name, runtime::VariableRole::Texture));
}

SurfaceReference SourceModule::get_surfref(std::string_view name) const {
    return SurfaceReference(state_->module().reference(name, runtime::VariableRole::Surface));
}

std::vector<std::string> SourceModule::functions() const {
    return runtime::function_names(state_->module().kernels(), state_->module().templates());
}

std::vector<std::string> SourceModule::globals() const {
    std::vector<std::string> names;
    for (const auto* global : state_->module().globals()) names.push_back(global->name);
    return names;
}

const std::string& SourceModule::log() const noexcept {
    return state_->log();
}

Device SourceModule::device() const {
    return Device(state_->module().shared_context());
}

}  // namespace warpwise
