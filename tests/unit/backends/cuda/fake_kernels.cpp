// Of the fake driver: what it reports of kernels.
#include <algorithm>
#include <cstdlib>

#include "tests/unit/backends/cuda/fake_world.hpp"

namespace warpwise::cuda::fake {

Status function_attribute(int* value, FunctionAttribute which, FunctionHandle) {
    FAKE_ENTER_CONTEXT("cuFuncGetAttribute");
    // FAKE_CUDA_CLUSTER: kernels have __cluster_dims__ of that width.
    const char* const cluster = std::getenv("FAKE_CUDA_CLUSTER");
    switch (which) {
        case FunctionAttribute::MaxThreadsPerBlock:
            *value = 1024;
            break;
        case FunctionAttribute::NumRegs:
            *value = 32;
            break;
        case FunctionAttribute::PtxVersion:
        case FunctionAttribute::BinaryVersion:
            *value = 90;
            break;
        case FunctionAttribute::RequiredClusterWidth:
            *value = cluster != nullptr ? std::atoi(cluster) : 0;
            break;
        default:
            *value = 0;
    }
    return Status::Success;
}
Status function_set_attribute(FunctionHandle, FunctionAttribute, int) {
    FAKE_ENTER_CONTEXT("cuFuncSetAttribute");
    return Status::Success;
}
Status function_cache(FunctionHandle, FunctionCache) {
    FAKE_ENTER_CONTEXT("cuFuncSetCacheConfig");
    return Status::Success;
}
// Two blocks of 1024 threads fit a multiprocessor, in its shared memory.
Status occupancy(int* blocks, FunctionHandle, int threads, std::size_t shared) {
    FAKE_ENTER_CONTEXT("cuOccupancyMaxActiveBlocksPerMultiprocessor");
    const int by_threads = 2048 / threads;
    const int by_shared = shared == 0 ? by_threads : static_cast<int>((228 << 10) / shared);
    *blocks = std::min({by_threads, by_shared, 32});
    return Status::Success;
}
Status best_block(int* grid, int* block, FunctionHandle, std::size_t (*)(int), std::size_t, int) {
    FAKE_ENTER_CONTEXT("cuOccupancyMaxPotentialBlockSize");
    *grid = 8;
    *block = 512;
    return Status::Success;
}
// Sixteen blocks that may be of one cluster.
Status active_clusters(int* clusters, FunctionHandle, const LaunchConfig* config) {
    FAKE_ENTER_CONTEXT("cuOccupancyMaxActiveClusters");
    for (unsigned i = 0; i < config->attribute_count; ++i) {
        const LaunchAttribute& one = config->attributes[i];
        if (one.id != LaunchAttribute::Id::Cluster) continue;
        const unsigned blocks = one.cluster[0] * one.cluster[1] * one.cluster[2];
        *clusters = config->dynamic_shared_bytes > 200U << 10 && blocks > 8
                        ? 0
                        : static_cast<int>(16 / blocks);
        return Status::Success;
    }
    return Status::InvalidValue;
}

}  // namespace warpwise::cuda::fake
