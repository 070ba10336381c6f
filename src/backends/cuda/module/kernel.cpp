// What the driver knows of a function, and what is set there.
#include "src/backends/cuda/module/kernel.hpp"

#include <algorithm>

namespace warpwise::cuda {
namespace {

constexpr std::uint32_t kPlainShared = 48 << 10;     // static and dynamic together, without asking
constexpr std::uint32_t kPortableClusterBlocks = 8;  // without asking, on every GPU with clusters

using Attribute = FunctionAttribute;

std::uint32_t attribute(PrimaryContext& context, FunctionHandle function, Attribute which) {
    int value = 0;
    context.check(driver().function_attribute(&value, which, function), "ask about a kernel");
    return static_cast<std::uint32_t>(value);
}

// Zeros on a driver that does not know clusters.
std::array<std::uint32_t, 3> required_cluster(FunctionHandle function) {
    std::array<std::uint32_t, 3> cluster{};
    for (int axis = 0; axis < 3; ++axis) {
        int value = 0;
        const auto which =
            static_cast<Attribute>(static_cast<int>(Attribute::RequiredClusterWidth) + axis);
        if (driver().function_attribute(&value, which, function) != Status::Success) return {};
        cluster[axis] = static_cast<std::uint32_t>(value);
    }
    if (cluster[0] == 0) return {};
    for (std::uint32_t& extent : cluster) extent = std::max(extent, 1U);
    return cluster;
}

}  // namespace

CudaKernel::CudaKernel(PrimaryContext& context, ModuleHandle module,
                       const compiler::KernelInfo& kernel)
    : context_(context) {
    info = &kernel;
    context.check(driver().module_function(&function, module, kernel.signature.symbol.c_str()),
                  "find a kernel in its module");
    const auto get = [&](Attribute which) { return attribute(context, function, which); };
    max_threads_per_block = get(Attribute::MaxThreadsPerBlock);
    num_regs = get(Attribute::NumRegs);
    constant_bytes = get(Attribute::ConstSizeBytes);
    static_shared_bytes = get(Attribute::SharedSizeBytes);
    local_bytes = get(Attribute::LocalSizeBytes);
    ptx_version = get(Attribute::PtxVersion);
    binary_version = get(Attribute::BinaryVersion);
    caches_globals_in_l1 = get(Attribute::CacheModeCa) != 0;
    cluster = required_cluster(function);
    dynamic_limit_ = kPlainShared - std::min(static_shared_bytes, kPlainShared);
}

void CudaKernel::raise_limit(PrimaryContext& context, std::uint32_t bytes) {
    const PrimaryContext::Scope scope(context);
    context.check(driver().function_set_attribute(function, Attribute::MaxDynamicSharedSizeBytes,
                                                  static_cast<int>(bytes)),
                  "give a kernel so much dynamic shared memory");
    std::uint32_t before = dynamic_limit_.load();
    while (before < bytes && !dynamic_limit_.compare_exchange_weak(before, bytes)) {
    }
}

std::uint32_t CudaKernel::occupancy(std::uint32_t block, std::uint32_t shared) {
    const PrimaryContext::Scope scope(context_);
    allow_dynamic_shared(context_, shared);
    int blocks = 0;
    context_.check(driver().occupancy(&blocks, function, static_cast<int>(block), shared),
                   "ask for a kernel's occupancy");
    return static_cast<std::uint32_t>(blocks);
}

std::uint32_t CudaKernel::best_block(std::uint32_t shared) {
    const PrimaryContext::Scope scope(context_);
    allow_dynamic_shared(context_, shared);
    int grid = 0;
    int block = 0;
    context_.check(driver().best_block(&grid, &block, function, nullptr, shared, 0),
                   "ask for a kernel's best block");
    return static_cast<std::uint32_t>(block);
}

std::uint32_t CudaKernel::active_clusters(const runtime::Launch& launch) {
    const PrimaryContext::Scope scope(context_);
    allow_dynamic_shared(context_, launch.dynamic_shared_bytes);
    const auto& [x, y, z] = launch.cluster;
    if (x * y * z > kPortableClusterBlocks) {
        context_.check(
            driver().function_set_attribute(function, Attribute::NonPortableClusterSizeAllowed, 1),
            "allow a kernel large clusters");
    }
    LaunchAttribute attributes[3];
    const LaunchConfig config{.grid = {launch.grid[0], launch.grid[1], launch.grid[2]},
                              .block = {launch.block[0], launch.block[1], launch.block[2]},
                              .dynamic_shared_bytes = launch.dynamic_shared_bytes,
                              .stream = nullptr,
                              .attributes = attributes,
                              .attribute_count = launch_attributes(launch, attributes)};
    int clusters = 0;
    context_.check(driver().active_clusters(&clusters, function, &config),
                   "ask how many clusters fit");
    return static_cast<std::uint32_t>(clusters);
}

void CudaKernel::prefer_cache(CachePreference preference) {
    const PrimaryContext::Scope scope(context_);
    context_.check(
        driver().function_cache(function, static_cast<FunctionCache>(static_cast<int>(preference))),
        "set a kernel's preference");
    ++preferences_;
}

void CudaKernel::set_shared_carveout(int percent) {
    const PrimaryContext::Scope scope(context_);
    context_.check(driver().function_set_attribute(
                       function, Attribute::PreferredSharedMemoryCarveout, percent),
                   "set a kernel's share of shared memory");
    ++preferences_;
}

unsigned launch_attributes(const runtime::Launch& launch, LaunchAttribute (&attributes)[3]) {
    unsigned count = 0;
    const auto add = [&](LaunchAttribute::Id id) -> LaunchAttribute& {
        attributes[count] = {.id = id, .padding = {}, .bytes = {}};
        return attributes[count++];
    };
    if (launch.cooperative) add(LaunchAttribute::Id::Cooperative).cooperative = 1;
    if (launch.programmatic) add(LaunchAttribute::Id::ProgrammaticSerialization).programmatic = 1;
    // A kernel of __cluster_dims__ takes the same again.
    if (launch.cluster[0] != 0) {
        std::ranges::copy(launch.cluster, add(LaunchAttribute::Id::Cluster).cluster);
    }
    return count;
}

}  // namespace warpwise::cuda
