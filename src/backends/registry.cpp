// The only file that knows every back end.
#include "src/runtime/registry.hpp"

#include "src/backends/cpu/backend.hpp"
#include "src/backends/cuda/backend.hpp"
#include "src/backends/null/null_backend.hpp"

namespace warpwise::runtime {
namespace {

constexpr RegistryRow kRows[] = {
    // By name only, until textures, graphs and the programs of tests/programs run on it.
    {"cuda", false, cuda::cuda_backend},
    {"cpu", true, cpu::cpu_backend},
    {"null", false, null::backend},
};

}  // namespace

std::span<const RegistryRow> registry() noexcept {
    return kRows;
}

}  // namespace warpwise::runtime
