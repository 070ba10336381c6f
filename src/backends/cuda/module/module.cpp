// Loading: all of a program or nothing of it.
#include "src/backends/cuda/module/module.hpp"

#include <fmt/format.h>
#include <string.h>

#include <memory>
#include <string>
#include <utility>

#include "src/base/hooks/work_at_exit.hpp"
#include "warpwise/error.hpp"

namespace warpwise::cuda {
namespace {

constexpr std::size_t kLogBytes = 8192;

// What to do about a program that does not suit driver or device; else empty.
std::string hint_for(Status status, const compiler::Program& program) {
    const int version = driver().version;
    const std::string supported = fmt::format("{}.{}", version / 1000, version % 1000 / 10);
    switch (status) {
        case Status::UnsupportedPtxVersion:
            return fmt::format(
                "the driver supports CUDA {} and the PTX comes from a newer compiler; update the "
                "driver, or install an NVRTC of CUDA {} (pip install \"nvidia-cuda-nvrtc-cu{}\")",
                supported, version / 1000, version / 1000);
        case Status::NoBinaryForGpu:
        case Status::InvalidImage:
            return fmt::format(
                "its {} for {} does not suit this GPU or its driver, which supports CUDA {}",
                program.format, program.target, supported);
        case Status::JitCompilerNotFound:
            return "the driver's compiler of PTX (libnvidia-ptxjitcompiler.so.1) is missing; "
                   "install the driver whole";
        default:
            return {};
    }
}

}  // namespace

namespace {

// The driver destroys its state at the end of the process, whoever is loading.
WorkAtExit& loads() {
    static auto* const all = new WorkAtExit;
    return *all;
}

}  // namespace

// With the driver's state goes the module.
void CudaModule::Unload::operator()(ModuleHandle module) const noexcept {
    if (!loads().try_begin()) return;
    context->ignoring_errors([module](const Driver& driver) { driver.module_unload(module); });
    loads().end();
}

CudaModule::~CudaModule() {
    for (const auto& [symbol, entry] : kernels_) {
        if (entry.kernel && entry.kernel->has_graphs()) device_.forget(*entry.kernel);
    }
}

CudaModule::Loaded CudaModule::load(const compiler::Program& program,
                                    const VariableAddresses& known) const {
    std::string text;
    const void* image = program.binary.data();
    if (program.format == "ptx") {
        text = bind_variables(
            {reinterpret_cast<const char*>(program.binary.data()), program.binary.size()}, known);
        image = text.c_str();
    }
    const auto words = std::make_unique_for_overwrite<char[]>(kLogBytes);
    words[0] = '\0';
    LoadOption options[] = {LoadOption::ErrorLog, LoadOption::ErrorLogBytes};
    void* values[] = {words.get(), reinterpret_cast<void*>(kLogBytes)};
    ModuleHandle module = nullptr;
    const Status status = driver().module_load(&module, image, 2, options, values);
    if (status == Status::Success) return Loaded(module, Unload{&context_});
    const std::string log(words.get(), ::strnlen(words.get(), kLogBytes));
    if (const std::string hint = hint_for(status, program); !hint.empty()) {
        throw DeviceError(fmt::format("cuda:{}: cannot load a module for {}: {}; {}",
                                      context_.ordinal(), program.target,
                                      describe(driver(), status), hint));
    }
    if (log.empty() || status == Status::OutOfMemory || is_fault(status)) {
        context_.check(status, "load a module");
    }
    throw DeviceError(fmt::format("cuda:{}: cannot load a module for {}: {}: {}",
                                  context_.ordinal(), program.target, describe(driver(), status),
                                  log));
}

void CudaModule::extend(std::shared_ptr<const compiler::Program> program,
                        std::shared_ptr<const compiler::CompileRequest>) {
    const WorkAtExit::Scope loading(loads());
    const PrimaryContext::Scope scope(context_);
    MutexLock lock(mutex_);
    Loaded module = load(*program, globals_);
    VariableAddresses globals;
    for (const compiler::GlobalInfo& info : program->globals) {
        if (globals_.contains(info.symbol)) continue;
        DevicePointer address = 0;
        std::size_t bytes = 0;
        context_.check(driver().module_global(&address, &bytes, module.get(), info.symbol.c_str()),
                       "find a variable in its module");
        globals.emplace(info.symbol, address);
    }
    std::map<std::string, Entry, std::less<>> kernels;
    for (const compiler::KernelInfo& info : program->kernels) {
        if (!info.refusal.message.empty() || kernels_.contains(info.signature.symbol)) continue;
        kernels.emplace(info.signature.symbol,
                        Entry{.module = module.get(), .info = &info, .kernel = nullptr});
    }
    device_.printf().bind(module.get());
    programs_.push_back(std::move(program));
    modules_.push_back(std::move(module));
    globals_.merge(globals);
    kernels_.merge(kernels);
}

runtime::KernelImpl* CudaModule::kernel(std::string_view symbol) {
    MutexLock lock(mutex_);
    const auto found = kernels_.find(symbol);
    if (found == kernels_.end()) return nullptr;
    Entry& entry = found->second;
    if (!entry.kernel) {
        const WorkAtExit::Scope loading(loads());
        const PrimaryContext::Scope scope(context_);
        entry.kernel = std::make_unique<CudaKernel>(context_, entry.module, *entry.info);
    }
    return entry.kernel.get();
}

runtime::DeviceAddress CudaModule::global(std::string_view symbol) {
    MutexLock lock(mutex_);
    const auto found = globals_.find(symbol);
    return found == globals_.end() ? 0 : found->second;
}

}  // namespace warpwise::cuda
