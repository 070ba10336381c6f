// What the driver knows of a function.
#include "src/backends/cuda/kernel.hpp"

#include <algorithm>

namespace warpwise::cuda {
namespace {

constexpr std::uint32_t kPlainShared = 48 << 10;  // static and dynamic together, without asking

std::uint32_t attribute(PrimaryContext& context, FunctionHandle function, FunctionAttribute which) {
    int value = 0;
    context.check(driver().function_attribute(&value, which, function), "ask about a kernel");
    return static_cast<std::uint32_t>(value);
}

}  // namespace

CudaKernel::CudaKernel(PrimaryContext& context, ModuleHandle module,
                       const compiler::KernelInfo& kernel) {
    info = &kernel;
    context.check(driver().module_function(&function, module, kernel.signature.symbol.c_str()),
                  "find a kernel in its module");
    max_threads_per_block = attribute(context, function, FunctionAttribute::MaxThreadsPerBlock);
    num_regs = attribute(context, function, FunctionAttribute::NumRegs);
    constant_bytes = attribute(context, function, FunctionAttribute::ConstSizeBytes);
    const std::uint32_t own = attribute(context, function, FunctionAttribute::SharedSizeBytes);
    dynamic_limit_ = kPlainShared - std::min(own, kPlainShared);
}

void CudaKernel::allow_dynamic_shared(PrimaryContext& context, std::uint32_t bytes) {
    if (bytes <= dynamic_limit_.load(std::memory_order_relaxed)) [[likely]]
        return;
    context.check(
        driver().function_set_attribute(function, FunctionAttribute::MaxDynamicSharedSizeBytes,
                                        static_cast<int>(bytes)),
        "give a kernel so much dynamic shared memory");
    std::uint32_t before = dynamic_limit_.load();
    while (before < bytes && !dynamic_limit_.compare_exchange_weak(before, bytes)) {
    }
}

}  // namespace warpwise::cuda
