// Linking programs into a module: the first definition of a variable is the one all programs use.
#include "src/backends/cpu/module.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

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

std::unique_ptr<CpuKernel> make_kernel(const compiler::KernelInfo& info, std::uint64_t address) {
    auto kernel = std::make_unique<CpuKernel>();
    kernel->info = &info;
    kernel->entry = reinterpret_cast<KernelEntry>(address);
    const std::uint32_t bound = info.signature.max_threads_per_block;
    kernel->max_threads_per_block =
        bound == 0 ? kMaxThreadsPerBlock : std::min(bound, kMaxThreadsPerBlock);
    return kernel;
}

}  // namespace

void CpuModule::extend(std::shared_ptr<const compiler::Program> program) {
    if (program->format != "object") {
        throw DeviceError(fmt::format("the CPU device loads programs of format 'object', not {}",
                                      quote(program->format)));
    }
    MutexLock lock(mutex_);
    // Complete copies first: a program that lacks a symbol must change nothing.
    Globals globals = globals_;
    const auto existing = [&globals](std::string_view symbol) -> std::optional<std::uint64_t> {
        const auto found = globals.find(symbol);
        if (found == globals.end()) return std::nullopt;
        return found->second;
    };
    auto object = std::make_unique<LoadedObject>(program->binary, existing);
    for (const compiler::GlobalInfo& info : program->globals) {
        globals.emplace(info.symbol, defined_symbol(*object, info.symbol, "the variable"));
    }
    Kernels kernels;
    for (const compiler::KernelInfo& info : program->kernels) {
        const std::string& symbol = info.signature.symbol;
        kernels.emplace(symbol, make_kernel(info, defined_symbol(*object, symbol, "the kernel")));
    }
    parts_.push_back({std::move(program), std::move(object)});
    globals_.swap(globals);
    kernels_.merge(kernels);
}

runtime::KernelImpl* CpuModule::kernel(std::string_view symbol) {
    MutexLock lock(mutex_);
    const auto found = kernels_.find(symbol);
    return found == kernels_.end() ? nullptr : found->second.get();
}

runtime::DeviceAddress CpuModule::global(std::string_view symbol) {
    MutexLock lock(mutex_);
    const auto found = globals_.find(symbol);
    return found == globals_.end() ? 0 : found->second;
}

}  // namespace warpwise::cpu
