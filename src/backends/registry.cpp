// The only file that knows every back end.
#include "src/runtime/registry.hpp"

#include "src/backends/cpu/backend.hpp"
#include "src/backends/cuda/backend.hpp"
#include "src/backends/null/null_backend.hpp"

namespace warpwise::runtime {
namespace {

constexpr RegistryRow kRows[] = {
    {"cuda", true, cuda::cuda_backend},
    {"cpu", true, cpu::cpu_backend},
    {"null", false, null::backend},
};

}  // namespace

std::span<const RegistryRow> registry() noexcept {
    return kRows;
}

}  // namespace warpwise::runtime
