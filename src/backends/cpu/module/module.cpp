// Linking programs into a module: the first definition of a variable is the one all programs use.
#include "src/backends/cpu/module/module.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "src/backends/cpu/module/kernel_forms.hpp"
#include "src/base/text.hpp"
#include "warpwise/error.hpp"

namespace warpwise::cpu {
namespace {

std::uint64_t defined_symbol(const LoadedObject& object, const std::string& name,
                             const char* what) {
    const auto address = object.symbol(name);
    if (address) return *address;
    throw DeviceError(
        fmt::format("the compiled program lacks {} {}; compile it again ('warpwise "
                    "cache clear' empties the cache)",
                    what, quote(name)));
}

std::unique_ptr<CpuKernel> make_kernel(LoadedModule& module, const compiler::KernelInfo& info,
                                       std::uint64_t address) {
    auto kernel = std::make_unique<CpuKernel>();
    kernel->module = &module;
    kernel->info = &info;
    kernel->record = decode_record(info.backend_data);
    kernel->entry = reinterpret_cast<KernelEntry>(address);
    const std::uint32_t bound = info.signature.max_threads_per_block;
    kernel->max_threads_per_block =
        bound == 0 ? kMaxThreadsPerBlock : std::min(bound, kMaxThreadsPerBlock);
    return kernel;
}

template <class Globals>
LoadedObject::Existing existing_in(const Globals& globals) {
    return [&globals](std::string_view symbol) -> std::optional<std::uint64_t> {
        const auto found = globals.find(symbol);
        if (found == globals.end()) return std::nullopt;
        return found->second;
    };
}

}  // namespace

void LoadedModule::extend(std::shared_ptr<const compiler::Program> program,
                          const std::shared_ptr<const compiler::CompileRequest>& origin) {
    if (program->format != "object") {
        throw DeviceError(fmt::format("the CPU device loads programs of format 'object', not {}",
                                      quote(program->format)));
    }
    MutexLock lock(mutex_);
    // Complete copies first: a program that lacks a symbol must change nothing.
    Globals globals = globals_;
    auto object = std::make_unique<LoadedObject>(program->binary, existing_in(globals));
    for (const compiler::GlobalInfo& info : program->globals) {
        globals.emplace(info.symbol, defined_symbol(*object, info.symbol, "the variable"));
    }
    Kernels kernels;
    for (const compiler::KernelInfo& info : program->kernels) {
        if (!info.refusal.message.empty()) continue;
        const std::string& symbol = info.signature.symbol;
        auto kernel = make_kernel(*this, info, defined_symbol(*object, symbol, "the kernel"));
        allow_forms(*kernel, program, origin);
        kernels.emplace(symbol, std::move(kernel));
    }
    parts_.push_back({std::move(program), std::move(object)});
    globals_.swap(globals);
    kernels_.merge(kernels);
}

void LoadedModule::allow_forms(CpuKernel& kernel,
                               const std::shared_ptr<const compiler::Program>& program,
                               const std::shared_ptr<const compiler::CompileRequest>& origin) {
    const bool has_one_form =
        kernel.record.executor == compiler::Executor::Reference || kernel.info->block[0] != 0;
    if (compiler_ == nullptr || origin == nullptr || has_one_form) return;
    kernel.forms =
        std::make_unique<KernelForms>(kernel, std::make_shared<const ProgramOrigin>(ProgramOrigin{
                                                  weak_from_this(), compiler_, origin, program}));
}

const CpuKernel& LoadedModule::add_form(std::shared_ptr<const compiler::Program> program,
                                        const std::string& symbol) {
    const auto is_target = [&symbol](const compiler::KernelInfo& info) {
        return info.signature.symbol == symbol;
    };
    const auto info = std::ranges::find_if(program->kernels, is_target);
    if (info == program->kernels.end()) {
        throw DeviceError(fmt::format("the compiled program lacks the kernel {}", quote(symbol)));
    }
    MutexLock lock(mutex_);
    // Static variables of functions are known to the objects only. The analysis of locks does not
    // see that this runs while the lock is held.
    const auto existing = [listed = existing_in(globals_), &parts = parts_,
                           &kernels = kernels_](std::string_view name)
                              WARPWISE_NO_THREAD_SAFETY_ANALYSIS -> std::optional<std::uint64_t> {
        if (kernels.contains(name)) return std::nullopt;
        if (const auto address = listed(name)) return address;
        for (const Part& part : parts) {
            if (const auto here = part.object->symbol(name)) return here;
        }
        return std::nullopt;
    };
    auto object = std::make_unique<LoadedObject>(program->binary, existing);
    forms_.push_back(make_kernel(*this, *info, defined_symbol(*object, symbol, "the kernel")));
    parts_.push_back({std::move(program), std::move(object)});
    return *forms_.back();
}

CpuKernel* LoadedModule::kernel(std::string_view symbol) {
    MutexLock lock(mutex_);
    const auto found = kernels_.find(symbol);
    return found == kernels_.end() ? nullptr : found->second.get();
}

runtime::DeviceAddress LoadedModule::global(std::string_view symbol) {
    MutexLock lock(mutex_);
    const auto found = globals_.find(symbol);
    return found == globals_.end() ? 0 : found->second;
}

}  // namespace warpwise::cpu
