// Cooperative groups: a device function templated over the group that sums with any tile, a filter
// that compacts with a coalesced group, a scan per tile, and a grid-wide sum in two phases.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

namespace cg = cooperative_groups;

template <typename Group, typename T>
__device__ T sum_of(const Group &g, T value)
{
    for (unsigned step = g.size() / 2; step > 0; step /= 2) value += g.shfl_down(value, step);
    return g.shfl(value, 0);
}

template <int Size>
__global__ void tile_sums(const int *in, int *out)
{
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<Size> tile = cg::tiled_partition<Size>(block);
    const int i = block.group_index().x * block.size() + block.thread_rank();
    const int total = sum_of(tile, in[i]);
    if (total != cg::reduce(tile, in[i], cg::plus<int>())) __trap();
    if (tile.thread_rank() == 0) out[i / Size] = total;
}

__device__ int take_place(int *counter)
{
    const auto active = cg::coalesced_threads();
    int first = 0;
    if (active.thread_rank() == 0) first = atomicAdd(counter, active.size());
    return active.shfl(first, 0) + active.thread_rank();
}

__global__ void keep_positive(const float *in, int n, float *out, int *count)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i] > 0.0f) out[take_place(count)] = in[i];
}

__global__ void tile_scans(const unsigned *in, unsigned *inclusive, unsigned *exclusive)
{
    const auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    inclusive[i] = cg::inclusive_scan(tile, in[i]);
    exclusive[i] = cg::exclusive_scan(tile, in[i], cg::plus<unsigned>());
}

__global__ void labels(const int *keys, int *ballots, int *any_odd)
{
    const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    const int i = threadIdx.x;
    ballots[i] = __popc(warp.match_any(keys[i]));
    any_odd[i] = warp.any(keys[i] & 1);
}
